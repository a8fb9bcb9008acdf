import { render } from 'preact';
import { App } from './app.js';
import { expose } from './automation.js';
import { readName } from './name-store.js';
import { type MatchRequest, readParams } from './params.js';
import { Table } from './table.js';

const params = readParams(location.search);
const request: MatchRequest = params.ok ? params.request : { game: 'duel' };
const storedName = readName();
const table = new Table(
  request.name === undefined && storedName !== null ? { ...request, name: storedName } : request,
  params.ok ? null : params.problem,
);
expose(table);
render(<App table={table} />, document.getElementById('app')!);
// A page that closes says so, where it still can: the other player need not wait for the silence to be long enough.
addEventListener('pagehide', () => table.view.match?.leave());
if (params.ok && params.meeting !== null) void table.meet(params.meeting);

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
if (params.ok && params.meeting !== null) void table.meet(params.meeting);

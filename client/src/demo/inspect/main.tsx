import { render } from 'preact';
import { keptMatches } from '../kept-matches.js';
import { frameInHash } from './frame-link.js';
import { builtInGames } from './games.js';
import { type Given, readGiven } from './given.js';
import { Inspection } from './inspection.js';
import { Inspector } from './inspector.js';
import { readFile } from './opened.js';
import { workerAnalyst } from './worker-analyst.js';

/** `riposte inspect` opens the page with this in its address. */
const search = new URLSearchParams(location.search);
const isGiven = search.has('given');
/** A match that this browser keeps, as the lobby lists it. */
const keptId = search.get('kept');

let given: Given = { files: [], game: null, moduleUrl: null };
let problem: string | null = null;
if (isGiven) {
  try {
    given = await readGiven();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
}
const games = given.game === null ? builtInGames : [given.game, ...builtInGames];
const inspection = new Inspection(games, workerAnalyst(given.moduleUrl));
const frame = frameInHash(location.hash);
if (frame !== null) inspection.seek(frame);
if (given.files.length > 0) inspection.add(given.files.map(readFile));
if (keptId !== null) {
  try {
    const bytes = await keptMatches.bytesOf(keptId);
    if (bytes === undefined) inspection.refuse('The match is no longer kept in this browser.');
    else inspection.add([readFile({ name: 'The kept match', bytes })]);
  } catch {
    inspection.refuse('This browser does not let the page read what it keeps.');
  }
}
if (problem !== null) inspection.refuse(`What the command gave cannot be opened: ${problem}`);
render(<Inspector inspection={inspection} />, document.getElementById('app')!);

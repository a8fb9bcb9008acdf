import { render } from 'preact';
import { frameInHash } from './frame-link.js';
import { builtInGames } from './games.js';
import { type Given, readGiven } from './given.js';
import { Inspection } from './inspection.js';
import { Inspector } from './inspector.js';
import { workerAnalyst } from './worker-analyst.js';

/** `riposte inspect` opens the page with this in its address. */
const isGiven = new URLSearchParams(location.search).has('given');

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
if (given.files.length > 0) inspection.add(given.files);
if (problem !== null) inspection.refuse(`What the command gave cannot be opened: ${problem}`);
render(<Inspector inspection={inspection} />, document.getElementById('app')!);

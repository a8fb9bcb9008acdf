import { type FieldDifference, guardDeterminism, type SyncTestResult, syncTest } from '@riposte/shared';
import { type Command, CommandError, ExitCode } from './command.js';
import { gameNamed } from './games.js';
import { printJson, progressLine } from './io.js';

/** Ten seconds of most games: every frame is run `distance + 1` times. */
const FRAMES_DEFAULT = 600;
/** As deep as a match rolls back unless it is told otherwise. */
const DISTANCE_DEFAULT = 8;
/** How many differing fields are listed; the JSON has them all. */
const FIELDS_SHOWN = 12;

/** Long lists and objects would bury the line. */
function shown(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function fieldLine({ path, a, b }: FieldDifference): string {
  return `  ${path}: ${shown(a)} the first time, ${shown(b)} then`;
}

function* linesOf({ firstMismatch, ...result }: SyncTestResult): Iterable<string> {
  if (firstMismatch === null) {
    yield `ok: ${result.frames} frames, ${result.rollbacks} rollbacks, ${result.distinctStates} different states`;
    return;
  }
  const { frame, fields, cause } = firstMismatch;
  yield `fault ${frame < 0 ? 'in init' : `at frame ${frame}`}: ${cause ?? 'the states differ'}`;
  for (const field of fields.slice(0, FIELDS_SHOWN)) yield fieldLine(field);
  if (fields.length > FIELDS_SHOWN) yield `  and ${fields.length - FIELDS_SHOWN} more`;
}

export const synctestCommand: Command = {
  usage: 'synctest',
  description: 'Roll back every frame of a game on drawn inputs, under the determinism guard, and compare',
  options: [
    ['--game <game>', 'A built-in game, or the .ts or .js module of one'],
    ['--frames <n>', `How many frames to run (default: ${FRAMES_DEFAULT})`],
    ['--distance <n>', `How many frames each rollback goes back (default: ${DISTANCE_DEFAULT})`],
    ['--seed <n>', "Of the game's generators and of the inputs (default: 0)"],
    ['--json', 'One JSON object on stdout'],
  ],
  async run({ options, io }) {
    const name = options.text('game');
    if (name === undefined) throw new CommandError('--game is missing; expected a built-in game, or a .ts or .js file');
    const frames = options.integer('frames', 1, 10_000_000) ?? FRAMES_DEFAULT;
    const distance = options.integer('distance', 1, 1024) ?? DISTANCE_DEFAULT;
    const seed = options.integer('seed', 0, 0xffffffff) ?? 0;
    const game = guardDeterminism(await gameNamed(name));
    const progress = progressLine(io, 'rolling back');
    const result = syncTest(game, { frames, distance, seed, onProgress: progress.show });
    progress.clear();
    if (options.has('json')) printJson(io, result);
    else for (const line of linesOf(result)) io.out(`${line}\n`);
    return result.ok ? ExitCode.ok : ExitCode.different;
  },
};

import {
  type FieldDifference,
  type Game,
  guardDeterminism,
  type Recording,
  type SyncTestOptions,
  type SyncTestResult,
  syncTest,
} from '@riposte/shared';
import { requireGame } from '@riposte/shared/debugging';
import { valueText } from '../recorder/difference-words.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFile } from './files.js';
import { type AnyGame, gameNamed, gameOfRecording } from './games.js';
import { printJson, progressLine } from './io.js';

/** Ten seconds of most games: every frame is run `distance + 1` times. */
const FRAMES_DEFAULT = 600;
/** As deep as a match rolls back unless it is told otherwise. */
const DISTANCE_DEFAULT = 8;
const FRAMES_MAX = 10_000_000;
/** How many differing fields are listed; the JSON has them all. */
const FIELDS_SHOWN = 12;

/** Long lists and objects would bury the line. */
function shown(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : valueText(value);
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

type Subject = Omit<SyncTestOptions<unknown>, 'frames' | 'distance'> & {
  readonly game: AnyGame;
  /** As many as there are inputs for; undefined where they are drawn. */
  readonly frames?: number;
};

/** What is tried: a game on drawn inputs, or the match of a recording, with what was pressed in it. */
async function subjectOf(
  file: string | undefined,
  name: string | undefined,
  seed: number | undefined,
): Promise<Subject> {
  if (file !== undefined) {
    if (seed !== undefined)
      throw new CommandError(`--seed is ${seed}, and ${file} has a seed of its own: give one of both`);
    const recording = await readRecordingFile(file);
    const game = await gameOfRecording(recording.header.gameId, name);
    return { game: guardDeterminism(game), ...matchOf(file, game, recording) };
  }
  if (name === undefined) throw new CommandError('--game is missing; expected a built-in game, or a .ts or .js file');
  return { game: guardDeterminism(await gameNamed(name)), seed: seed ?? 0 };
}

/** The match from its start on. Who was not in it presses nothing, and counts as there. */
function matchOf<S, I>(file: string, game: Game<S, I>, recording: Recording): Omit<SyncTestOptions<I>, 'distance'> {
  requireGame(game, recording);
  const { header, firstFrame, frames, inputs } = recording;
  if (firstFrame > 0) {
    throw new CommandError(`${file} begins at frame ${firstFrame}; a sync test needs a match from its start`);
  }
  if (frames === 0) throw new CommandError(`${file} holds no frame: ${recording.problem ?? 'the match had none'}`);
  const { seed, settings, players } = header;
  const words = new Int32Array(header.inputWords);
  const pressed = game.input.create();
  return {
    frames,
    seed,
    settings,
    players,
    inputs: (frame, player) => {
      inputs[player]!.read(frame, words, 0);
      game.input.decode(words, 0, pressed);
      return pressed;
    },
  };
}

export const synctestCommand: Command = {
  usage: 'synctest [file]',
  description: 'Roll back every frame of a game, on drawn inputs or those of a recording, under the guard, and compare',
  options: [
    ['--game <game>', 'A built-in game, or the .ts or .js module of one'],
    ['--frames <n>', `How many frames to run (default: ${FRAMES_DEFAULT}, or those of the recording)`],
    ['--distance <n>', `How many frames each rollback goes back (default: ${DISTANCE_DEFAULT})`],
    ['--seed <n>', "Of the game's generators and of the drawn inputs (default: 0); a recording has its own"],
    ['--json', 'One JSON object on stdout'],
  ],
  async run({ args, options, io }) {
    const distance = options.integer('distance', 1, 1024) ?? DISTANCE_DEFAULT;
    const seed = options.integer('seed', 0, 0xffffffff);
    const { game, ...match } = await subjectOf(args[0], options.text('game'), seed);
    const frames = Math.min(
      options.integer('frames', 1, FRAMES_MAX) ?? match.frames ?? FRAMES_DEFAULT,
      match.frames ?? FRAMES_MAX,
    );
    const progress = progressLine(io, 'rolling back');
    const result = syncTest(game, { ...match, frames, distance, onProgress: progress.show });
    progress.clear();
    if (options.has('json')) printJson(io, result);
    else for (const line of linesOf(result)) io.out(`${line}\n`);
    return result.ok ? ExitCode.ok : ExitCode.different;
  },
};

import { compareRecordings, type Recording } from '@riposte/shared';
import { comparisonLines } from '../recorder/difference-words.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFiles } from './files.js';
import { gameOfRecording } from './games.js';
import { printJson, progressLine } from './io.js';

/** Which frames a file holds, and why no more. */
function heldText(file: string, { firstFrame, frames, problem }: Recording): string {
  const held = frames === 0 ? 'none' : `${firstFrame} to ${firstFrame + frames - 1}`;
  return `${file} has ${held}${problem === null ? '' : `, ${problem}`}`;
}

/** Both sides: of two files, or of one report. */
async function sidesOf(args: readonly string[]): Promise<readonly { name: string; recording: Recording }[]> {
  const sides = await Promise.all(
    args.map(async (file) => (await readRecordingFiles(file)).map((recording) => ({ name: file, recording }))),
  );
  const all = sides.flat();
  if (all.length === 2) return all;
  const held = all.length === 1 ? 'one recording' : `${all.length} recordings`;
  throw new CommandError(`${args.join(' and ')} hold ${held}; expected two: two files, or the report of a desync`);
}

export const diffCommand: Command = {
  usage: 'diff <a> [b]',
  description: "Compare two peers' recordings of one match, or those of a report, and find where they part",
  options: [
    ['--game <game>', 'A built-in game, or the .ts or .js module of one (default: the built-in game of that id)'],
    ['--json', 'One JSON object on stdout'],
  ],
  async run({ args, options, io }) {
    const [first, second] = await sidesOf(args);
    const [a, b] = [first!.recording, second!.recording];
    const game = await gameOfRecording(a.header.gameId, options.text('game'));
    const progress = progressLine(io, 'comparing');
    const result = compareRecordings(a, b, game, { onProgress: progress.show });
    progress.clear();
    if (result.same && result.comparedFrames === 0) {
      throw new CommandError(
        `there is no frame that both hold: ${heldText(first!.name, a)}; ${heldText(second!.name, b)}`,
      );
    }
    if (options.has('json')) {
      printJson(io, { ...result, truncated: { a: a.truncated, b: b.truncated } });
    } else {
      for (const line of comparisonLines(result)) io.out(`${line}\n`);
      if (a.problem !== null) io.out(`A was read only so far: ${a.problem}\n`);
      if (b.problem !== null) io.out(`B was read only so far: ${b.problem}\n`);
    }
    return result.same ? ExitCode.ok : ExitCode.different;
  },
};

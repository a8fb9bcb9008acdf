import { compareRecordings, type Recording } from '@riposte/shared';
import { comparisonLines } from '../recorder/difference-words.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFile } from './files.js';
import { gameOfRecording } from './games.js';
import { printJson, progressLine } from './io.js';

/** Which frames a file holds, and why no more. */
function heldText(file: string, { firstFrame, frames, problem }: Recording): string {
  const held = frames === 0 ? 'none' : `${firstFrame} to ${firstFrame + frames - 1}`;
  return `${file} has ${held}${problem === null ? '' : `, ${problem}`}`;
}

export const diffCommand: Command = {
  usage: 'diff <a> <b>',
  description: "Compare two peers' recordings of one match and find where they part",
  options: [
    ['--game <game>', 'A built-in game, or the .ts or .js module of one (default: the built-in game of that id)'],
    ['--json', 'One JSON object on stdout'],
  ],
  async run({ args, options, io }) {
    const a = await readRecordingFile(args[0]!);
    const b = await readRecordingFile(args[1]!);
    const game = await gameOfRecording(a.header.gameId, options.text('game'));
    const progress = progressLine(io, 'comparing');
    const result = compareRecordings(a, b, game, { onProgress: progress.show });
    progress.clear();
    if (result.same && result.comparedFrames === 0) {
      throw new CommandError(`there is no frame that both hold: ${heldText(args[0]!, a)}; ${heldText(args[1]!, b)}`);
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

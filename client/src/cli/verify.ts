import { type Recording, verify } from '@riposte/shared';
import { verificationLines } from '../recorder/difference-words.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFile } from './files.js';
import { gameOfRecording } from './games.js';
import { printJson, progressLine } from './io.js';

/** An empty result would look like a good one: says that there was nothing to look at. */
function requireFrames(file: string, recording: Recording): void {
  if (recording.frames > 0 || !recording.truncated) return;
  throw new CommandError(`${file} holds no whole part of a match: ${recording.problem}`);
}

export const verifyCommand: Command = {
  usage: 'verify <file>',
  description: 'Run a recorded match again and compare every hash and state',
  options: [
    ['--game <game>', 'A built-in game, or the .ts or .js module of one (default: the built-in game of that id)'],
    ['--json', 'One JSON object on stdout'],
  ],
  async run({ args, options, io }) {
    const file = args[0]!;
    const recording = await readRecordingFile(file);
    const game = await gameOfRecording(recording.header.gameId, options.text('game'));
    requireFrames(file, recording);
    const progress = progressLine(io, 'verifying');
    const result = verify(game, recording, { onProgress: progress.show });
    progress.clear();
    if (options.has('json')) {
      printJson(io, result);
    } else {
      for (const line of verificationLines(result, recording.header)) io.out(`${line}\n`);
      if (recording.problem !== null) io.out(`the recording was read only so far: ${recording.problem}\n`);
    }
    return result.ok ? ExitCode.ok : ExitCode.different;
  },
};

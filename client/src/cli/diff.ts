import { type Agreement, type Comparison, compareRecordings, type Recording } from '@riposte/shared';
import { type Command, CommandError, ExitCode } from './command.js';
import { fieldLines } from './fields.js';
import { readRecordingFile } from './files.js';
import { gameOfRecording } from './games.js';
import { printJson, progressLine } from './io.js';

const AGREES: { readonly [agreement in Agreement]: string } = {
  a: 'running it again agrees with A',
  b: 'running it again agrees with B',
  both: 'running it again agrees with both',
  neither: 'running it again agrees with neither: this machine computes something else',
};

function* linesOf({ kind, frame, player, a, b, fields, ...result }: Comparison): Iterable<string> {
  switch (kind) {
    case null:
      yield `same over ${result.comparedFrames} frames`;
      break;
    case 'settings':
      yield 'the settings differ: the two did not start alike';
      for (const { path, a: inA, b: inB } of fields) {
        yield `  ${path}: ${JSON.stringify(inA) ?? 'not set'} in A, ${JSON.stringify(inB) ?? 'not set'} in B`;
      }
      break;
    case 'inputs':
      yield `the inputs differ at frame ${frame}: player ${player} pressed ${a} in A, ${b} in B`;
      yield '  the states before it agree: look at the network or the recorder, not at the game';
      break;
    case 'state':
      if (result.fieldsFrame !== null && result.fieldsFrame === frame) {
        yield `the states differ before frame ${frame}, the first that both hold: ${a} in A, ${b} in B`;
        yield* fieldLines({ frame, fields, ...result }, ['in A', 'in B']);
        break;
      }
      yield `the states part at frame ${frame}, from equal states and inputs: ${a} in A, ${b} in B after it`;
      yield* fieldLines({ frame, fields, ...result }, ['in A', 'in B']);
      yield '  the step of that frame is not deterministic, or a state was changed outside it';
  }
  if (result.replayAgreesWith !== null) yield AGREES[result.replayAgreesWith];
}

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
      for (const line of linesOf(result)) io.out(`${line}\n`);
      if (a.problem !== null) io.out(`A was read only so far: ${a.problem}\n`);
      if (b.problem !== null) io.out(`B was read only so far: ${b.problem}\n`);
    }
    return result.same ? ExitCode.ok : ExitCode.different;
  },
};

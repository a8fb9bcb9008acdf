import type { Recording } from '@riposte/shared';
import { hashText } from '@riposte/shared';
import { figuresOf, type RecordingFigures } from '../recorder/recording-figures.js';
import { type Command, ExitCode } from './command.js';
import { readRecordingFile } from './files.js';
import { printJson } from './io.js';

/** A length as people say it: `1:05`, one minute and five seconds. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function summaryOf({ header, ...recording }: Recording) {
  return {
    game: { id: header.gameId, version: header.gameVersion },
    tickRate: header.tickRate,
    players: header.names.map((name, player) => ({ name, inputDelay: header.inputDelays[player]! })),
    recordedBy: header.recordedBy,
    engine: header.engine,
    maths: header.maths === undefined ? null : hashText(header.maths),
    seed: header.seed,
    settings: header.settings,
    settingsHash: hashText(header.settingsHash),
    firstFrame: recording.firstFrame,
    frames: recording.frames,
    keyframes: recording.keyframes.map(({ frame, hash, byteLength }) => ({
      frame,
      hash: hashText(hash),
      bytes: byteLength,
    })),
    seconds: recording.frames / header.tickRate,
    inputChanges: recording.inputs.map((track) => Math.max(0, track.runs - 1)),
    absences: recording.absences,
    ...figuresOf({ header, ...recording }),
    events: recording.events.length,
    complete: recording.complete,
    truncated: recording.truncated,
    endReason: recording.endReason,
    problem: recording.problem,
  };
}

/** Where a recording begins that was started within its match. */
function startText(firstFrame: number): string {
  return firstFrame === 0 ? '' : `, from frame ${firstFrame} on: the page had got the running match from its peer`;
}

/** Where states are held: the first, the last, and how many. */
function keyframesText({ keyframes }: Recording): string {
  const [first] = keyframes;
  const last = keyframes.at(-1);
  if (first === undefined || last === undefined) return 'none';
  const where =
    first === last ? `at frame ${first.frame}` : `${keyframes.length}, at frames ${first.frame} to ${last.frame}`;
  return `${where}, of ${last.byteLength} bytes`;
}

function rollbacksText({ rollbacks }: RecordingFigures, seconds: number): string {
  const { count, maxFrames, resimulatedFrames } = rollbacks;
  if (count === 0) return 'none';
  return (
    `${count}, ${(count / Math.max(1, seconds)).toFixed(1)} a second, ` +
    `${(resimulatedFrames / count).toFixed(1)} frames each, the deepest ${maxFrames}`
  );
}

function rttText({ rttMs }: RecordingFigures): string {
  if (rttMs === null) return 'not measured';
  return `${rttMs.median} ms in the middle, ${rttMs.p95} ms for all but 5 %, ${rttMs.max} ms at most`;
}

/** By how much the prediction was wrong. */
function correctionsText({ corrections: { count, size } }: RecordingFigures): string {
  if (size === null) return 'none measured';
  return `by ${size.median} in the middle, ${size.p95} for all but 5 %, ${size.max} at most, of ${count} measured`;
}

/** What the predictions of each second cost. */
function workLines(figures: RecordingFigures): [string, string][] {
  const { inputAge, predictedFrames, resimulationMs, window } = figures;
  if (inputAge === null || resimulationMs === null || predictedFrames === null || window === null) return [];
  return [
    ['corrected', correctionsText(figures)],
    ['run again', `${resimulationMs.median} ms of each second in the middle, ${resimulationMs.max} ms at most`],
    [
      'predicted',
      `${predictedFrames.median} frames in the middle, ${predictedFrames.max} at most, of a window of ${window.median}`,
    ],
    ['input age', `${inputAge.median} frames in the middle, ${inputAge.max} at most`],
  ];
}

/** Who was not in the match, and from which frame on. */
function absencesText({ absences, header }: Recording): string {
  return absences
    .map(({ frame, gone }) => {
      const names = header.names.filter((_, player) => (gone & (1 << player)) !== 0);
      return `${names.length === 0 ? 'nobody' : names.join(', ')} from frame ${frame} on`;
    })
    .join('; ');
}

function stateText({ complete, endReason, problem }: Recording): string {
  if (problem !== null) return `no: ${problem}`;
  return complete ? `yes, the match ended: ${endReason}` : 'no: it was saved while the match was running';
}

export const infoCommand: Command = {
  usage: 'info <file>',
  description: 'Show what a recording holds',
  options: [['--json', 'One JSON object on stdout']],
  async run({ args, options, io }) {
    const recording = await readRecordingFile(args[0]!);
    const summary = summaryOf(recording);
    if (options.has('json')) {
      printJson(io, summary);
      return ExitCode.ok;
    }
    const players = summary.players.map(
      ({ name, inputDelay }, player) =>
        `${player}: ${JSON.stringify(name)}, input delay ${inputDelay}, ${summary.inputChanges[player]} input changes` +
        `${player === summary.recordedBy ? ', recorded this' : ''}`,
    );
    const lines: [string, string][] = [
      ['game', `${summary.game.id} ${summary.game.version}, ${summary.tickRate} frames a second`],
      ...players.map((text): [string, string] => ['player', text]),
      ['length', `${summary.frames} frames, ${clock(summary.seconds)}${startText(summary.firstFrame)}`],
      ...(recording.absences.length === 0 ? [] : [['absent', absencesText(recording)] satisfies [string, string]]),
      ['rollbacks', rollbacksText(summary, summary.seconds)],
      ['stalls', `${summary.stalledTicks} ticks`],
      ['round trip', rttText(summary)],
      ...workLines(summary),
      ['keyframes', keyframesText(recording)],
      ['seed', String(summary.seed)],
      ['settings', `${JSON.stringify(summary.settings)} (${summary.settingsHash})`],
      ['engine', `${summary.engine}${summary.maths === null ? '' : `, maths ${summary.maths}`}`],
      ['complete', stateText(recording)],
    ];
    for (const [name, text] of lines) io.out(`${name.padEnd(10)} ${text}\n`);
    return ExitCode.ok;
  },
};

import { ABSENT_INPUT, hashText, inputText, type RecordedEvent, type Recording } from '@riposte/shared';
import { goneIn } from '@riposte/shared/debugging';
import { eventText } from '../recorder/recording-figures.js';
import { type Command, CommandError, ExitCode } from './command.js';
import { readRecordingFile } from './files.js';
import { type AnyGame, builtInGame, gameNamed } from './games.js';
import type { Io } from './io.js';

const FORMATS = ['json', 'csv'] as const;

/** Rows that are written at once: one write a row would make an hour's match slow. */
const ROWS_PER_WRITE = 4096;

/** A field as RFC 4180 wants it. */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Row {
  readonly frame: number;
  readonly inputs: readonly string[];
  readonly hash: string;
}

/** The events by the frame after which they happened; those before the first or after the last held go to that one. */
function eventsByFrame({ events, firstFrame, frames }: Recording): Map<number, RecordedEvent[]> {
  const byFrame = new Map<number, RecordedEvent[]>();
  for (const event of events) {
    const frame = Math.max(firstFrame, Math.min(firstFrame + frames - 1, event.frame));
    const held = byFrame.get(frame);
    if (held === undefined) byFrame.set(frame, [event]);
    else held.push(event);
  }
  return byFrame;
}

/** Every frame as text. Inputs are worded anew only where they change. */
function* rowsOf(recording: Recording, game: AnyGame | undefined): Iterable<Row> {
  const { inputWords } = recording.header;
  const { absences, firstFrame } = recording;
  const words = new Int32Array(inputWords);
  const seats = recording.inputs.map((track) => ({ track, run: -1, text: '' }));
  for (let frame = firstFrame; frame < firstFrame + recording.frames; frame++) {
    for (const seat of seats) {
      const run = seat.track.runAt(frame);
      if (run === seat.run) continue;
      seat.track.readRun(run, words, 0);
      seat.run = run;
      seat.text = inputText(game?.input, words, 0, inputWords);
    }
    const gone = absences.length === 0 ? 0 : goneIn(absences, frame);
    const inputs = seats.map(({ text }, player) => ((gone & (1 << player)) === 0 ? text : ABSENT_INPUT));
    yield { frame, inputs, hash: hashText(recording.hashes[frame - firstFrame]!) };
  }
}

function write(io: Io, rows: Iterable<string>): void {
  let batch: string[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_PER_WRITE) continue;
    io.out(batch.join(''));
    batch = [];
  }
  io.out(batch.join(''));
}

function* csv(recording: Recording, game: AnyGame | undefined): Iterable<string> {
  yield `frame,${recording.inputs.map((_, player) => `player${player}`).join(',')},hash,events\n`;
  const events = eventsByFrame(recording);
  for (const { frame, inputs, hash } of rowsOf(recording, game)) {
    const told = (events.get(frame) ?? []).map(eventText).join('; ');
    yield `${frame},${inputs.map(csvField).join(',')},${hash},${csvField(told)}\n`;
  }
}

function* json(recording: Recording, game: AnyGame | undefined): Iterable<string> {
  const { header, firstFrame, frames, complete, truncated, endReason, problem } = recording;
  const keyframes = recording.keyframes.map(({ frame, hash, byteLength }) => ({
    frame,
    hash: hashText(hash),
    bytes: byteLength,
  }));
  const { absences, events } = recording;
  const head = { header, frameCount: frames, keyframes, absences, events, complete, truncated, endReason, problem };
  yield `${JSON.stringify(head).slice(0, -1)},"frames":[`;
  for (const row of rowsOf(recording, game)) yield `${row.frame === firstFrame ? '' : ','}\n${JSON.stringify(row)}`;
  yield ']}\n';
}

export const exportCommand: Command = {
  usage: 'export <file>',
  description: 'Print the inputs, hashes and events of a recording as text',
  options: [
    ['--format <format>', 'json or csv'],
    ['--game <game>', 'Names the inputs (default: the built-in game of that id; without one, hexadecimal words)'],
  ],
  async run({ args, options, io }) {
    const format = options.choice('format', FORMATS);
    if (format === undefined) throw new CommandError('--format is not given; expected json or csv');
    const recording = await readRecordingFile(args[0]!);
    const name = options.text('game');
    const game = name === undefined ? builtInGame(recording.header.gameId) : await gameNamed(name);
    const { inputWords, gameId } = recording.header;
    if (game !== undefined && game.id !== gameId) {
      throw new CommandError(`the recording is of "${gameId}", and --game is ${game.id}; expected that game`);
    }
    if (game !== undefined && game.input.words !== inputWords) {
      throw new CommandError(
        `an input of ${game.id} has ${game.input.words} words; expected ${inputWords}, as in the recording`,
      );
    }
    write(io, format === 'csv' ? csv(recording, game) : json(recording, game));
    return ExitCode.ok;
  },
};

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged } from '../../testing/damage.js';
import { mixer, type mixerInput } from '../../testing/mixer.js';
import { RiposteError } from '../errors.js';
import { defineGame } from '../game/define-game.js';
import { RollbackSim } from '../rollback/sim.js';
import { compareRecordings } from './compare.js';
import { ChunkType } from './format.js';
import { type Recording, readRecording } from './reader.js';
import { readReport, writeReport } from './report.js';
import { verify } from './verify.js';
import { RecordingWriter } from './writer.js';

const FRAMES = 140;
/** The frame whose step parts the two sides. */
const PARTED = 83;

const game = defineGame({
  ...mixer,
  id: 'damaged',
  players: 3,
  tickRate: 20,
  step(state: ReturnType<typeof mixer.state.create>, inputs: ReturnType<typeof mixerInput.create>[], ctx) {
    mixer.step(state, inputs, ctx);
    for (const [player, { connected }] of ctx.players.entries()) if (!connected) state.hash ^= (player + 1) * ctx.frame;
  },
});

/** One side of a match that parted, with chunks of every type and events of every kind. */
function recorded(recordedBy: number, isFaulty: boolean): Uint8Array {
  const faulty: typeof game = {
    ...game,
    step(state, inputs, ctx) {
      game.step(state, inputs, ctx);
      if (isFaulty && ctx.frame === PARTED) state.hash ^= 0x01010101;
    },
  };
  const sim = new RollbackSim(faulty, { seed: 3 });
  const writer = new RecordingWriter({
    gameId: game.id,
    gameVersion: game.version,
    tickRate: game.tickRate,
    players: 3,
    inputWords: 1,
    seed: 3,
    settings: { stage: 'dôme' },
    inputDelays: [1, 2, 3],
    names: ['Ada', 'Bo', 'Cy'],
    recordedBy,
    engine: 'test',
  });
  const words = new Int32Array(3);
  const { events } = writer;
  for (let frame = 0; frame < FRAMES; frame++) {
    if (frame % 50 === 0) writer.keyframe(game.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
    if (frame === 31) sim.disconnect(2, frame);
    if (frame === 66) sim.admit(2, frame);
    for (let player = 0; player < 3; player++) {
      words[player] = sim.isGone(player, frame) ? 0 : ((frame >> 2) * 5 + player) & 7;
      if (!sim.isGone(player, frame)) sim.putInput(player, frame, words, player);
    }
    sim.advance();
    writer.frame(words, sim.hashAt(frame + 1), sim.isGone(2, frame) ? 4 : 0);
    events.tick(frame, frame % 40 !== 7, frame < 60 ? 1 : 2);
    if (frame > 3 && frame % 5 === 0) events.rollback(frame, frame % 3, frame - 3);
    if (frame % 9 === 0) events.effect(frame, `hit ${frame % 2}`, frame % 2 === 0 ? 'start' : 'cancel', frame);
    if (frame % 30 === 0) events.fact(frame, 'round', frame);
    if (frame % 20 === 0) events.sample(frame, 1, 48.3, 0.99, -2);
    if (frame === 25) events.link(frame, 2, false);
    if (frame === 31) events.presence(frame, 2, 'gone');
    if (frame === 90) events.told(frame, { type: 'desync', frame: PARTED });
    if (frame === 95) events.correction(frame, 1.25, frame - 4);
    if (frame === 96)
      events.work(frame, 3, 8, 12, { resimulationMs: { count: 12, total: 0.75 }, inputAges: { count: 2, total: 5 } });
    if (frame === 92) {
      writer.state(PARTED + 1, game.state.encode(sim.stateAt(PARTED + 1)), sim.hashAt(PARTED + 1));
    }
  }
  writer.end('finished');
  return writer.bytes();
}

const files = [recorded(0, false), recorded(1, true)] as const;
const [A, B] = files.map(readRecording) as [Recording, Recording];
const report = writeReport(files);

/** The types of a file's chunks. */
function typesIn(bytes: Uint8Array): Set<number> {
  const types = new Set<number>();
  for (let at = 8; at < bytes.length; ) {
    types.add(bytes[at++]!);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += size + 4;
  }
  return types;
}

function isStart(part: ArrayLike<unknown>, whole: ArrayLike<unknown>): boolean {
  return part.length <= whole.length && Array.prototype.every.call(part, (each, at) => each === whole[at]);
}

const textsOf = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each));

/** All that a file holds, as lists that are compared with those of another. */
function partsOf({ header, frames, inputs, hashes, absences, events }: Recording) {
  const words = new Int32Array(3 * frames);
  for (let at = 0; at < words.length; at++) inputs[at % 3]!.read(Math.floor(at / 3), words, at);
  return { header: textsOf([header]), words, hashes, absences: textsOf(absences), events: textsOf(events) };
}

const statesOf = ({ keyframes }: Recording) => textsOf(keyframes.map(({ frame, bytes }) => [frame, ...bytes()]));

const written = new Map([A, B].map((whole) => [whole, { parts: partsOf(whole), states: statesOf(whole) }]));

/** What was read of a file says so where it is not all, and is nothing but what was written. */
function expectPart(read: Recording, whole: Recording): void {
  const { parts, states } = written.get(whole)!;
  expect([read.complete, read.truncated]).toEqual(read.problem === null ? [true, false] : [false, true]);
  for (const [name, part] of Object.entries(partsOf(read))) {
    const known = Object.entries(parts).find(([each]) => each === name)![1];
    expect(isStart(part, known), name).toBe(true);
  }
  expect(statesOf(read).every((state) => states.includes(state))).toBe(true);
  const found = compareRecordings(read, whole, game);
  expect([found.same, found.comparedFrames]).toEqual([true, read.frames]);
}

/** The file read as far as it goes; undefined where it is refused in words. */
function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(RiposteError);
    expect(error).toMatchObject({ code: 'bad-recording', message: expect.stringMatching(/ .* /) });
    return undefined;
  }
}

function tryRecording(bytes: Uint8Array): void {
  const read = readOrRefused(() => readRecording(bytes));
  if (read === undefined) return;
  expect(read.truncated).toBe(true);
  expectPart(read, A);
  expect(verify(game, read)).toMatchObject({ ok: true, frames: read.frames, truncated: true });
}

/** Each recording of a report is a part of that which was put there, and a missing one is missed. */
function tryReport(bytes: Uint8Array, isCut: boolean): void {
  const recordings = readOrRefused(() => readReport(bytes).map(readRecording));
  if (recordings === undefined) return;
  for (const [side, read] of recordings.entries()) expectPart(read, side === 0 ? A : B);
  if (recordings.length === 2) {
    const found = compareRecordings(recordings[0]!, recordings[1]!, game);
    if (!found.same) expect(found).toMatchObject({ kind: 'state', frame: PARTED });
    else expect(found.comparedFrames).toBeLessThanOrEqual(PARTED);
  } else if (!isCut) {
    expect(recordings.map(({ truncated }) => truncated)).toEqual([true]);
  }
}

describe('a recording of every kind of chunk', () => {
  it('is one, and its report leads to the fault while it is whole', () => {
    expect([...typesIn(files[0])].sort((a, b) => a - b)).toEqual(Object.values(ChunkType).sort((a, b) => a - b));
    const kinds = [
      'rollback',
      'stall',
      'delay',
      'link',
      'presence',
      'effect',
      'fact',
      'sample',
      'desync',
      'correction',
    ];
    expect(new Set(A.events.map(({ kind }) => kind))).toEqual(new Set([...kinds, 'work']));
    const [a, b] = readReport(report).map(readRecording);
    expect(compareRecordings(a!, b!, game)).toMatchObject({
      kind: 'state',
      frame: PARTED,
      fieldsFrame: PARTED + 1,
      fieldsFrom: 'keyframe',
      fields: [{ path: 'hash' }],
      replayAgreesWith: 'a',
    });
  });

  it('is refused in words or read as far as it goes, never wrongly, over 1,000 damages and a cut at any byte', () => {
    fc.assert(fc.property(damaged(files[0]), tryRecording), { numRuns: 1000 });
    expect(files[0].length).toBeGreaterThan(1000);
    for (let length = 0; length < files[0].length; length++) tryRecording(files[0].slice(0, length));
  });

  it('is so within a report too', () => {
    fc.assert(
      fc.property(damaged(report), (bytes) => tryReport(bytes, bytes.length < report.length)),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.nat(report.length - 1), (length) => tryReport(report.slice(0, length), true)),
      { numRuns: 1000 },
    );
  });

  it('is missed in a report whose count of recordings is damaged', () => {
    const [alone, other] = readReport(report.with(8, 1)).map(readRecording);
    expect(other).toBeUndefined();
    expect(alone!.problem).toBe(`${files[1].length + 4} bytes follow the end of the recording`);
  });
});

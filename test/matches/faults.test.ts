import {
  array,
  compareRecordings,
  defineGame,
  f64,
  type Game,
  Random,
  type Recording,
  RiposteError,
  random,
  readRecording,
  struct,
  u16,
  verify,
} from '@riposte/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { comparisonLines } from '../../client/src/recorder/difference-words.js';
import { recorded } from '../../client/testing/recorded.js';
import { mixerInput } from '../../shared/testing/mixer.js';
import { Pair } from '../simulation/pair.js';

const FRAMES = 700;

const state = struct({ x: f64, counts: array(4, u16), dice: random() });
type State = ReturnType<typeof state.create>;
type Input = ReturnType<typeof mixerInput.create>;

/** A game in which what goes wrong stays where it went wrong: so that the field that is named must be the one. */
const calm = defineGame({
  id: 'calm',
  version: '1',
  tickRate: 60,
  players: 2,
  input: mixerInput,
  state,
  step(now: State, inputs: readonly Input[]) {
    for (const [player, { a, b }] of inputs.entries()) {
      if (a) now.counts[player] = now.counts[player]! + 1;
      if (b) now.counts[2] = now.dice.below(1000);
    }
    now.x = inputs[0]!.c ? -1 : 0;
  },
});

/** The game on a machine where something else happens after the step. */
const faulty = (fault: (now: State, frame: number) => void): Game<State, Input> => ({
  ...calm,
  step(now, inputs, ctx) {
    calm.step(now, inputs, ctx);
    fault(now, ctx.frame);
  },
});

/** The recordings of two peers whose builds of the game differ: the same inputs, run by each. */
function recordingsOf(a: Game<State, Input>, b: Game<State, Input>): [Recording, Recording] {
  const [one, two] = [a, b].map((game, recordedBy) => readRecording(recorded(game, { frames: FRAMES, recordedBy })));
  return [one!, two!];
}

describe('a fault on one machine is found in its frame, with its field or its cause:', () => {
  it('one byte of the state, changed at a random frame on either side', () => {
    const anyFault = fc.record({
      frame: fc.nat(FRAMES - 2),
      at: fc.nat(state.byteLength - 1),
      mask: fc.integer({ min: 1, max: 255 }),
      isA: fc.boolean(),
    });
    fc.assert(
      fc.property(anyFault, ({ frame, at, mask, isA }) => {
        let path: string | undefined;
        const broken = faulty((now, running) => {
          if (running !== frame) return;
          const right = state.create();
          state.copy(now, right);
          const bytes = state.encode(now);
          bytes[at] = bytes[at]! ^ mask;
          state.decode(bytes, now);
          path = state.diff(right, now)[0]?.path;
        });
        const found = compareRecordings(...(isA ? recordingsOf(broken, calm) : recordingsOf(calm, broken)), calm);
        // The padding at a struct's end has no name, and is a difference all the same.
        expect(found).toMatchObject({
          kind: 'state',
          frame,
          fieldsFrame: frame + 1,
          replayAgreesWith: isA ? 'b' : 'a',
        });
        expect(found.fields.map((field) => field.path)).toEqual(path === undefined ? [] : [path]);
      }),
      { numRuns: 60 },
    );
  });

  it('a generator outside the state', () => {
    const drawing = (seed: number) => {
      const outside = new Random(new Int32Array(2), 0);
      outside.seed(seed);
      return faulty((now, frame) => {
        if (frame === 123) now.counts[3] = 1 + outside.below(60_000);
      });
    };
    const games = [drawing(1), drawing(2)] as const;
    const pair = new Pair<State, Input>({
      game: calm,
      games,
      inputs: [seededBot(mixerInput, 3), seededBot(mixerInput, 4)],
      link: { delayMs: 40, jitterMs: 10, lossRate: 0.05 },
      frames: FRAMES,
    });
    pair.runToEnd(60_000);
    for (const { session } of pair.peers) expect(session.desync).toEqual({ frame: 123 });
    const [a, b] = pair.recordings.map((writer) => readRecording(writer!.bytes()));
    const found = compareRecordings(a!, b!, drawing(3));
    expect(found).toMatchObject({ kind: 'state', frame: 123, fieldsFrame: 124, replayAgreesWith: 'neither' });
    expect(found.fields.map(({ path }) => path)).toEqual(['counts[3]']);
    for (const { events } of [a!, b!])
      expect(events).toContainEqual(expect.objectContaining({ kind: 'desync', of: 123 }));
  });

  it('a counter in the module, which a rematch goes on with, at frame 0', () => {
    let matches = 0;
    const counting: Game<State, Input> = {
      ...calm,
      init: () => {
        matches++;
      },
      step(now, inputs, ctx) {
        calm.step(now, inputs, ctx);
        now.counts[3] = matches;
      },
    };
    const record = (recordedBy: number) => readRecording(recorded(counting, { frames: FRAMES, recordedBy }));
    const first = record(0);
    const rematch = record(1);
    const found = compareRecordings(first, rematch, calm);
    expect(found).toMatchObject({ kind: 'state', frame: 0, replayAgreesWith: 'neither' });
    expect(found.fields).toEqual([{ path: 'counts[3]', a: 1, b: 2 }]);
  });

  it('-0 against 0', () => {
    const minus = faulty((now, frame) => {
      if (frame === 210) now.x = -0;
    });
    const zero = faulty((now, frame) => {
      if (frame === 210) now.x = 0;
    });
    const found = compareRecordings(...recordingsOf(minus, zero), zero);
    expect(found).toMatchObject({ kind: 'state', frame: 210, fieldsFrame: 211, replayAgreesWith: 'b' });
    expect(found.fields).toMatchObject([{ path: 'x', a: -0, b: 0 }]);
    expect([...comparisonLines(found)].join('\n')).toContain(
      'x: -0 in A, 0 in B (0 floats apart: 8000000000000000, 0000000000000000)',
    );
  });

  it('the last bits of Math.sin, on two engines that have others', () => {
    const sine = (last: number) =>
      faulty((now, frame) => {
        if (frame === 250) now.x = Math.sin(1) + last * 2 ** -53;
      });
    const on = (recording: Recording, engine: string, maths: number): Recording => {
      return { ...recording, header: { ...recording.header, engine, maths } };
    };
    const [a, b] = recordingsOf(sine(0), sine(1));
    const found = compareRecordings(on(a, 'V8', 1), on(b, 'SpiderMonkey', 2), sine(0));
    expect(found).toMatchObject({ kind: 'state', frame: 250, replayAgreesWith: 'a' });
    expect(found.engines).toEqual({ a: 'V8', b: 'SpiderMonkey' });
    expect(found.fields).toMatchObject([{ path: 'x', ulps: 1 }]);
    const words = [...comparisonLines(found)].join('\n');
    expect(words).toMatch(/ \(1 float apart: 3feaed548f090cee, 3feaed548f090cef\)\n/);
    expect(words).toContain(
      "the two engines differ in the last bits of Math: if the step calls Math.sin or the like, the game's maths is engine-dependent",
    );
  });

  it('logging that changes the state', () => {
    const lines: string[] = [];
    const logging = faulty((now, frame) => {
      if (frame === 320) lines.push(`next throw: ${now.dice.below(6)}`);
    });
    const found = compareRecordings(...recordingsOf(calm, logging), calm);
    expect(lines.length).toBeGreaterThan(0);
    expect(found).toMatchObject({ kind: 'state', frame: 320, fieldsFrame: 600, replayAgreesWith: 'a' });
    expect(found.fields.map(({ path }) => path)).toContain('dice');
  });

  it('a divergence that heals after 30 frames', () => {
    const healing = faulty((now, frame) => {
      if (frame >= 400 && frame < 430) now.counts[3] = 9;
      if (frame === 430) now.counts[3] = 0;
    });
    const [a, b] = recordingsOf(calm, healing);
    expect(a.hashes[FRAMES - 1]).toBe(b.hashes[FRAMES - 1]);
    const found = compareRecordings(a, b, calm);
    expect(found).toMatchObject({ kind: 'state', frame: 400, fieldsFrame: 401, replayAgreesWith: 'a' });
    expect(found.fields).toEqual([{ path: 'counts[3]', a: 0, b: 9 }]);
  });

  it('another seed, and another version', () => {
    const record = (game: Game<State, Input>, seed: number) => readRecording(recorded(game, { frames: 60, seed }));
    expect(compareRecordings(record(calm, 1), record(calm, 2), calm)).toMatchObject({
      kind: 'settings',
      frame: null,
      fields: [{ path: 'seed', a: 1, b: 2 }],
    });
    const other = { ...calm, version: '2' };
    expect(() => compareRecordings(record(calm, 1), record(other, 1))).toThrow('the game version is 1 in the first');
    expect(() => verify(other, record(calm, 1))).toThrow('version 2; expected 1');
  });
});

describe('a recording of a real match', () => {
  const pair = new Pair<State, Input>({
    game: calm,
    inputs: [seededBot(mixerInput, 3), seededBot(mixerInput, 4)],
    link: { delayMs: 60, jitterMs: 10, lossRate: 0.05 },
    frames: FRAMES,
  });
  pair.runToEnd(60_000);
  const writer = pair.recordings[0]!;
  writer.end('finished');
  const whole = writer.bytes();
  const sound = readRecording(whole);

  /** Refused in words, or a part of the match that is true as far as it goes, and says that it is one. */
  function expectTruth(bytes: Uint8Array): void {
    let recording: Recording;
    try {
      recording = readRecording(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(RiposteError);
      return;
    }
    expect(recording.truncated).toBe(true);
    expect(recording.problem).not.toBeNull();
    expect(recording.hashes).toEqual(sound.hashes.subarray(0, recording.frames));
    expect(recording.events).toEqual(sound.events.slice(0, recording.events.length));
    expect(verify(calm, recording)).toMatchObject({ ok: true, truncated: true, frames: recording.frames });
    expect(compareRecordings(sound, recording)).toMatchObject({ same: true, comparedFrames: recording.frames });
  }

  it('is whole, with events', () => {
    expect(verify(calm, sound)).toMatchObject({ ok: true, frames: FRAMES, truncated: false });
    expect(sound.events.filter(({ kind }) => kind === 'rollback').length).toBeGreaterThan(30);
  });

  it('tells nothing false when it is cut at any of 1,000 random bytes', () => {
    const cut = fc.nat(whole.length - 1).map((length) => whole.slice(0, length));
    fc.assert(fc.property(cut, expectTruth), { numRuns: 1000 });
  });

  it('tells nothing false after any of 1,000 random damages', () => {
    const damage = fc
      .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), fc.integer({ min: 0, max: 40 }))
      .map(([at, mask, count]) => {
        const bytes = whole.slice();
        bytes[at] = bytes[at]! ^ mask;
        return count === 0 ? bytes : Uint8Array.from([...bytes.subarray(0, at + 1), ...bytes.subarray(at + 1 + count)]);
      });
    fc.assert(fc.property(damage, expectTruth), { numRuns: 1000 });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineGame } from '../game/define-game.js';
import { initialState } from '../game/game.js';
import { buttons } from '../input/controls.js';
import { RollbackSim } from '../rollback/sim.js';
import { array, i32, u16 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { compareRecordings } from './compare.js';
import type { RecordingInfo } from './header.js';
import { type Recording, readRecording } from './reader.js';
import { verify } from './verify.js';
import { RecordingWriter } from './writer.js';

/** What is pressed moves one counter, and everything else follows from it. */
const counting = defineGame({
  id: 'counting',
  version: '1',
  tickRate: 60,
  players: 1,
  input: buttons('up'),
  state: struct({ total: i32, steps: array(3, u16) }),
  step(state, inputs, { frame }) {
    if (inputs[0]!.up) state.total = (Math.imul(state.total, 31) + frame) | 0;
    state.steps[frame % 3] = state.steps[frame % 3]! + 1;
  },
});
type Counting = typeof counting;
type State = ReturnType<Counting['state']['create']>;

const INFO: RecordingInfo = {
  gameId: 'counting',
  gameVersion: '1',
  tickRate: 60,
  players: 1,
  inputWords: 1,
  seed: 0,
  settings: {},
  inputDelays: [0],
  names: ['Ada'],
  recordedBy: 0,
  engine: 'test',
};

interface MatchOptions {
  readonly frames?: number;
  readonly firstFrame?: number;
  /** Changes the state that a frame's step has made, as a fault of that machine would. */
  readonly fault?: (frame: number, state: State) => void;
  /** Changes the bytes of the state that is recorded, as a fault of the recorder would. */
  readonly keyframe?: (frame: number, bytes: Uint8Array) => void;
  readonly init?: (state: State) => void;
  /** Records the state before this frame once the one after it is known, as a desync does. */
  readonly stateBefore?: number;
}

const press = (frame: number) => ((frame >> 3) * 7) % 3 === 0;

function recordMatch({ frames = 1500, firstFrame = 0, ...options }: MatchOptions = {}): Recording {
  const game: Counting = {
    ...counting,
    ...(options.init !== undefined && { init: options.init }),
    step(state, inputs, context) {
      counting.step(state, inputs, context);
      options.fault?.(context.frame, state);
    },
  };
  const sim = new RollbackSim(game);
  const writer = new RecordingWriter({ ...INFO, firstFrame });
  const words = new Int32Array(1);
  for (let frame = 0; frame <= frames; frame++) {
    if (frame >= firstFrame && writer.isKeyframeDue) {
      const bytes = game.state.encode(sim.stateAt(frame));
      options.keyframe?.(frame, bytes);
      writer.keyframe(bytes, sim.hashAt(frame));
    }
    if (frame === frames) break;
    words[0] = press(frame) ? 1 : 0;
    sim.putInput(0, frame, words, 0);
    sim.advance();
    if (frame >= firstFrame) writer.frame(words, sim.hashAt(frame + 1));
    if (frame === options.stateBefore) writer.state(frame, game.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
  }
  writer.end('time is up');
  return readRecording(writer.bytes());
}

/** A fault too large for one byte to explain it. */
const wild: NonNullable<MatchOptions['fault']> = (frame, state) => {
  if (frame === 700) state.total = (state.total ^ 0x01010101) | 0;
};

describe('keyframes', () => {
  it('give back any states, of whatever sizes, read in any order', () => {
    const states = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ max: 1, maxLength: 40 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(states, fc.infiniteStream(fc.nat(7)), (all, order) => {
        const writer = new RecordingWriter(INFO);
        for (const state of all) {
          writer.keyframe(state, 5);
          writer.frame(Int32Array.of(0), 5);
        }
        const { keyframes, problem } = readRecording(writer.bytes());
        expect(problem).toBeNull();
        expect(keyframes.map(({ byteLength }) => byteLength)).toEqual(all.map(({ length }) => length));
        for (let reads = 0; reads < 12; reads++) {
          const index = order.next().value % all.length;
          expect(keyframes[index]!.bytes()).toEqual(all[index]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are wanted at the first frame and at every 600th, also after a late start', () => {
    expect(recordMatch().keyframes.map(({ frame }) => frame)).toEqual([0, 600, 1200]);
    expect(recordMatch({ firstFrame: 601, frames: 1800 }).keyframes.map(({ frame }) => frame)).toEqual([
      601, 1200, 1800,
    ]);
  });

  it('are damage when a frame has two, or the hash is not that of the frame before; none comes after the end', () => {
    const twice = new RecordingWriter(INFO);
    twice.keyframe(Uint8Array.of(1), 5);
    twice.keyframe(Uint8Array.of(2), 5);
    expect(readRecording(twice.bytes()).problem).toContain('a keyframe at frame 0');
    const writer = new RecordingWriter(INFO);
    writer.frame(Int32Array.of(0), 6);
    writer.keyframe(Uint8Array.of(2), 5);
    expect(readRecording(writer.bytes()).problem).toContain('at frame 1 has another hash than the frame before');
    writer.end('left');
    expect(() => writer.keyframe(Uint8Array.of(2), 6)).toThrow('frame 1 comes after the end');
  });

  it('must begin a recording that starts late', () => {
    const writer = new RecordingWriter({ ...INFO, firstFrame: 40 });
    writer.frame(Int32Array.of(0), 6);
    const recording = readRecording(writer.bytes());
    expect(recording).toMatchObject({ firstFrame: 40, frames: 0, truncated: true });
    expect(recording.problem).toContain('starts at frame 40, without the state before it');
    expect(() => verify(counting, recording)).toThrow('the state before that frame is not in it');
  });
});

describe('verify', () => {
  it('runs a late recording from its first state', () => {
    const recording = recordMatch({ firstFrame: 601 });
    expect(verify(counting, recording)).toMatchObject({ ok: true, firstFrame: 601, frames: 899 });
    recording.hashes[99]! ^= 1;
    expect(verify(counting, recording)).toMatchObject({ ok: false, firstMismatch: { frame: 700 } });
  });

  it.each([600, 1200])('names the field of a state that was recorded wrongly at frame %i', (at) => {
    const keyframe = (frame: number, bytes: Uint8Array) => {
      if (frame === at) bytes.set([9, 9, 9, 9]);
    };
    // Of 1,200 frames, the state after the last one is recorded too.
    const { firstMismatch } = verify(counting, recordMatch({ frames: 1200, keyframe }));
    expect(firstMismatch).toMatchObject({ frame: at - 1, fieldsFrame: at, fieldsFrom: 'keyframe' });
    expect(firstMismatch!.fields).toMatchObject([{ path: 'total', recorded: 0x09090909 }]);
  });

  it('finds a wrong first state, of a match from its start and of a late one', () => {
    const late = recordMatch({ firstFrame: 601, keyframe: (frame, bytes) => bytes.set([frame === 601 ? 9 : 0], 3) });
    expect(verify(counting, late).firstMismatch).toMatchObject({ frame: 601, fieldsFrame: 601 });
    const counted = recordMatch({
      init: (state) => {
        state.steps[1] = 4;
      },
    });
    expect(verify(counting, counted).firstMismatch).toMatchObject({
      frame: 0,
      fieldsFrame: 0,
      fields: [{ path: 'steps[1]', recorded: 4, computed: 0 }],
    });
  });

  it('reads the fields of a large fault at the next keyframe, and those of a small one at once', () => {
    const small = (frame: number, { steps }: State) => {
      if (frame === 700) steps[2] = steps[2]! ^ 0x300;
    };
    const large = verify(counting, recordMatch({ fault: wild })).firstMismatch;
    expect(large).toMatchObject({ frame: 700, fieldsFrame: 1200, fieldsFrom: 'keyframe', fields: [{ path: 'total' }] });
    const found = verify(counting, recordMatch({ fault: small }));
    expect(found.firstMismatch).toMatchObject({
      frame: 700,
      fieldsFrame: 701,
      fieldsFrom: 'hash',
      fields: [{ path: 'steps[2]' }],
    });
    const [field] = found.firstMismatch!.fields;
    expect(Number(field!.recorded) ^ Number(field!.computed)).toBe(0x300);
    expect(verify(counting, recordMatch({ fault: wild, frames: 1100 })).firstMismatch).toMatchObject({
      frame: 700,
      fields: [],
      fieldsFrame: null,
    });
  });

  it('refuses a state of another shape than that of the game, in words', () => {
    const other = defineGame({ ...counting, state: struct({ total: i32, steps: array(9, u16) }) });
    expect(() => verify(other, recordMatch())).toThrow(/recorded at frame 0 is not one of the game given: \d+ bytes/);
  });
});

describe('compareRecordings', () => {
  const whole = recordMatch();

  it('compares a late recording over the frames that both hold', () => {
    const late = recordMatch({ firstFrame: 601, frames: 1400 });
    for (const pair of [
      [whole, late],
      [late, whole],
      [late, late],
    ] as const) {
      expect(compareRecordings(...pair, counting)).toMatchObject({
        same: true,
        comparedFrames: 799,
        replayAgreesWith: 'both',
      });
    }
    const early = recordMatch({ frames: 500 });
    expect(compareRecordings(early, late, counting)).toMatchObject({
      same: true,
      comparedFrames: 0,
      replayAgreesWith: null,
    });
  });

  it.each(['a', 'b'] as const)(
    'reads the fields at the first state that both hold after side %s went wrong',
    (side) => {
      const broken = recordMatch({ fault: wild, firstFrame: 601 });
      const [a, b] = side === 'a' ? [broken, whole] : [whole, broken];
      const found = compareRecordings(a, b, counting);
      const right = initialState(counting, { seed: 0, settings: {}, players: 1 });
      const wrong = counting.state.create();
      counting.state.decode(whole.keyframes[2]!.bytes(), right);
      counting.state.decode(broken.keyframes[1]!.bytes(), wrong);
      expect(found).toMatchObject({ kind: 'state', frame: 700, fieldsFrame: 1200, fieldsFrom: 'keyframe' });
      expect(found.replayAgreesWith).toBe(side === 'a' ? 'b' : 'a');
      expect(found.fields).toEqual([
        { path: 'total', a: side === 'a' ? wrong.total : right.total, b: side === 'a' ? right.total : wrong.total },
      ]);
    },
  );

  it('runs the sound side up to a state of the other one where it has none itself', () => {
    const bare = { ...whole, keyframes: [] };
    expect(compareRecordings(bare, recordMatch({ fault: wild }), counting)).toMatchObject({
      frame: 700,
      fieldsFrame: 1200,
      fields: [{ path: 'total' }],
    });
  });

  it('says so when the states are equal again at the next one that is recorded, and when there is none', () => {
    const fault = (frame: number, { steps }: State) => {
      const change = frame === 700 ? 0x0101 : frame === 703 ? -0x0101 : 0;
      for (let index = 0; index < 3; index++) steps[index] = steps[index]! + change;
    };
    const parted = { kind: 'state', frame: 700, fields: [] };
    expect(compareRecordings(whole, recordMatch({ fault }), counting)).toMatchObject({ ...parted, fieldsFrame: 1200 });
    expect(compareRecordings(whole, recordMatch({ fault, frames: 1100 }), counting)).toMatchObject({
      ...parted,
      fieldsFrame: null,
      fieldsFrom: null,
    });
  });

  it('finds first states that differ, before any frame', () => {
    const init = (state: State) => {
      state.total = 77_777;
    };
    expect(compareRecordings(whole, recordMatch({ init }), counting)).toMatchObject({
      kind: 'state',
      frame: 0,
      fieldsFrame: 0,
      fields: [{ path: 'total', a: 0, b: 77_777 }],
      replayAgreesWith: 'a',
    });
    expect(compareRecordings(recordMatch({ init, firstFrame: 601 }), whole, counting)).toMatchObject({
      kind: 'state',
      frame: 601,
      fieldsFrame: 601,
      fields: [{ path: 'total' }],
      replayAgreesWith: 'b',
    });
  });
});

describe('a state of an earlier frame', () => {
  /** Several bytes of the state go wrong, which no search finds by the hash. */
  const wild = (frame: number, state: State) => {
    if (frame === 700) state.total ^= 0x55aa_55aa;
  };

  it('is held among the others, at its place', () => {
    const { keyframes, problem } = recordMatch({ stateBefore: 701 });
    expect(problem).toBeNull();
    expect(keyframes.map(({ frame }) => frame)).toEqual([0, 600, 701, 1200]);
    expect(keyframes[2]!.bytes()).toHaveLength(keyframes[0]!.byteLength);
    expect(recordMatch({ stateBefore: 1200 }).keyframes.map(({ frame }) => frame)).toEqual([0, 600, 1200]);
  });

  it('names every field that differs right after the bad frame, whichever side holds it', () => {
    const sound = recordMatch();
    const broken = recordMatch({ fault: wild, stateBefore: 701 });
    const found = { kind: 'state', frame: 700, fieldsFrame: 701, fieldsFrom: 'keyframe', fields: [{ path: 'total' }] };
    expect(compareRecordings(sound, broken, counting)).toMatchObject({ ...found, replayAgreesWith: 'a' });
    expect(compareRecordings(broken, sound, counting)).toMatchObject({ ...found, replayAgreesWith: 'b' });
    expect(verify(counting, broken).firstMismatch).toMatchObject({ frame: 700, fieldsFrame: 701 });
  });

  it('is taken once, as where one parts from several others', () => {
    const writer = new RecordingWriter(INFO);
    for (let frame = 0; frame < 3; frame++) writer.frame(new Int32Array(1), frame);
    for (let other = 0; other < 2; other++) writer.state(2, new Uint8Array(4), 1);
    writer.end('finished');
    const { keyframes, frames, problem } = readRecording(writer.bytes());
    expect([keyframes.map(({ frame }) => frame), frames, problem]).toEqual([[2], 3, null]);
  });

  it('is refused by the writer, and damage to the reader, unless it is of a frame whose hash is held', () => {
    const writer = new RecordingWriter(INFO);
    const state = new Uint8Array(4);
    writer.frame(new Int32Array(1), 5);
    expect(() => writer.state(0, state, 5)).toThrow('frame is 0; expected an integer from 1 to 1');
    expect(() => writer.state(2, state, 5)).toThrow('frame is 2');
    writer.state(1, state, 6);
    expect(readRecording(writer.bytes()).problem).toBe('a state before frame 1 that the hashes before it do not have');
  });
});

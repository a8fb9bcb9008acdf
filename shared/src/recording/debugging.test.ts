import { describe, expect, it } from 'vitest';
import { defineGame } from '../game/define-game.js';
import type { Game } from '../game/game.js';
import { buttons } from '../input/controls.js';
import { RollbackSim } from '../rollback/sim.js';
import { array, random, u16, u32 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { compareRecordings } from './compare.js';
import type { RecordingInfo } from './header.js';
import { type Recording, readRecording } from './reader.js';
import { verify } from './verify.js';
import { RecordingWriter } from './writer.js';

const input = buttons('a', 'b');
const state = struct({ hash: u32, counts: array(2, u16), dice: random() });

/** Every input of every player changes the whole future. */
const mixer = defineGame({
  id: 'mixer',
  version: '1',
  tickRate: 60,
  players: 2,
  input,
  state,
  init(mixed, { settings: { start = 1 } }) {
    mixed.hash = Number(start);
  },
  step(mixed, inputs, ctx) {
    for (const [player, pressed] of inputs.entries()) {
      mixed.hash = Math.imul(mixed.hash ^ ((pressed.a ? 1 : 0) + (pressed.b ? 2 : 0) + player * 4 + 1), 0x9e3779b1);
      if (pressed.a) mixed.counts[player] = mixed.counts[player]! + 1;
      if (pressed.b) mixed.hash ^= mixed.dice.below(1000);
    }
    mixed.hash ^= ctx.frame;
  },
});

type Mixer = typeof mixer;
type Play = (frame: number, player: number) => number;

/** Changes every few frames, for each player another way. */
const play: Play = (frame, player) => (Math.imul((frame >> 2) + player * 77, 0x9e3779b1) >>> 30) & 3;

interface MatchOptions {
  readonly frames?: number;
  readonly seed?: number;
  readonly start?: number;
  readonly play?: Play;
  /** Changes the state that a frame's step has made, as a fault of that peer would. */
  readonly fault?: (frame: number, mixed: ReturnType<Mixer['state']['create']>) => void;
}

/** One peer's recording of a match. */
function recordMatch({ frames = 200, seed = 9, start = 5, fault, ...options }: MatchOptions = {}): Recording {
  const settings = { start };
  const info: RecordingInfo = {
    gameId: mixer.id,
    gameVersion: mixer.version,
    tickRate: mixer.tickRate,
    players: 2,
    inputWords: 1,
    seed,
    settings,
    inputDelays: [2, 2],
    names: ['Ada', 'Grace'],
    recordedBy: 0,
    engine: 'test',
  };
  const faulty: Mixer = {
    ...mixer,
    step(mixed, inputs, ctx) {
      mixer.step(mixed, inputs, ctx);
      fault?.(ctx.frame, mixed);
    },
  };
  const sim = new RollbackSim(faulty, { seed, settings });
  const writer = new RecordingWriter(info);
  const words = new Int32Array(2);
  for (let frame = 0; frame < frames; frame++) {
    for (let player = 0; player < 2; player++) {
      words[player] = (options.play ?? play)(frame, player);
      sim.putInput(player, frame, words, player);
    }
    sim.advance();
    writer.frame(words, sim.hashAt(frame + 1));
  }
  writer.end('time is up');
  return readRecording(writer.bytes());
}

const breakAt =
  (frame: number): NonNullable<MatchOptions['fault']> =>
  (now, mixed) => {
    if (now === frame) mixed.counts[1] = mixed.counts[1]! ^ 1;
  };

describe('verify', () => {
  it('finds every hash of a sound recording equal', () => {
    expect(verify(mixer, recordMatch())).toEqual({
      ok: true,
      firstFrame: 0,
      frames: 200,
      firstMismatch: null,
      truncated: false,
    });
  });

  it.each([0, 1, 59, 60, 123, 199])('finds one altered hash at exactly frame %i', (frame) => {
    const recording = recordMatch();
    const computed = recording.hashes[frame]!;
    recording.hashes[frame] = (computed ^ 0x100) >>> 0;
    const recorded = recording.hashes[frame]!;
    expect(verify(mixer, recording)).toMatchObject({
      ok: false,
      frames: 200,
      firstMismatch: { frame, recorded, computed, fields: [] },
    });
  });

  it('names the frame whose step made a fault', () => {
    expect(verify(mixer, recordMatch({ fault: breakAt(77) })).firstMismatch).toMatchObject({ frame: 77 });
  });

  it('refuses another game, version or input', () => {
    const recording = recordMatch();
    const refused = (part: Partial<Game<unknown, unknown>>) => () => {
      const other: Game<unknown, unknown> = { ...mixer, ...part };
      verify(other, recording);
    };
    expect(refused({ id: 'duel' })).toThrow('is of mixer 1, and the game given is duel 1: game duel; expected mixer');
    expect(refused({ version: '2' })).toThrow('version 2; expected 1');
    expect(refused({ tickRate: 50 })).toThrow('tick rate 50; expected 60');
  });

  it('says in which frame the game threw', () => {
    const throwing: Mixer = {
      ...mixer,
      step(mixed, inputs, ctx) {
        if (ctx.frame === 12) throw new Error('no such move');
        mixer.step(mixed, inputs, ctx);
      },
    };
    expect(() => verify(throwing, recordMatch())).toThrow('the game threw in frame 12: no such move');
  });
});

describe('compareRecordings', () => {
  it('finds two sound recordings the same, over the frames that both hold', () => {
    expect(compareRecordings(recordMatch(), recordMatch({ frames: 150 }), mixer)).toEqual({
      same: true,
      kind: null,
      frame: null,
      a: null,
      b: null,
      fields: [],
      fieldsFrame: null,
      fieldsFrom: null,
      comparedFrames: 150,
      replayAgreesWith: 'both',
    });
  });

  it('says that the replay agrees with neither when both have the same fault', () => {
    const twice = () => recordMatch({ fault: breakAt(50) });
    expect(compareRecordings(twice(), twice(), mixer)).toMatchObject({ same: true, replayAgreesWith: 'neither' });
  });

  it('takes another seed, and other settings, for the cause before all that follows', () => {
    expect(compareRecordings(recordMatch(), recordMatch({ seed: 10 }), mixer)).toEqual({
      same: false,
      kind: 'settings',
      frame: null,
      a: 'seed 9',
      b: 'seed 10',
      fields: [{ path: 'seed', a: 9, b: 10 }],
      fieldsFrame: null,
      fieldsFrom: null,
      comparedFrames: 200,
      replayAgreesWith: 'both',
    });
    const minus = compareRecordings(recordMatch({ start: 0 }), recordMatch({ start: -0, fault: breakAt(3) }), mixer);
    expect(minus).toMatchObject({
      kind: 'settings',
      a: 'settings.start 0',
      b: 'settings.start -0',
      replayAgreesWith: 'a',
    });
  });

  it('finds an input that was shifted by one frame, at the first frame where it shows', () => {
    const shifted: Play = (frame, player) => (player === 1 && frame > 99 ? play(frame - 1, 1) : play(frame, player));
    const frame = Array.from({ length: 200 }, (_, at) => at).find((at) => shifted(at, 1) !== play(at, 1))!;
    const found = compareRecordings(recordMatch(), recordMatch({ play: shifted }), mixer);
    expect(found).toMatchObject({ same: false, kind: 'inputs', frame, player: 1, replayAgreesWith: 'both' });
    expect([found.a, found.b]).toEqual(
      [play(frame, 1), play(frame - 1, 1)].map((word) => input.describe(Int32Array.of(word), 0)),
    );
    expect(compareRecordings(recordMatch(), recordMatch({ play: shifted })).a).toMatch(/^0000000[0-3]$/);
  });

  it.each(['a', 'b'] as const)('finds states that part from equal inputs, on side %s', (side) => {
    const sound = recordMatch();
    const broken = recordMatch({ fault: breakAt(120) });
    const [a, b] = side === 'a' ? [broken, sound] : [sound, broken];
    const found = compareRecordings(a, b, mixer);
    const replayAgreesWith = side === 'a' ? 'b' : 'a';
    expect(found).toMatchObject({
      same: false,
      kind: 'state',
      frame: 120,
      fieldsFrame: 121,
      fieldsFrom: 'hash',
      replayAgreesWith,
    });
    expect(found.fields).toMatchObject([{ path: 'counts[1]' }]);
    expect(found.a).toBe(a.hashes[120]!.toString(16).padStart(8, '0'));
    expect(found.b).toBe(b.hashes[120]!.toString(16).padStart(8, '0'));
    expect(found).not.toHaveProperty('player');
  });

  it('finds a parting that heals later at its first frame', () => {
    const fault: MatchOptions['fault'] = (frame, mixed) => {
      if (frame === 40 || frame === 70) mixed.counts[1] = mixed.counts[1]! ^ 0x8000;
    };
    const healed = recordMatch({ fault });
    expect(healed.hashes[199]).toBe(recordMatch().hashes[199]);
    expect(compareRecordings(recordMatch(), healed, mixer)).toMatchObject({ kind: 'state', frame: 40 });
  });

  it('is not misled by an input that differs after the states have parted', () => {
    const later: Play = (frame, player) => (frame === 90 ? 3 - play(frame, player) : play(frame, player));
    const broken = recordMatch({ play: later, fault: breakAt(60) });
    expect(compareRecordings(recordMatch(), broken, mixer)).toMatchObject({ kind: 'state', frame: 60 });
  });

  it('takes the input for the cause when both differ in one frame, and names the lowest player', () => {
    const other: Play = (frame, player) => (frame === 60 ? 3 - play(frame, player) : play(frame, player));
    const broken = recordMatch({ play: other, fault: breakAt(60) });
    expect(compareRecordings(recordMatch(), broken, mixer)).toMatchObject({ kind: 'inputs', frame: 60, player: 0 });
  });

  it('refuses recordings that are not of one match', () => {
    const other: Recording = recordMatch();
    const changed = { ...other, header: { ...other.header, gameVersion: '2' } };
    expect(() => compareRecordings(recordMatch(), changed)).toThrow(
      'the game version is 1 in the first and 2 in the second',
    );
  });
});

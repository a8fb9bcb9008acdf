import { Random, RollbackSim, replay, syncTest } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { aliasedState, jsnesGame, machineState, type Pad } from '../games/jsnes-game.js';

const FRAMES = 1200;
/** A frame takes about 2 ms on a quiet machine, and this suite shares its cores. */
const TIMEOUT_MS = 180_000;

const game = jsnesGame(machineState);

function randomOf(seed: number): Random {
  const random = new Random(new Int32Array(2), 0);
  random.seed(seed);
  return random;
}

/** Through the title to both playing, then anything but pause, changing every few frames. */
function padsOf(seed: number): Partial<Pad>[] {
  const random = randomOf(seed);
  const pads: Partial<Pad>[] = [];
  for (let frame = 0; frame < 180; frame++) pads.push({ start: frame % 30 < 4 });
  for (let frame = 180; frame < 240; frame++) pads.push({ a: frame % 20 < 4, b: frame % 20 < 4 });
  while (pads.length < FRAMES) {
    const [direction, turn] = [random.below(5), random.below(4)];
    const pad = { left: direction === 0, right: direction === 1, down: direction === 2, a: turn === 0, b: turn === 1 };
    for (let left = 3 + random.below(8); left > 0; left--) pads.push(pad);
  }
  return pads.slice(0, FRAMES);
}

const inputs = ((one, two) => one.map((pad, frame) => [pad, two[frame]!]))(padsOf(1), padsOf(2));

function hashesOf(played: readonly (readonly Partial<Pad>[])[]): number[] {
  const hashes: number[] = [];
  replay(game, played, { onState: (_frame, nes) => hashes.push(machineState.hash(nes)) });
  return hashes;
}

/** Plays the match on one peer, the other's inputs coming up to 4 frames late; the hash of every confirmed state. */
function playLate(sim: RollbackSim<ReturnType<typeof game.state.create>, Pad>): number[] {
  const random = randomOf(3);
  const hashes = [sim.hashAt(0)];
  let arrived = 0;
  while (sim.confirmedFrame < FRAMES - 1) {
    const frame = sim.lastFrame() + 1;
    if (frame < FRAMES) sim.predictStep({ 0: inputs[frame]![0]! });
    const until = frame < FRAMES ? frame - random.below(5) : FRAMES - 1;
    for (; arrived <= until; arrived++) sim.applyRemote(1, arrived, inputs[arrived]![1]!);
    sim.settle();
    while (hashes.length <= sim.confirmedFrame + 1) hashes.push(sim.hashAt(hashes.length));
  }
  return hashes;
}

describe('a console emulator nobody here wrote', () => {
  it(`equals replay over ${FRAMES} frames of a two-player match with late inputs`, { timeout: TIMEOUT_MS }, () => {
    const truth = hashesOf(inputs);
    const sim = new RollbackSim(game, { history: 16, maxPrediction: 8 });
    const hashes = playLate(sim);
    expect(hashes.findIndex((hash, frame) => hash !== truth[frame])).toBe(-1);
    expect(hashes).toHaveLength(FRAMES + 1);
    expect(new Set(hashes).size).toBeGreaterThan(800);
    expect(sim.stats.rollbacks).toBeGreaterThan(50);
    expect(sim.stats.resimulatedFrames).toBeGreaterThan(100);
    expect(sim.stats.maxRollbackFrames).toBeGreaterThan(1);
  });

  it('is moved by both players: neither sits on a title screen', { timeout: TIMEOUT_MS }, () => {
    const first = inputs.slice(0, 420);
    const without = (player: number) =>
      first.map((pads, frame) => pads.map((pad, seat) => (seat === player && frame >= 300 ? {} : pad)));
    const finals = [first, without(0), without(1)].map((played) => machineState.encode(replay(game, played)));
    expect(finals[1]).not.toEqual(finals[0]);
    expect(finals[2]).not.toEqual(finals[0]);
    expect(finals[2]).not.toEqual(finals[1]);
  });

  it('passes the sync test with its state by value', { timeout: TIMEOUT_MS }, () => {
    const result = syncTest(game, {
      frames: 40,
      distance: 2,
      inputs: (frame, player) => inputs[frame + 200]![player]!,
    });
    expect(result).toMatchObject({ ok: true, frames: 40, firstMismatch: null });
    expect(result.distinctStates).toBeGreaterThan(20);
  });

  it('has a save that keeps live memory caught by name, and without that goes wrong', { timeout: TIMEOUT_MS }, () => {
    const aliased = jsnesGame(aliasedState);
    const result = syncTest(aliased, { frames: 40, distance: 2, seed: 1 });
    expect(result.ok).toBe(false);
    expect(result.firstMismatch?.cause).toMatch(/^alias: /);

    const played = inputs.slice(0, 60);
    const sim = new RollbackSim(aliased, { history: 16 });
    for (const [frame, pads] of played.entries()) {
      sim.predictStep({ 0: pads[0]! });
      if (frame >= 3) sim.applyRemote(1, frame - 3, played[frame - 3]![1]!);
    }
    for (let frame = played.length - 3; frame < played.length; frame++) sim.applyRemote(1, frame, played[frame]![1]!);
    expect(sim.stats.rollbacks).toBeGreaterThan(0);
    expect(machineState.hash(sim.state)).not.toBe(machineState.hash(replay(game, played)));
  });
});

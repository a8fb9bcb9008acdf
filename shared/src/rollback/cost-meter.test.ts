import { describe, expect, it } from 'vitest';
import { mixer, press } from '../../testing/mixer.js';
import { defineGame } from '../game/define-game.js';
import type { StateModel } from '../state/model.js';
import { RollbackSim } from './sim.js';

type State = ReturnType<typeof mixer.state.create>;

/** The mixer's state, with a word at each save. */
function watchedModel(onSave: () => void): StateModel<State> {
  const { state } = mixer;
  return {
    create: () => state.create(),
    createSnapshot: () => {
      const snapshot = state.createSnapshot();
      return {
        save: (from) => {
          onSave();
          snapshot.save(from);
        },
        load: (into) => snapshot.load(into),
        hash: () => snapshot.hash(),
      };
    },
    copy: (from, into) => state.copy(from, into),
    hash: (from) => state.hash(from),
    diff: (a, b) => state.diff(a, b),
    encode: (from) => state.encode(from),
    decode: (bytes, into) => state.decode(bytes, into),
    seed: (into, seed) => state.seed(into, seed),
  };
}

describe('a sim with a clock', () => {
  /** A game whose steps and saves take a said time, on a clock of its own. */
  function slowSim(stepMs: number, saveMs: number, depth: number) {
    let nowMs = 0;
    const game = defineGame({
      ...mixer,
      state: watchedModel(() => {
        nowMs += saveMs;
      }),
      step(state, inputs, ctx) {
        nowMs += stepMs;
        mixer.step(state, inputs, ctx);
      },
    });
    const sim = new RollbackSim(game, { clock: () => nowMs });
    const spentMs: number[] = [];
    for (let frame = 0; frame < 600; frame++) {
      const startMs = nowMs;
      while (sim.lastFrame() < frame && !sim.predictStep({ 0: press(frame & 7) })) {
        sim.applyRemote(1, sim.confirmedThrough(1) + 1, press((sim.confirmedThrough(1) + 1) & 7));
      }
      spentMs.push(nowMs - startMs);
      if (frame - depth > sim.confirmedThrough(1)) sim.applyRemote(1, frame - depth, press((frame - depth) & 7));
    }
    return { sim, spentMs };
  }

  it('measures a game that is too slow for its window, and predicts fewer frames so that a tick keeps its budget', () => {
    const { sim, spentMs } = slowSim(1.5, 0.5, 8);
    expect(sim.stats.stepMs).toBeCloseTo(1.5);
    expect(sim.stats.saveMs).toBeCloseTo(0.5);
    expect(sim.stats.window).toBe(3);
    expect(sim.maxPrediction).toBe(8);
    expect(sim.stats.rollbacks).toBeGreaterThan(100);
    expect(Math.max(...spentMs.slice(60))).toBeLessThan(1000 / 60);
  });

  it('leaves the window of a fast game as it is', () => {
    expect(slowSim(0.01, 0.001, 8).sim.stats.window).toBe(8);
  });

  it('saves fewer frames where saving is what costs, and every frame where the step is', () => {
    const costly = slowSim(0.01, 0.1, 8);
    const cheap = slowSim(0.1, 0.01, 8);
    const mean = (values: readonly number[]) => values.slice(-200).reduce((sum, value) => sum + value, 0) / 200;
    // Nine saves a tick become two; without a choice it would be nine times 0.11.
    expect(mean(costly.spentMs)).toBeLessThan(0.4);
    expect(mean(cheap.spentMs)).toBeLessThan(1.05);
    expect(costly.sim.stats.rollbacks).toBeGreaterThan(400);
  });
});

import { buttons, defineGame, RollbackSim, struct, u8, u16 } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { LocalInput } from '../../client/src/session/local-input.js';
import { Pair } from '../simulation/pair.js';

/** Counts presses: frames in which a button is down that was up in the frame before. */
const taps = defineGame({
  id: 'taps',
  version: '1',
  tickRate: 60,
  players: 1,
  input: buttons('a', 'b'),
  state: struct({ held: u8, a: u16, b: u16 }),
  step(state, [input]) {
    const held = (input!.a ? 1 : 0) | (input!.b ? 2 : 0);
    if ((held & ~state.held & 1) !== 0) state.a++;
    if ((held & ~state.held & 2) !== 0) state.b++;
    state.held = held;
  },
});

describe('a local input', () => {
  /** Feeds samples, one a tick, with the delay that `delayAt` says; a tick in `stalls` does not advance. */
  function run(samples: readonly number[], delayAt: (tick: number) => number, stalls: ReadonlySet<number> = new Set()) {
    const sim = new RollbackSim(taps, { players: 1 });
    const local = new LocalInput(sim, 0, delayAt(0));
    for (const [tick, sample] of [...samples, ...new Array<number>(60).fill(0)].entries()) {
      local.inputDelay = delayAt(tick);
      const words = Int32Array.of(sample);
      if (stalls.has(tick)) {
        local.keep(words);
        continue;
      }
      local.place(sim.lastFrame() + 1, words);
      sim.advance();
    }
    return sim.state;
  }

  it('plays a press once, whatever the delay and however it grows', () => {
    for (const [from, to] of [
      [0, 0],
      [3, 3],
      [0, 5],
      [2, 15],
    ] as const) {
      const state = run([0, 0, 1, 1, 1, 0, 0, 2, 0, 0], (tick) => (tick < 3 ? from : to));
      expect([state.a, state.b]).toEqual([1, 1]);
    }
  });

  it('loses no press when the delay shrinks onto frames that were sent, nor in ticks that cannot advance', () => {
    const state = run([0, 0, 0, 1, 0, 2, 0, 0], (tick) => (tick < 3 ? 6 : 0));
    expect([state.a, state.b]).toEqual([1, 1]);
    const stalled = run([0, 1, 0, 2, 0], () => 1, new Set([1, 2, 3]));
    expect([stalled.a, stalled.b]).toEqual([1, 1]);
  });

  it('plays at least one press and at most as many as were made, for any samples, delays and stalls', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(15), { minLength: 1, maxLength: 5 }),
        fc.uniqueArray(fc.nat(39), { maxLength: 12 }),
        (samples, delays, stalls) => {
          const state = run(samples, (tick) => delays[Math.floor(tick / 9) % delays.length]!, new Set(stalls));
          for (const [bit, played] of [
            [1, state.a],
            [2, state.b],
          ] as const) {
            const made = samples.filter(
              (sample, at) => (sample & bit) !== 0 && ((samples[at - 1] ?? 0) & bit) === 0,
            ).length;
            expect(played).toBeLessThanOrEqual(made);
            if (made > 0) expect(played).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('two sessions whose input delays change', () => {
  it('go on without a desync, and each sees the other’s delay', () => {
    const pair = new Pair({
      game: duel,
      link: { delayMs: 50, jitterMs: 10, lossRate: 0.05 },
      inputs: [seededBot(duel.input, 3), seededBot(duel.input, 4)],
      inputDelay: 2,
      frames: 1500,
    });
    for (const [at, delay] of [8, 0, 15, 3].entries()) {
      pair.run(3000);
      pair.peers[at % 2]!.session.setInputDelay(delay);
      pair.run(1000);
      expect(pair.peers[at % 2]!.session.driver!.local.inputDelay).toBe(delay);
      expect(pair.peers[1 - (at % 2)]!.session.running!.peerInputDelay).toBe(delay);
    }
    expect(() => pair.peers[0].session.setInputDelay(16)).toThrow('inputDelay is 16');
    pair.runToEnd(30_000);
    for (const { session } of pair.peers) {
      expect(session.desync).toBeNull();
      expect(session.comparedFrames).toBe(1500);
      expect(session.sim!.stats.rollbacks).toBeGreaterThan(20);
    }
  });

  it('follow a link that gets slower, a frame at a time, and a better one only after a while', () => {
    const pair = new Pair({
      game: duel,
      link: { delayMs: 10, jitterMs: 0, lossRate: 0 },
      inputs: [seededBot(duel.input, 3), seededBot(duel.input, 4)],
      inputDelay: 'auto',
    });
    const delays = () => pair.peers.map(({ session }) => session.driver!.local.inputDelay);
    pair.run(5000);
    expect(delays()).toEqual([1, 1]);
    pair.setLink({ delayMs: 120, jitterMs: 0, lossRate: 0 });
    pair.run(12_000);
    expect(delays()).toEqual([4, 4]);
    pair.setLink({ delayMs: 10, jitterMs: 0, lossRate: 0 });
    pair.run(6000);
    expect(delays()).toEqual([4, 4]);
    pair.run(40_000);
    expect(delays()).toEqual([1, 1]);
    for (const { session } of pair.peers) expect(session.desync).toBeNull();
  });
});

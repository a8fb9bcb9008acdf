import { RollbackSim } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { island } from '../../../test/games/island.js';
import { DisplayedThings, type ThingsOptions } from './displayed-things.js';
import { stateAfter } from './state-after.js';

interface Cart {
  x: number;
  doors: number;
}

const options: ThingsOptions<Cart> = {
  snapDistance: 50,
  maxBlendFrames: 12,
  tickRate: 60,
  positions: ({ x }) => [x],
  teleports: (before, after) => before.doors !== after.doors,
};
const FRAME_MS = 1000 / 60;

/** A past that may be written anew: the state after each frame. */
function timeline(...states: Cart[]) {
  return { states, stateAfter: (frame: number) => states[frame] };
}

function show(things: DisplayedThings<Cart>, { states, stateAfter }: ReturnType<typeof timeline>, nowMs: number) {
  const frame = states.length - 1;
  return things.show(states[frame]!, { nowMs, frame, alpha: 0, stateAfter })[0]!;
}

const at = (x: number, doors = 0): Cart => ({ x, doors });

describe('DisplayedThings', () => {
  it('shows steps as they are', () => {
    const things = new DisplayedThings(options);
    const past = timeline(at(0));
    expect(show(things, past, 0)).toBe(0);
    for (let tick = 1; tick < 10; tick++) {
      past.states.push(at(tick * 30));
      expect(show(things, past, tick * FRAME_MS)).toBe(tick * 30);
    }
  });

  it('blends what was corrected, and only that, while the thing goes on', () => {
    const things = new DisplayedThings(options);
    const past = timeline(at(0), at(3));
    show(things, past, 0);
    // The frame that was shown turns out otherwise, and the game ticked meanwhile.
    past.states[1] = at(15);
    past.states.push(at(18), at(21));
    const first = show(things, past, FRAME_MS);
    expect(first).toBeGreaterThan(3);
    expect(first).toBeLessThan(21);
    for (let tick = 2; tick < 20; tick++) {
      past.states.push(at(21 + (tick - 1) * 3));
      const left = past.states.at(-1)!.x - show(things, past, tick * FRAME_MS);
      expect(left).toBeGreaterThanOrEqual(0);
      if (tick > 14) expect(left).toBe(0);
    }
  });

  it('corrects a picture whose frame did not change', () => {
    const things = new DisplayedThings(options);
    const past = timeline(at(0));
    show(things, past, 0);
    past.states[0] = at(10);
    expect(show(things, past, 1)).toBeLessThan(1);
    expect(show(things, past, 500)).toBe(10);
  });

  it('neither blends nor interpolates a door of the game, also in the middle of a blend', () => {
    const things = new DisplayedThings(options);
    const past = timeline(at(0));
    show(things, past, 0);
    past.states[0] = at(20);
    expect(show(things, past, 10)).toBeLessThan(20);
    past.states.push(at(-400, 1));
    expect(show(things, past, 20)).toBe(-400);
  });

  it('shows the logic itself to those who asked for less motion, and after a long absence', () => {
    const things = new DisplayedThings(options);
    const past = timeline(at(0));
    show(things, past, 0);
    past.states[0] = at(10);
    const [still] = things.show(past.states[0]!, { nowMs: 1, frame: 0, alpha: 0.5, still: true, ...past });
    expect(still).toBe(10);
    while (past.states.length < 30) past.states.push(at(past.states.length * 100));
    expect(show(things, past, 900)).toBe(2900);
  });

  it('interpolates on a screen that is faster than the game, and there alone', () => {
    const things = new DisplayedThings(options);
    const draw = (perTick: number): number[] => {
      const seen: number[] = [];
      const past = timeline(at(0));
      for (let picture = 1; picture < 200; picture++) {
        const tick = Math.floor(picture / perTick);
        while (past.states.length <= tick) past.states.push(at(past.states.length * 10));
        const nowMs = (picture * FRAME_MS) / perTick;
        const alpha = (picture % perTick) / perTick;
        seen.push(things.show(past.states[tick]!, { nowMs, frame: tick, alpha, stateAfter: past.stateAfter })[0]!);
      }
      return seen.slice(-8).map((each, index, all) => each - (all[index - 1] ?? each));
    };
    expect(draw(1).slice(1)).toEqual([10, 10, 10, 10, 10, 10, 10]);
    for (const moved of draw(4).slice(1)) expect(moved).toBeCloseTo(2.5);
  });

  it('shows the same at equal times at 30, 60, 144 and 240 pictures a second, of a match that is corrected', () => {
    const shownAt = (hertz: number) => {
      const things = new DisplayedThings({
        snapDistance: 400,
        maxBlendFrames: 30,
        tickRate: 60,
        positions: (state: ReturnType<typeof island.state.create>) => [...state.players].map(({ x }) => x),
      });
      const sim = new RollbackSim(island, { maxPrediction: 20 });
      const offsets = new Map<number, number>();
      let tick = 0;
      for (let picture = 0; picture <= hertz * 3; picture++) {
        const nowMs = (picture * 1000) / hertz;
        for (; tick * FRAME_MS <= nowMs + 1e-9; tick++) {
          // The other player's inputs come in thirties of a second, 10 frames late: before the first tick of a slow screen.
          if (tick >= 11 && tick % 2 === 1) {
            for (const frame of [tick - 11, tick - 10])
              sim.applyRemote(1, frame, { left: Math.floor(frame / 9) % 2 === 0 });
          }
          sim.predictStep({ 0: {} });
        }
        const frame = sim.lastFrame();
        const alpha = Math.max(0, nowMs / FRAME_MS - frame);
        const moment = { nowMs, frame, alpha, stateAfter: (each: number) => stateAfter(sim, each) };
        const shown = things.show(sim.state, moment)[1]!;
        // At the moment of a tick, a fast screen shows the one before.
        const logical = hertz > 60 ? sim.stateAt(frame) : sim.state;
        if (picture % (hertz / 6) === 0 && nowMs > 1000) offsets.set(Math.round(nowMs), shown - logical.players[1]!.x);
      }
      return offsets;
    };
    const reference = shownAt(144);
    expect([...reference.values()].filter((offset) => Math.abs(offset) > 1).length).toBeGreaterThan(3);
    for (const hertz of [30, 60, 240]) {
      for (const [ms, offset] of shownAt(hertz)) {
        const right = reference.get(ms)!;
        expect([ms, Math.abs(offset - right) <= Math.abs(right) * 0.01 + 0.01]).toEqual([ms, true]);
      }
    }
  });
});

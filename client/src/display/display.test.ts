import { planCorrection } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { DisplayedPosition } from './displayed-position.js';
import { interpolate, interpolateAngle, shortestTurn } from './interpolation.js';

const options = { snapDistance: 10, maxBlendFrames: 12, tickRate: 60 };
const FRAME_MS = 1000 / 60;

describe('DisplayedPosition', () => {
  it('moves the picture from what it shows to what is right, in the planned time and never back', () => {
    const display = new DisplayedPosition({ x: 0, y: 0 }, options);
    const plan = display.correct({ x: 3, y: 4 }, 1000);
    expect(plan).toEqual(planCorrection({ x: 0, y: 0 }, { x: 3, y: 4 }, options));
    expect(display.shown(1000)).toEqual({ x: 0, y: 0 });
    expect(display.logical).toEqual({ x: 3, y: 4 });
    let last = 0;
    for (let ms = 1; ms < plan.blendMs; ms++) {
      const { x, y } = display.shown(1000 + ms);
      expect(x).toBeGreaterThan(last);
      expect(y / x).toBeCloseTo(4 / 3);
      last = x;
    }
    expect(display.shown(1000 + plan.blendMs)).toEqual({ x: 3, y: 4 });
    expect(display.shown(9000)).toEqual({ x: 3, y: 4 });
  });

  it('shows the same at equal times on screens of 30, 60 and 144 Hz', () => {
    const shownAt = (hertz: number) => {
      const display = new DisplayedPosition(0, { ...options, maxBlendFrames: 30 });
      const seen = new Map<number, number>();
      let tick = 0;
      // All three screens draw every sixth of a second; the game ticks and is corrected at its own times.
      for (let picture = 0; picture <= hertz; picture++) {
        const nowMs = (picture * 1000) / hertz;
        for (; tick * FRAME_MS <= nowMs + 1e-9; tick++) {
          display.step(display.logical + 0.5);
          if (tick % 14 === 5) display.correct(display.logical - 4, tick * FRAME_MS);
        }
        const offset = display.shown(nowMs) - display.logical;
        if (picture % (hertz / 6) === 0) seen.set(Math.round(nowMs), offset);
      }
      return seen;
    };
    const reference = shownAt(144);
    expect([...reference.values()].filter((offset) => offset > 0.1).length).toBeGreaterThan(3);
    for (const hertz of [30, 60]) {
      const seen = shownAt(hertz);
      expect([...seen.keys()]).toEqual([...reference.keys()]);
      for (const [ms, offset] of seen) {
        const right = reference.get(ms)!;
        expect(Math.abs(offset - right)).toBeLessThanOrEqual(Math.abs(right) * 0.01 + 1e-9);
      }
    }
  });

  it('plans anew from what is shown when a correction comes during a blend', () => {
    const display = new DisplayedPosition(0, options);
    display.correct(8, 0);
    const midMs = 60;
    const shown = display.shown(midMs);
    expect(shown).toBeGreaterThan(1);
    const plan = display.correct(5, midMs);
    expect(plan).toEqual(planCorrection(shown, 5, options));
    expect(display.shown(midMs)).toBeCloseTo(shown);
    expect(display.shown(midMs + plan.blendMs)).toBe(5);
  });

  it('snaps from the snap distance on', () => {
    const display = new DisplayedPosition(0, options);
    expect(display.correct(10, 0).mode).toBe('snap');
    expect(display.shown(0)).toBe(10);
  });

  it('merges a train of small corrections into one slow movement, without trembling', () => {
    const display = new DisplayedPosition(0, options);
    let previous = display.shown(0);
    let largest = 0;
    for (let tick = 0; tick < 60; tick++) {
      // The prediction is wrong by one, forth and back.
      display.correct(tick % 2, tick * FRAME_MS);
      const shown = display.shown((tick + 0.9) * FRAME_MS);
      // The first correction stands alone, and is blended as such.
      if (tick > 3) largest = Math.max(largest, Math.abs(shown - previous));
      previous = shown;
    }
    // The first tick is right, and the first correction has none to join.
    expect(display.merged).toBe(58);
    expect(largest).toBeLessThan(0.25);
    expect(display.shown(90 * FRAME_MS)).toBe(1);
  });

  it('goes through no wall: a teleport during a blend ends it, and nothing lies between its ends', () => {
    const display = new DisplayedPosition({ x: 0, y: 0 }, options);
    display.correct({ x: 6, y: 0 }, 0);
    expect(display.shown(10).x).toBeLessThan(6);
    display.teleport({ x: 9, y: 2 });
    for (const alpha of [0, 0.3, 1]) expect(display.shown(20, alpha)).toEqual({ x: 9, y: 2 });
    display.step({ x: 10, y: 2 });
    expect(display.shown(30, 0.5)).toEqual({ x: 9.5, y: 2 });
  });

  it('interpolates between ticks, and keeps a correction out of that movement', () => {
    const display = new DisplayedPosition(0, options);
    display.step(2);
    expect([0, 0.25, 1, 7].map((alpha) => display.shown(0, alpha))).toEqual([0, 0.5, 2, 2]);
    display.correct(5, 0);
    expect([0, 0.5, 1].map((alpha) => display.shown(0, alpha))).toEqual([0, 1, 2]);
    expect([0, 0.5, 1].map((alpha) => display.shown(5000, alpha))).toEqual([3, 4, 5]);
    display.correct(5, 6000, 1);
    expect(display.shown(6000, 0.5)).toBe(3);
  });

  it('turns angles the shorter way round', () => {
    const display = new DisplayedPosition(3, { ...options, snapDistance: 2, angle: true });
    const plan = display.correct(-3, 0);
    expect(plan.error).toBeCloseTo(2 * Math.PI - 6);
    expect(plan.target).toBe(-3);
    for (let ms = 0; ms <= plan.blendMs; ms++) expect(Math.abs(display.shown(ms))).toBeGreaterThan(2.99);
    expect(display.shown(plan.blendMs)).toBe(-3);
  });

  it('refuses what is not finite, and options by name', () => {
    const display = new DisplayedPosition({ x: 1, y: 1 }, options);
    expect(() => display.step({ x: Number.NaN, y: 0 })).toThrow(TypeError);
    expect(() => display.correct({ x: 0, y: Number.POSITIVE_INFINITY }, 0)).toThrow(TypeError);
    // @ts-expect-error: another kind of position.
    expect(() => display.step({ x: 0 })).toThrow('1 coordinates; expected 2');
    expect(() => display.shown(Number.NaN)).toThrow(TypeError);
    expect(display.shown(0)).toEqual({ x: 1, y: 1 });
    expect(() => new DisplayedPosition(0, { ...options, snapDistance: 0 })).toThrow(RangeError);
    expect(() => new DisplayedPosition({ x: 0 }, { ...options, angle: true })).toThrow(TypeError);
  });
});

describe('interpolate', () => {
  it('gives what lies between, and the end exactly', () => {
    expect(interpolate({ x: 0, y: 10 }, { x: 4, y: 20 }, 0.25)).toEqual({ x: 1, y: 12.5 });
    expect(interpolate([0.1, 0.2], [0.7, 0.9], 1)).toEqual([0.7, 0.9]);
    expect(interpolate(2, 4, -1)).toBe(2);
    expect(interpolateAngle(3, -3, 0.5)).toBeCloseTo(Math.PI);
    expect(interpolateAngle(0.5, 1, 0.5)).toBeCloseTo(0.75);
    expect(shortestTurn(Math.PI * 5)).toBeCloseTo(Math.PI);
    expect(shortestTurn(-Math.PI)).toBe(Math.PI);
  });
});

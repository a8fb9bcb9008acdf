import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeReconcile, type Position, planCorrection } from './correction.js';

const options = { snapDistance: 10, maxBlendFrames: 8, tickRate: 60 };

describe('planCorrection', () => {
  it('does nothing, blends or snaps, by the Euclidean distance', () => {
    const at = (x: number, y: number) => planCorrection({ x: 0, y: 0 }, { x, y }, options);
    expect(at(0, 0)).toEqual({ mode: 'none', error: 0, blendFrames: 0, blendMs: 0, target: { x: 0, y: 0 } });
    expect(at(3, 4)).toEqual({
      mode: 'blend',
      error: 5,
      blendFrames: 4,
      blendMs: (4 * 1000) / 60,
      target: { x: 3, y: 4 },
    });
    expect(at(6, 8)).toEqual({ mode: 'snap', error: 10, blendFrames: 0, blendMs: 0, target: { x: 6, y: 8 } });
    expect(at(60, 80).mode).toBe('snap');
    expect(at(0.001, 0).blendFrames).toBe(1);
    expect(at(9.99, 0).blendFrames).toBe(8);
  });

  it('takes numbers and lists as well', () => {
    expect(planCorrection(5, 2, options)).toMatchObject({ mode: 'blend', error: 3, blendFrames: 3, target: 2 });
    expect(planCorrection([0, 0, 0], [2, 3, 6], options)).toMatchObject({ error: 7, target: [2, 3, 6] });
    expect(planCorrection({ x: 1e200 }, { x: -1e200 }, options)).toMatchObject({ mode: 'snap', error: 2e200 });
  });

  it('blends over at least one frame and at most all, longer for more', () => {
    const distance = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(distance, distance, (first, second) => {
        const [less, more] = [Math.min(first, second), Math.max(first, second)].map((x) =>
          planCorrection(0, x, options),
        );
        if (more!.mode === 'blend') expect(more!.blendFrames).toBeGreaterThanOrEqual(less!.blendFrames);
        for (const plan of [less!, more!]) {
          if (plan.mode !== 'blend') continue;
          expect(plan.blendFrames).toBe(Math.min(8, Math.max(1, Math.ceil((plan.error / 10) * 8))));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuses positions with TypeError and options with RangeError', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => planCorrection({ x: bad, y: 0 }, { x: 0, y: 0 }, options)).toThrow(TypeError);
      expect(() => planCorrection({ x: 0, y: 0 }, { x: 0, y: bad }, options)).toThrow(`corrected.y is ${bad}`);
    }
    expect(() => planCorrection<Position>(1, { x: 0, y: 0 }, options)).toThrow(TypeError);
    for (const change of [
      { snapDistance: 0 },
      { snapDistance: -1 },
      { snapDistance: Number.NaN },
      { maxBlendFrames: 0 },
      { maxBlendFrames: 1.5 },
      { maxBlendFrames: -2 },
      { tickRate: 0 },
    ]) {
      expect(() => planCorrection(0, 1, { ...options, ...change }), JSON.stringify(change)).toThrow(RangeError);
    }
  });
});

describe('describeReconcile', () => {
  it('gives one line', () => {
    const result = { sequence: 101, error: 0.1, dropped: 1, replayed: 2, pending: 2 };
    const counts = 'acknowledged up to 101: dropped 1, replayed 2, error 0.10';
    expect(describeReconcile(result, planCorrection(0, 3, options))).toBe(`${counts}, blend 3 frames (50 ms)`);
    expect(describeReconcile(result, planCorrection(0, 0.1, options))).toBe(`${counts}, blend 1 frame (17 ms)`);
    expect(describeReconcile(result, planCorrection(0, 30, options))).toBe(`${counts}, snap`);
    expect(describeReconcile(result, planCorrection(0, 0, options))).toBe(`${counts}, display unchanged (none)`);
    const pure = { ackSequence: 3, dropped: 0, replayed: 1 };
    expect(describeReconcile(pure, planCorrection(0, 3, options))).toContain(
      'up to 3: dropped 0, replayed 1, error 3.00',
    );
  });
});

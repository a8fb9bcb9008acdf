import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixed } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { FX_ONE, fxFrom, fxTo } from './fixed.js';
import { fxAddVector, fxDot, fxLength, fxResize, fxRotate, fxScale, fxSet, fxSubVector } from './vector.js';

const part = fc.integer({ min: -2000 * FX_ONE, max: 2000 * FX_ONE });
const vector = fc.record({ x: part, y: part });

describe('fixed vectors', () => {
  it('add, subtract, scale and measure as their parts do', () => {
    const a = { x: fxFrom(3), y: fxFrom(-4) };
    const b = { x: fxFrom(0.5), y: fxFrom(2) };
    const into = { x: 0, y: 0 };
    fxAddVector(into, a, b);
    expect([fxTo(into.x), fxTo(into.y)]).toEqual([3.5, -2]);
    fxSubVector(into, a, b);
    expect([fxTo(into.x), fxTo(into.y)]).toEqual([2.5, -6]);
    fxScale(into, a, fxFrom(1.5));
    expect([fxTo(into.x), fxTo(into.y)]).toEqual([4.5, -6]);
    expect([fxTo(fxDot(a, b)), fxTo(fxLength(a))]).toEqual([-6.5, 5]);
  });

  it('write into a part of a state, also when it is an operand', () => {
    const model = struct({ place: { x: fixed, y: fixed }, speed: { x: fixed, y: fixed } });
    const state = model.create();
    fxSet(state.speed, fxFrom(2), fxFrom(1));
    fxAddVector(state.place, state.place, state.speed);
    fxAddVector(state.place, state.place, state.speed);
    expect([fxTo(state.place.x), fxTo(state.place.y)]).toEqual([4, 2]);
  });

  it('keep the length when turned, and the direction when resized', () => {
    fc.assert(
      fc.property(vector, fc.integer({ min: -10 * FX_ONE, max: 10 * FX_ONE }), (a, angle) => {
        const into = { x: 0, y: 0 };
        fxRotate(into, a, angle);
        const length = Math.sqrt(fxTo(a.x) ** 2 + fxTo(a.y) ** 2);
        expect(Math.abs(Math.sqrt(fxTo(into.x) ** 2 + fxTo(into.y) ** 2) - length)).toBeLessThan(0.05 + length * 2e-5);
        fxResize(into, a, fxFrom(10));
        if (length < 1) return;
        expect(fxTo(fxLength(into))).toBeCloseTo(10, 2);
        expect(Math.abs(fxTo(into.x) * length - fxTo(a.x) * 10)).toBeLessThan(0.01 * length);
      }),
    );
    const into = { x: 5, y: 5 };
    fxResize(into, { x: 0, y: 0 }, FX_ONE);
    expect(into).toEqual({ x: 0, y: 0 });
  });
});

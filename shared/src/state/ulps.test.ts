import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ulpsBetween, ulpsBetween32 } from './ulps.js';

/** The place of a float among all floats in order, by whole numbers. */
function placeOf(value: number): bigint {
  const bits = new BigInt64Array(new Float64Array([value]).buffer)[0];
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
}

it('ulpsBetween counts the floats between two numbers', () => {
  expect(ulpsBetween(1, 1 + Number.EPSILON)).toBe(1);
  expect(ulpsBetween(-5e-324, 5e-324)).toBe(2);
  expect(ulpsBetween(0, -0)).toBe(0);
  expect(ulpsBetween(1, Number.NaN)).toBeUndefined();
  expect(ulpsBetween(Number.POSITIVE_INFINITY, 1)).toBeUndefined();
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(finite, finite, fc.integer({ min: -5, max: 5 }), (a, b, steps) => {
      const distance = placeOf(a) - placeOf(b);
      expect(ulpsBetween(a, b)).toBe(Number(distance < 0n ? -distance : distance));
      const near = new Float64Array(new BigInt64Array([placeOf(Math.abs(a)) + BigInt(steps)]).buffer)[0];
      if (Number.isFinite(near) && near >= 0) expect(ulpsBetween(Math.abs(a), near)).toBe(Math.abs(steps));
    }),
  );
});

it('ulpsBetween32 counts 32-bit floats', () => {
  expect(ulpsBetween32(1, 1 + 2 ** -23)).toBe(1);
  expect(ulpsBetween32(-(2 ** -149), 2 ** -149)).toBe(2);
  expect(ulpsBetween32(0, Number.NEGATIVE_INFINITY)).toBeUndefined();
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FX_ONE, fxFrom, fxMul, fxTo } from './fixed.js';

const raw = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

it('fxMul is the exact product floored to 16 bits, wrapped', () => {
  fc.assert(
    fc.property(raw, raw, (a, b) => {
      expect(fxMul(a, b)).toBe(Number(BigInt.asIntN(32, (BigInt(a) * BigInt(b)) >> 16n)));
    }),
    { numRuns: 2000 },
  );
  expect(fxMul(16384, 58982)).toBe(14745);
  expect(fxMul(-16384, 58982)).toBe(-14746);
});

it('fxFrom floors and fxTo is exact', () => {
  expect([fxFrom(0.25), fxFrom(-0.00001), fxFrom(1)]).toEqual([16384, -1, FX_ONE]);
  fc.assert(fc.property(raw, (value) => void expect(fxFrom(fxTo(value))).toBe(value)));
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FX_ONE, fxAdd, fxCos, fxDiv, fxFrom, fxHypot, fxMul, fxSin, fxSqrt, fxSub, fxTo } from './fixed.js';

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

/** The largest integer whose square is at most `square`. */
function rootOf(square: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(square))));
  while (root * root > square) root--;
  while ((root + 1n) * (root + 1n) <= square) root++;
  return root;
}

it('fxAdd and fxSub wrap like 32-bit integers', () => {
  expect(fxAdd(0x7fffffff, 1)).toBe(-0x80000000);
  expect(fxSub(-0x80000000, 1)).toBe(0x7fffffff);
});

it('fxDiv is the exact quotient floored to 16 bits, wrapped', () => {
  const floored = (a: bigint, b: bigint) => (a % b !== 0n && a < 0n !== b < 0n ? a / b - 1n : a / b);
  const exact = (a: number, b: number) => Number(BigInt.asIntN(32, floored(BigInt(a) * 65536n, BigInt(b))));
  const small = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(fc.oneof(raw, small), fc.oneof(raw, small), (a, b) => {
      if (b !== 0) expect(fxDiv(a, b)).toBe(exact(a, b));
      // A dividend right beside a multiple of the divisor is where rounding would show.
      const beside = Math.trunc((fxDiv(a, b || 1) * (b || 1)) / 65536) - 1;
      if (b !== 0 && Math.abs(beside) < 2 ** 31) expect(fxDiv(beside, b)).toBe(exact(beside, b));
    }),
    { numRuns: 3000 },
  );
  expect([fxDiv(FX_ONE, 3 * FX_ONE), fxDiv(-FX_ONE, 3 * FX_ONE)]).toEqual([21845, -21846]);
});

it('fxDiv by zero gives the largest value of that sign, and 0 for 0 / 0', () => {
  expect([fxDiv(5, 0), fxDiv(-5, 0), fxDiv(0, 0)]).toEqual([0x7fffffff, -0x80000000, 0]);
});

it('fxSqrt is the exact root rounded down, and 0 below zero', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (a) => {
      expect(fxSqrt(a)).toBe(Number(rootOf(BigInt(a) * 65536n)));
    }),
    { numRuns: 2000 },
  );
  for (let root = 1; root < 181; root++) {
    expect(fxSqrt(root * root * 65536)).toBe((root * 65536) | 0);
    expect(fxSqrt(root * root * 65536 - 1)).toBe(root * 65536 - 1);
  }
  expect([fxSqrt(0), fxSqrt(-1), fxSqrt(-0x80000000)]).toEqual([0, 0, 0]);
});

it('fxHypot is the exact length rounded down, wrapped', () => {
  const check = (x: number, y: number): void => {
    expect(fxHypot(x, y)).toBe(Number(BigInt.asIntN(32, rootOf(BigInt(x) ** 2n + BigInt(y) ** 2n))));
  };
  fc.assert(fc.property(raw, raw, check), { numRuns: 2000 });
  // A leg beside the length of a huge square: the sum of squares has more bits than a double.
  fc.assert(fc.property(fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 }), fc.nat(70_000), check), { numRuns: 2000 });
  expect(fxHypot(3 * FX_ONE, -4 * FX_ONE)).toBe(5 * FX_ONE);
});

/** How far a result in raw units is from the true sine or cosine. */
function worstError(angles: Iterable<number>): number {
  let worst = 0;
  for (const angle of angles) {
    const sine = Math.abs(fxSin(angle) - Math.sin(angle / 65536) * 65536);
    const cosine = Math.abs(fxCos(angle) - Math.cos(angle / 65536) * 65536);
    if (sine > worst) worst = sine;
    if (cosine > worst) worst = cosine;
  }
  return worst;
}

it('fxSin and fxCos are within 0.51 raw units over the whole circle, and 0.55 over all angles', () => {
  const circle = Math.ceil(2 * Math.PI * 65536);
  function* around() {
    for (let angle = -circle; angle <= circle; angle++) yield angle;
  }
  function* everywhere() {
    for (let angle = -(2 ** 31); angle < 2 ** 31; angle += 43_207) yield angle;
    yield 2 ** 31 - 1;
  }
  expect(worstError(around())).toBeLessThan(0.51);
  expect(worstError(everywhere())).toBeLessThan(0.55);
});

it('fxSin is odd, fxCos is even, and both are pinned', () => {
  fc.assert(
    fc.property(raw, (angle) => {
      if (angle === -(2 ** 31)) return;
      expect(fxSin(-angle)).toBe(0 - fxSin(angle));
      expect(fxCos(-angle)).toBe(fxCos(angle));
    }),
  );
  expect([0, 1, 65536, -65536, 102944, 205887, 0x7fffffff].map(fxSin)).toEqual([0, 1, 55147, -55147, 65536, 0, 60808]);
  expect([0, 1, 65536, -65536, 102944, 205887, 0x7fffffff].map(fxCos)).toEqual([
    65536, 65536, 35409, 35409, 0, -65536, 24442,
  ]);
});

/** Q16.16 fixed point: a 32-bit integer that counts 65,536ths. Every operation wraps like a 32-bit integer. */

/** 1 as Q16.16. */
export const FX_ONE = 65536;

/** The largest multiple of 1/65,536 at or below `value`, as a raw Q16.16 integer, wrapped to 32 bits. */
export function fxFrom(value: number): number {
  return Math.floor(value * 65536) | 0;
}

/** A raw Q16.16 integer as a plain number; exact. */
export function fxTo(raw: number): number {
  return raw / 65536;
}

export function fxAdd(a: number, b: number): number {
  return (a + b) | 0;
}

export function fxSub(a: number, b: number): number {
  return (a - b) | 0;
}

/** The product rounded toward minus infinity: bits 16 to 47 of the exact 64-bit product. */
export function fxMul(a: number, b: number): number {
  const aHigh = a >> 16;
  const aLow = a & 0xffff;
  const bHigh = b >> 16;
  const bLow = b & 0xffff;
  return (
    ((Math.imul(aHigh, bHigh) << 16) +
      Math.imul(aHigh, bLow) +
      Math.imul(aLow, bHigh) +
      (Math.imul(aLow, bLow) >>> 16)) |
    0
  );
}

const MAX = 0x7fffffff;
const MIN = -0x80000000;

/**
 * The quotient rounded toward minus infinity, wrapped: `floor(a * 65536 / b)`. Division by zero does not throw, since
 * a match must go on: it gives the largest value of `a`'s sign (`0x7fffffff` or `-0x80000000`), and 0 for 0 / 0.
 */
export function fxDiv(a: number, b: number): number {
  if (b === 0) return a > 0 ? MAX : a < 0 ? MIN : 0;
  // Exact: a quotient of integers that is no integer is further from the next one than a double of 48 bits rounds.
  return Math.floor((a * 65536) / b) | 0;
}

/** The square root rounded down: `floor(sqrt(a * 65536))`, from 0 to 256. A negative `a` gives 0. */
export function fxSqrt(a: number): number {
  // Exact: the operand has 47 bits, and Math.sqrt is rounded correctly on every engine.
  return a <= 0 ? 0 : Math.floor(Math.sqrt(a * 65536));
}

/**
 * The length of (x, y) rounded down, exact although the squares have 62 bits. A length of 32768 or more, which only
 * parts beyond 23170 make, wraps like every other result.
 */
export function fxHypot(x: number, y: number): number {
  let root = Math.floor(Math.sqrt(x * x + y * y));
  // The double sum may round across a square: one step down or up makes it exact.
  const rest = squaresLess(x, y, root);
  if (rest < 0) root--;
  else if (rest > 2 * root) root++;
  return root | 0;
}

/** x² + y² - root², exact where it is small: the squares' halves are taken apart so that their high bits cancel. */
function squaresLess(x: number, y: number, root: number): number {
  const xHigh = Math.floor(x / 65536);
  const yHigh = Math.floor(y / 65536);
  const rootHigh = Math.floor(root / 65536);
  const xLow = x - xHigh * 65536;
  const yLow = y - yHigh * 65536;
  const rootLow = root - rootHigh * 65536;
  const high = xHigh * xHigh + yHigh * yHigh - rootHigh * rootHigh;
  const middle = xHigh * xLow + yHigh * yLow - rootHigh * rootLow;
  const low = xLow * xLow + yLow * yLow - rootLow * rootLow;
  return high * 4294967296 + middle * 131072 + low;
}

/** A full turn in the phase of `sine`. */
const TURN = 4294967296;
/** 2^16 / 2π, the phase of one raw unit, as an integer and a remainder in 2^-21 (0.3783504704530… * 2^21, rounded). */
const PHASE_WHOLE = 10430;
const PHASE_REST = 793458;

/** The phase of a raw angle from 0 to 2^31: 2^32 to the turn, off by less than 2^10 over all angles. */
function phaseOf(angle: number): number {
  return angle * PHASE_WHOLE + Math.floor((angle * PHASE_REST) / 2097152);
}

/** (π/2)^n / n! for n = 1, 3, 5, 7, 9, 11, in 2^-26: the Taylor series of the sine over a quarter turn. */
const SINE = [105414357, 43349917, 5348082, 314187, 10767, 242] as const;
const ONE_26 = 67108864;

/** A product of two numbers in 2^-26, floored; exact, since it has at most 53 bits. */
function multiply26(a: number, b: number): number {
  return Math.floor((a * b) / ONE_26);
}

/** The sine of a phase, raw Q16.16, rounded to the nearest. */
function sine(phase: number): number {
  const inTurn = phase - Math.floor(phase / TURN) * TURN;
  const quarter = Math.floor(inTurn / 1073741824);
  const within = inTurn - quarter * 1073741824;
  // How far from the nearest zero, 0 to 1 in 2^-26.
  const x = Math.floor(((quarter & 1) === 0 ? within : 1073741824 - within) / 16);
  const square = multiply26(x, x);
  let sum: number = SINE[5];
  sum = SINE[4] - multiply26(square, sum);
  sum = SINE[3] - multiply26(square, sum);
  sum = SINE[2] - multiply26(square, sum);
  sum = SINE[1] - multiply26(square, sum);
  sum = SINE[0] - multiply26(square, sum);
  const raw = (multiply26(x, sum) + 512) >> 10;
  return quarter < 2 ? raw : -raw;
}

/**
 * The sine of an angle in radians, both raw Q16.16, by integers alone. At most 0.51 of a raw unit (1/65536) from the
 * true value over the circle, 0.55 for every angle there is. `fxSin(-a)` is exactly `-fxSin(a)`.
 */
export function fxSin(angle: number): number {
  return angle < 0 ? (0 - sine(phaseOf(-angle))) | 0 : sine(phaseOf(angle)) | 0;
}

/** The cosine of an angle in radians, both raw Q16.16; as exact as `fxSin`. `fxCos(-a)` is exactly `fxCos(a)`. */
export function fxCos(angle: number): number {
  return sine(phaseOf(angle < 0 ? -angle : angle) + 1073741824) | 0;
}

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

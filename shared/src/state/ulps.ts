const float64 = new Float64Array(2);
const words64 = new Uint32Array(float64.buffer);
const float32 = new Float32Array(2);
const words32 = new Uint32Array(float32.buffer);

/**
 * How many representable 64-bit floats lie between two numbers, the second one counted; 0 between -0 and 0. Exact up
 * to 2^53. Undefined when one is NaN or infinite.
 */
export function ulpsBetween(a: number, b: number): number | undefined {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return undefined;
  float64[0] = a;
  float64[1] = b;
  const [aLow, aHigh, bLow, bHigh] = words64;
  const high = aHigh & 0x7fffffff;
  const otherHigh = bHigh & 0x7fffffff;
  // Floats of one sign are ordered as their bits are; across zero the distances from zero add up.
  if (aHigh >>> 31 === bHigh >>> 31) return Math.abs((high - otherHigh) * 4294967296 + (aLow - bLow));
  return (high + otherHigh) * 4294967296 + (aLow + bLow);
}

/** `ulpsBetween` for 32-bit floats. */
export function ulpsBetween32(a: number, b: number): number | undefined {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return undefined;
  float32[0] = a;
  float32[1] = b;
  const [aBits, bBits] = words32;
  if (aBits >>> 31 === bBits >>> 31) return Math.abs(aBits - bBits);
  return (aBits & 0x7fffffff) + (bBits & 0x7fffffff);
}

const SAMPLES = 200;

/** Functions whose last bit each engine may choose, with arguments where they are defined, from x and y in [0, 1). */
const chosen: readonly ((x: number, y: number) => number)[] = [
  (x) => Math.sin(x * 20),
  (x) => Math.cos(x * 20),
  (x) => Math.tan(x * 20),
  (x) => Math.asin(x),
  (x) => Math.acos(x),
  (x) => Math.atan(x * 20),
  (x, y) => Math.atan2(x, y),
  (x) => Math.exp(x * 20),
  (x) => Math.log(x * 20),
  (x, y) => (x * 20) ** (y * 20),
  (x) => Math.cbrt(x * 20),
  (x, y) => Math.hypot(x, y),
];

let known: number | undefined;

/**
 * A hash of the bits that this engine's `Math` gives, 32-bit unsigned: engines with different ones part in a game that
 * uses such functions.
 */
export function mathsFingerprint(): number {
  if (known !== undefined) return known;
  const result = new Float64Array(1);
  const words = new Int32Array(result.buffer);
  let hash = 0x811c9dc5;
  let x = 12_345;
  for (let at = 0; at < SAMPLES * chosen.length; at++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
    const y = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
    result[0] = chosen[at % chosen.length]!((x >>> 0) / 2 ** 32, (y >>> 0) / 2 ** 32);
    // FNV-1a, a word at a time: shared's own hash and generator would come into what each match loads first.
    for (const word of words) hash = Math.imul(hash ^ word, 0x01000193);
  }
  known = hash >>> 0;
  return known;
}

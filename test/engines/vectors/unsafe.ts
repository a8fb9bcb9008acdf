import { hashWords } from '@riposte/shared';
import { pendulumHashes, pendulumRecording } from './pendulum.js';
import { hex32, hexOf } from './text.js';

const SAMPLES = 2000;

// Not called by its whole name, which linters would turn into the operator, and that is another case.
const { pow } = Math;

/** Functions whose last bit each engine may choose, with arguments where they are defined, from x and y in [0, 1). */
const functions: { readonly [name: string]: (x: number, y: number) => number } = {
  sin: (x) => Math.sin(x * 20),
  cos: (x) => Math.cos(x * 20),
  tan: (x) => Math.tan(x * 20),
  asin: (x) => Math.asin(x),
  acos: (x) => Math.acos(x),
  atan: (x) => Math.atan(x * 20),
  atan2: (x, y) => Math.atan2(x, y),
  exp: (x) => Math.exp(x * 20),
  log: (x) => Math.log(x * 20),
  log10: (x) => Math.log10(x * 20),
  pow: (x, y) => pow(x * 20, y * 20),
  power: (x, y) => (x * 20) ** (y * 20),
  cbrt: (x) => Math.cbrt(x * 20),
  hypot: (x, y) => Math.hypot(x, y),
  // Exact on every engine: they must never show up among those that differ.
  sqrt: (x) => Math.sqrt(x),
  fround: (x) => Math.fround(x),
  remainder: (x, y) => (x * 20) % y,
};

/** A hash of each of the results' bits, to count how many differ. */
function fingerprints(): { [name: string]: string } {
  const results = new Float64Array(SAMPLES);
  const words = new Int32Array(results.buffer);
  const found: { [name: string]: string } = {};
  for (const [name, apply] of Object.entries(functions)) {
    let x = 12_345;
    for (let sample = 0; sample < SAMPLES; sample++) {
      x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
      const y = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
      results[sample] = apply((x >>> 0) / 2 ** 32, (y >>> 0) / 2 ** 32);
    }
    found[name] = hex32(hashWords(words, 0, words.length));
  }
  return found;
}

/** What is *not* the same everywhere, as a control: a comparison that could not find this would find nothing. */
export function unsafeResults() {
  return {
    pendulum: pendulumHashes(Math.sin),
    recording: hexOf(pendulumRecording(Math.sin)),
    functions: fingerprints(),
  };
}

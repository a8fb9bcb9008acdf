import { hashWords } from '@riposte/shared';
import { acos, asin, atan, atan2, cbrt, cos, exp, hypot, log, pow, sin, tan } from '@riposte/shared/math';
import { pendulumHashes } from './pendulum.js';
import { bitsOf, doubleOf, hex32 } from './text.js';

const ofOne = { sin, cos, tan, asin, acos, atan, exp, log, cbrt };
const ofTwo = { atan2, hypot, pow };

/** Edges of domains, of ranges of reduction, and of what a double holds. */
const AWKWARD = [0, -0, 1, -1, 0.5, 1e-10, 5e-324, Math.PI, 1e5, 1e22, -1e300, 709.8, -745.2, Number.NaN];
const INFINITE = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** So many calls that every engine compiles the function while they run. */
const SAMPLES = 20_000;

/** Arguments over the whole range of sizes, or near 1, by turns. */
function samples(): Float64Array {
  const values = new Float64Array(SAMPLES + 1);
  let word = 2024;
  const draw = () => {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) | 0;
    return word;
  };
  for (let at = 0; at < values.length; at++) {
    // Exponents of 2^-32 to 2^31: larger ones are seldom met, and are among the awkward ones.
    const wide = doubleOf((draw() & 0x800fffff) | ((991 + (draw() & 63)) << 20), draw());
    values[at] = at % 2 === 0 ? wide : draw() / 2 ** 31;
  }
  return values;
}

function sampledHash(apply: (at: number) => number): string {
  const results = new Float64Array(SAMPLES);
  for (let at = 0; at < SAMPLES; at++) {
    const result = apply(at);
    results[at] = Number.isNaN(result) ? 0 : result;
  }
  const words = new Int32Array(results.buffer);
  return hex32(hashWords(words, 0, words.length));
}

export function realVectors() {
  const values = samples();
  const awkward = [...AWKWARD, ...INFINITE];
  const vectors: { [name: string]: { awkward: string; sampled: string } } = {};
  for (const [name, apply] of Object.entries(ofOne)) {
    vectors[name] = {
      awkward: awkward.map((value) => bitsOf(apply(value))).join(' '),
      sampled: sampledHash((at) => apply(values[at]!)),
    };
  }
  for (const [name, apply] of Object.entries(ofTwo)) {
    vectors[name] = {
      awkward: awkward.map((value, at) => bitsOf(apply(value, awkward[(at * 5 + 2) % awkward.length]!))).join(' '),
      sampled: sampledHash((at) => apply(values[at]!, values[at + 1]!)),
    };
  }
  // The game that parts with `Math.sin`, with the sine that is the same everywhere.
  return { functions: vectors, pendulum: pendulumHashes(sin).filter((_, frame) => frame % 60 === 0) };
}

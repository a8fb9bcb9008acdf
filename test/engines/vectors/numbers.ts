import {
  fxAdd,
  fxCos,
  fxDiv,
  fxFrom,
  fxHypot,
  fxMul,
  fxSin,
  fxSqrt,
  fxSub,
  fxTo,
  hashWords,
  quantizeAxis,
  Random,
} from '@riposte/shared';
import { bitsOf, hex32 } from './text.js';

const RAW = [0, 1, -1, 65_535, 65_536, -65_536, 98_304, -58_982, 0x7fffffff, -0x80000000, 0x12345678, -0x1234567];
const NUMBERS = [0, -0, 0.1, -0.1, 1.5, -1.99999, 32_767.99999, -32_768, 40_000, 1e9, 1e17, -1e300, Number.NaN];
const SEEDS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0xffffffff, 0],
  [0xdeadbeef, 7],
];

function pairs<T>(list: readonly T[]): [T, T][] {
  return list.flatMap((a) => list.map((b): [T, T] => [a, b]));
}

/** Sines and cosines of 20,000 angles over all that there are. */
function circleHash(): string {
  const words = new Int32Array(40_000);
  for (let at = 0; at < 40_000; at += 2) {
    words[at] = fxSin(Math.imul(at, 0x9e3779b1));
    words[at + 1] = fxCos(Math.imul(at, 0x9e3779b1));
  }
  return hex32(hashWords(words, 0, words.length));
}

function draws(seed: number, stream: number) {
  const random = new Random(new Int32Array(2), 0);
  random.seed(seed, stream);
  return {
    next: Array.from({ length: 6 }, () => hex32(random.next())),
    below: [1, 6, 1000, 2 ** 31 + 1, 2 ** 32].map((count) => random.below(count)),
    unit: Array.from({ length: 3 }, () => bitsOf(random.unit())),
  };
}

export function numberVectors() {
  return {
    fxAdd: pairs(RAW).map(([a, b]) => fxAdd(a, b)),
    fxSub: pairs(RAW).map(([a, b]) => fxSub(a, b)),
    fxMul: pairs(RAW).map(([a, b]) => fxMul(a, b)),
    fxDiv: pairs(RAW).map(([a, b]) => fxDiv(a, b)),
    fxHypot: pairs(RAW).map(([a, b]) => fxHypot(a, b)),
    fxSqrt: RAW.map(fxSqrt),
    fxSin: RAW.map(fxSin),
    fxCos: RAW.map(fxCos),
    circle: circleHash(),
    fxFrom: NUMBERS.map(fxFrom),
    fxTo: RAW.map((raw) => bitsOf(fxTo(raw))),
    quantizeAxis: [-2, -1, -0.5, -0.15, 0, 0.1, 0.3, 0.77, 1, Number.NaN].map((reading) => [
      quantizeAxis(reading, 7),
      quantizeAxis(reading, 32_767, 0.05),
    ]),
    random: SEEDS.map(([seed, stream]) => draws(seed, stream)),
  };
}

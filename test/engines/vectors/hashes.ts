import { chainHash, hashWords, Random } from '@riposte/shared';
import { hex32 } from './text.js';

const LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 64, 1000];

function drawnWords(count: number): Int32Array {
  const random = new Random(new Int32Array(2), 0);
  random.seed(0x5eed);
  return Int32Array.from({ length: count }, () => random.next());
}

export function hashVectors() {
  const words = drawnWords(1024);
  let chain = 0;
  return {
    byLength: LENGTHS.map((length) => hex32(hashWords(words, 0, length))),
    fromTheMiddle: LENGTHS.map((length) => hex32(hashWords(words, 13, length))),
    chain: Array.from({ length: 12 }, (_, at) => {
      chain = chainHash(chain, words[at]! >>> 0);
      return hex32(chain);
    }),
  };
}

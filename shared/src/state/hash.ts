const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f | 0;
const PRIME_5 = 0x165667b1 | 0;

function round(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, PRIME_2)) | 0;
  return Math.imul((sum << 13) | (sum >>> 19), PRIME_1);
}

function finish(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * xxHash32 (Yann Collet's specification, seed 0) of `count` little-endian 32-bit words from `start`; unsigned.
 * Whole words only: every state layout is padded to four bytes.
 */
export function hashWords(words: Int32Array, start: number, count: number): number {
  const end = start + count;
  let at = start;
  let hash: number;
  if (count >= 4) {
    let lane1 = (PRIME_1 + PRIME_2) | 0;
    let lane2 = PRIME_2;
    let lane3 = 0;
    let lane4 = -PRIME_1 | 0;
    for (const last = end - 4; at <= last; at += 4) {
      lane1 = round(lane1, words[at]!);
      lane2 = round(lane2, words[at + 1]!);
      lane3 = round(lane3, words[at + 2]!);
      lane4 = round(lane4, words[at + 3]!);
    }
    hash =
      ((lane1 << 1) | (lane1 >>> 31)) +
      ((lane2 << 7) | (lane2 >>> 25)) +
      ((lane3 << 12) | (lane3 >>> 20)) +
      ((lane4 << 18) | (lane4 >>> 14));
  } else {
    hash = PRIME_5;
  }
  hash = (hash + count * 4) | 0;
  for (; at < end; at++) {
    hash = (hash + Math.imul(words[at]!, PRIME_3)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), PRIME_4);
  }
  return finish(hash);
}

/** Folds one frame's hash into the chain over all frames before it: equal chains mean equal histories. Unsigned. */
export function chainHash(chain: number, hash: number): number {
  return finish((round(chain | 0, hash | 0) + PRIME_5) | 0);
}

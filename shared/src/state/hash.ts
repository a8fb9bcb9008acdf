/*
 * The primes of xxHash32 are written out in the functions: bundlers make a module's `const` a `var`, and a value that
 * could change is loaded and checked at each use, which halves the speed of the loop. `| 0` stands on every sum, and
 * on a lane wherever it is read: the compiler then needs no guess of what fits into 32 bits, and has none to take back
 * when it enters the loop halfway, as it does for large states.
 */

function round(lane: number, word: number): number {
  const sum = ((lane | 0) + Math.imul(word, 0x85ebca77 | 0)) | 0;
  return Math.imul((sum << 13) | (sum >>> 19), 0x9e3779b1 | 0);
}

function finish(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77 | 0);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d | 0);
  return hash ^ (hash >>> 16);
}

/** `hashWords`, signed: such a number is returned without being put on the heap. */
function signedHash(words: Int32Array, start: number, count: number): number {
  const end = (start + count) | 0;
  let at = start | 0;
  let hash = 0x165667b1;
  if (count >= 4) {
    let lane1 = (0x9e3779b1 + 0x85ebca77) | 0;
    let lane2 = 0x85ebca77 | 0;
    let lane3 = 0;
    let lane4 = -0x9e3779b1 | 0;
    for (const last = (end - 4) | 0; at <= last; at = (at + 4) | 0) {
      lane1 = round(lane1, words[at]!);
      lane2 = round(lane2, words[(at + 1) | 0]!);
      lane3 = round(lane3, words[(at + 2) | 0]!);
      lane4 = round(lane4, words[(at + 3) | 0]!);
    }
    hash = (((lane1 << 1) | (lane1 >>> 31)) + ((lane2 << 7) | (lane2 >>> 25))) | 0;
    hash = (hash + ((lane3 << 12) | (lane3 >>> 20))) | 0;
    hash = (hash + ((lane4 << 18) | (lane4 >>> 14))) | 0;
  }
  hash = ((hash | 0) + (count << 2)) | 0;
  for (; at < end; at = (at + 1) | 0) {
    hash = (hash + Math.imul(words[at]!, 0xc2b2ae3d | 0)) | 0;
    hash = Math.imul((hash << 17) | (hash >>> 15), 0x27d4eb2f);
  }
  return finish(hash);
}

/**
 * xxHash32 (Yann Collet's specification, seed 0) of `count` little-endian 32-bit words from `start`; unsigned.
 * Whole words only: every state layout is padded to four bytes.
 */
export function hashWords(words: Int32Array, start: number, count: number): number {
  return signedHash(words, start, count) >>> 0;
}

/** `chainHash`, signed. */
export function signedChain(chain: number, hash: number): number {
  return finish((round(chain | 0, hash | 0) + 0x165667b1) | 0);
}

/** Folds one frame's hash into the chain over all frames before it: equal chains mean equal histories. Unsigned. */
export function chainHash(chain: number, hash: number): number {
  return signedChain(chain, hash) >>> 0;
}

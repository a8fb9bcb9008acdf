/**
 * A random generator whose whole memory is two words of the game's state, so that a rollback rewinds it too.
 * The algorithm is xoroshiro64** (Blackman and Vigna): 32 bits a draw, period 2^64 - 1, integer operations only.
 */
export class Random {
  readonly #words: Int32Array;
  readonly #at: number;

  /** Uses `words[at]` and `words[at + 1]`; both zero (a state nobody seeded) counts as seed 0. */
  constructor(words: Int32Array, at: number) {
    this.#words = words;
    this.#at = at;
  }

  /** Starts the generator over; `stream` separates several generators of one match. */
  seed(seed: number, stream = 0): void {
    this.#words[this.#at] = scramble(seed ^ Math.imul(stream + 1, 0x9e3779b9));
    this.#words[this.#at + 1] = scramble(Math.imul(seed, 0x85ebca6b) + stream + 1) | 1;
  }

  /** An integer from 0 to 2^32 - 1, each as likely. */
  next(): number {
    const words = this.#words;
    const at = this.#at;
    if (words[at] === 0 && words[at + 1] === 0) this.seed(0);
    const first = words[at]!;
    const second = words[at + 1]! ^ first;
    const scaled = Math.imul(first, 0x9e3779bb);
    words[at] = rotateLeft(first, 26) ^ second ^ (second << 9);
    words[at + 1] = rotateLeft(second, 13);
    return Math.imul(rotateLeft(scaled, 5), 5) >>> 0;
  }

  /** An integer from 0 to `count - 1`, for `count` from 1 to 2^32. */
  below(count: number): number {
    return Math.floor((this.next() / 4294967296) * count);
  }

  /** A number in [0, 1), a multiple of 2^-32. */
  unit(): number {
    return this.next() / 4294967296;
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The finalizer of MurmurHash3 (Appleby): every bit of the seed reaches every bit of the result. */
function scramble(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

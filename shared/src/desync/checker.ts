import { requireInteger } from '../errors.js';
import { chainHash } from '../state/hash.js';

/** How many frames of hashes are kept: 4.5 minutes at 60 Hz, so that a peer's old hashes can still be compared. */
const CAPACITY_DEFAULT = 16_384;

/**
 * Compares confirmed frames with a peer's. Each frame's hash is folded into a chain over all frames before it, so
 * that one equal chain hash answers for every frame up to it, whichever packets were lost; when a chain differs, the
 * peers exchange their frames' own hashes and the first that differs is the desync.
 */
export class DesyncChecker {
  readonly capacity: number;
  readonly #mask: number;
  readonly #hashes: Uint32Array;
  readonly #chains: Uint32Array;
  readonly #oldest: number;
  readonly #startChain: number;
  #newest: number;
  #comparedThrough: number;
  /** A peer's chain for a frame that is not confirmed here yet; -1 for none. */
  #earlyFrame = -1;
  #earlyChain = 0;
  #partedBy: number | undefined;

  /**
   * `capacity` is a power of two. A match that is joined late starts at `firstFrame`, with the chain over the frames
   * before it.
   */
  constructor(capacity = CAPACITY_DEFAULT, firstFrame = 0, chain = 0) {
    requireInteger('capacity', capacity, 2, 2 ** 24);
    this.capacity = capacity;
    this.#mask = capacity - 1;
    this.#hashes = new Uint32Array(capacity);
    this.#chains = new Uint32Array(capacity);
    this.#oldest = firstFrame;
    this.#newest = firstFrame - 1;
    this.#comparedThrough = firstFrame - 1;
    this.#startChain = chain;
  }

  /** The newest frame whose hash was recorded; at the start the one before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Every frame up to this one was compared and equal; at the start the one before the first. */
  get comparedThrough(): number {
    return this.#comparedThrough;
  }

  /** A frame at which the chains are known to differ: the first difference lies after `comparedThrough`, up to it. */
  get partedBy(): number | undefined {
    return this.#partedBy;
  }

  /** Records the hash of the state after the next confirmed frame. */
  record(hash: number): void {
    const before = this.#newest < this.#oldest ? this.#startChain : this.#chains[this.#newest & this.#mask]!;
    this.#newest++;
    this.#hashes[this.#newest & this.#mask] = hash;
    this.#chains[this.#newest & this.#mask] = chainHash(before, hash);
    if (this.#earlyFrame === this.#newest) {
      this.#earlyFrame = -1;
      this.compare(this.#newest, this.#earlyChain);
    }
  }

  #keeps(frame: number): boolean {
    return frame >= this.#oldest && frame <= this.#newest && frame > this.#newest - this.capacity;
  }

  /** The hash of the state after `frame`, or undefined when it is not confirmed or no longer kept. */
  hashOf(frame: number): number | undefined {
    return this.#keeps(frame) ? this.#hashes[frame & this.#mask] : undefined;
  }

  /** The chain over frames 0 to `frame`, or undefined when it is not confirmed or no longer kept. */
  chainOf(frame: number): number | undefined {
    return this.#keeps(frame) ? this.#chains[frame & this.#mask] : undefined;
  }

  /** Takes a peer's chain over frames 0 to `frame`. One that is ahead of this side is compared when its frame is recorded. */
  compare(frame: number, chain: number): void {
    if (this.#partedBy !== undefined || frame <= this.#comparedThrough) return;
    if (frame > this.#newest) {
      if (this.#earlyFrame < 0) {
        this.#earlyFrame = frame;
        this.#earlyChain = chain;
      }
      return;
    }
    if (!this.#keeps(frame)) return;
    if (this.#chains[frame & this.#mask] === chain) this.#comparedThrough = frame;
    else this.#partedBy = frame;
  }

  /** The first of a peer's hashes, for `from` and the frames after it, that differs from this side's; undefined if none does. */
  firstDifference(from: number, hashes: readonly number[]): number | undefined {
    for (const [index, hash] of hashes.entries()) {
      const own = this.hashOf(from + index);
      if (own !== undefined && own !== hash) return from + index;
    }
    return undefined;
  }
}

import { requireInteger } from '../errors.js';
import { signedChain } from '../state/hash.js';
import { type ConfirmedChain, PeerComparison } from './peer-comparison.js';

/** How many frames of hashes are kept: 4.5 minutes at 60 Hz, so that a peer's old hashes can still be compared. */
const CAPACITY_DEFAULT = 16_384;

/**
 * The hashes of a match's confirmed frames, to be compared with each peer's. Each frame's hash is folded into a chain
 * over all frames before it, so that one equal chain hash answers for every frame up to it, whichever packets were lost;
 * when a chain differs, the peers exchange their frames' own hashes and the first that differs is the desync.
 */
export class DesyncChecker {
  readonly capacity: number;
  readonly #mask: number;
  /** Signed, as engines read them without putting them on the heap. */
  readonly #hashes: Int32Array;
  readonly #chains: Int32Array;
  readonly #oldest: number;
  #comparisons: readonly PeerComparison[] = [];
  #newest: number;

  /**
   * `capacity` is a power of two. A match that is joined late starts at `firstFrame`, with the chain over the frames
   * before it.
   */
  constructor(capacity = CAPACITY_DEFAULT, firstFrame = 0, chain = 0) {
    requireInteger('capacity', capacity, 2, 2 ** 24);
    this.capacity = capacity;
    this.#mask = capacity - 1;
    this.#hashes = new Int32Array(capacity);
    this.#chains = new Int32Array(capacity);
    this.#oldest = firstFrame;
    this.#newest = firstFrame - 1;
    this.#chains[this.#newest & this.#mask] = chain;
  }

  /** Begins to compare with one more peer, from the next frame on. */
  against(): PeerComparison {
    const comparison = new PeerComparison(this);
    this.#comparisons = [...this.#comparisons, comparison];
    return comparison;
  }

  /** Compares with a peer no more. */
  forget(comparison: PeerComparison): void {
    this.#comparisons = this.#comparisons.filter((each) => each !== comparison);
  }

  /** The newest frame whose hash was recorded; at the start the one before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Records the hash of the state after the next confirmed frame. */
  record(hash: number): void {
    const before = this.#chains[this.#newest & this.#mask]!;
    this.#newest++;
    this.#hashes[this.#newest & this.#mask] = hash;
    this.#chains[this.#newest & this.#mask] = signedChain(before, hash);
    for (let at = 0; at < this.#comparisons.length; at++) this.#comparisons[at]!.recorded(this.#newest);
  }

  /** Chains reach back to the frame before the first. */
  #keepsChain(frame: number): boolean {
    return frame >= this.#oldest - 1 && frame <= this.#newest && frame > this.#newest - this.capacity;
  }

  /** The hash of the state after `frame`, or undefined when it is not confirmed or no longer kept. */
  hashOf(frame: number): number | undefined {
    return Number.isInteger(frame) && this.#keepsChain(frame) && frame >= this.#oldest
      ? this.#hashes[frame & this.#mask]! >>> 0
      : undefined;
  }

  /** The chain over frames 0 to `frame`, also of the one before the first; undefined when it is not confirmed or no longer kept. */
  chainOf(frame: number): number | undefined {
    return this.#keepsChain(frame) ? this.#chains[frame & this.#mask]! >>> 0 : undefined;
  }

  /** Whether the chain over the same frames is this one; undefined when it is not confirmed or no longer kept. */
  agrees({ confirmed, chain }: ConfirmedChain): boolean | undefined {
    return this.#keepsChain(confirmed) ? this.#chains[confirmed & this.#mask] === (chain | 0) : undefined;
  }

  /** Writes the newest confirmed frame and its chain. */
  tell(into: ConfirmedChain): void {
    into.confirmed = this.#newest;
    into.chain = this.#chains[this.#newest & this.#mask]! >>> 0;
  }

  /** The first of a peer's hashes, for `from` and the frames after it, that differs from this side's; undefined if none does. */
  firstDifference(from: number, hashes: readonly number[]): number | undefined {
    for (const [at, hash] of hashes.entries()) {
      if ((this.hashOf(from + at) ?? hash) !== hash) return from + at;
    }
    return undefined;
  }
}

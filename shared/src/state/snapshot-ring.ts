import { requireInteger } from '../errors.js';
import type { Snapshot, StateModel } from './model.js';

/**
 * The last `capacity` states by frame number. A slot that holds another frame than the one asked for is absent
 * (evicted or never written), never stale data. Saving allocates nothing.
 */
export class SnapshotRing<S> {
  readonly capacity: number;
  /** `capacity - 1` when that is a power of two, else -1. */
  readonly #mask: number;
  readonly #snapshots: Snapshot<S>[];
  /** NaN where nothing is saved: it equals no frame. */
  readonly #frames: Float64Array;

  /** Throws `bad-argument` unless `capacity` is an integer from 1 to 65,536. */
  constructor(model: StateModel<S>, capacity: number) {
    requireInteger('capacity', capacity, 1, 65_536);
    this.capacity = capacity;
    this.#mask = (capacity & (capacity - 1)) === 0 ? capacity - 1 : -1;
    this.#snapshots = Array.from({ length: capacity }, () => model.createSnapshot());
    this.#frames = new Float64Array(capacity).fill(Number.NaN);
  }

  /** The frame modulo the capacity, for any integer frame; a mask where that is enough. */
  #slot(frame: number): number {
    return this.#mask < 0 ? ((frame % this.capacity) + this.capacity) % this.capacity : frame & this.#mask;
  }

  has(frame: number): boolean {
    return this.#frames[this.#slot(frame)] === frame;
  }

  save(frame: number, state: S): void {
    if ((frame | 0) !== frame) requireInteger('frame', frame, Number.MIN_SAFE_INTEGER);
    const slot = this.#slot(frame);
    this.#snapshots[slot]!.save(state);
    this.#frames[slot] = frame;
  }

  /** Copies the state of `frame` over `into`. False, and nothing changed, when that frame is absent. */
  load(frame: number, into: S): boolean {
    if (!this.has(frame)) return false;
    this.#snapshots[this.#slot(frame)]!.load(into);
    return true;
  }

  /** The hash of the state of `frame`, or undefined when that frame is absent. */
  hash(frame: number): number | undefined {
    return this.has(frame) ? this.#snapshots[this.#slot(frame)]!.hash() : undefined;
  }

  /** Forgets every frame. */
  clear(): void {
    this.#frames.fill(Number.NaN);
  }
}

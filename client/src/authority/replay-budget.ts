import { Samples } from '../session/samples.js';

/** Share of a tick that running frames again may use; the rest is the page's, for drawing. */
const TICK_SHARE = 0.5;
/** The newest steps that were timed, a second of them; the first ones, before the code is warm, are soon forgotten. */
const STEPS_KEPT = 64;
/** Reading the clock costs as much as a small step: of the later steps one in so many is timed. */
const TIMED_EVERY = 8;
/** A step that the machine interrupted says nothing: one in four may be dearer than what counts. */
const COST_SHARE = 0.75;

/** Measures what a step costs, and says how many frames may run again in a tick. */
export class ReplayBudget {
  /** Infinite before a step was measured; at least 1. */
  frames = Number.POSITIVE_INFINITY;
  readonly #clock: (() => number) | undefined;
  readonly #tickMs: number;
  readonly #costsMs = new Samples(STEPS_KEPT, Number.POSITIVE_INFINITY);
  #steps = 0;

  /** `clock` gives milliseconds; without one there is no bound. */
  constructor(clock: (() => number) | undefined, tickRate: number) {
    this.#clock = clock;
    this.#tickMs = 1000 / tickRate;
  }

  /** Runs one step; of some the cost is measured. */
  step(run: () => void): void {
    const clock = this.#steps++ < STEPS_KEPT || this.#steps % TIMED_EVERY === 0 ? this.#clock : undefined;
    if (clock === undefined) {
      run();
      return;
    }
    const startMs = clock();
    run();
    const endMs = clock();
    this.#costsMs.add(endMs, endMs - startMs);
    const costMs = this.#costsMs.percentile(endMs, COST_SHARE) ?? 0;
    // One step is the tick's own.
    this.frames = Math.max(1, Math.floor((this.#tickMs * TICK_SHARE) / costMs) - 1);
  }
}

import type { Timers } from '../src/timers.js';

/** Time that stands still until a test moves it. */
export class TestClock implements Timers {
  #now = 0;
  readonly #jobs = new Set<{ due: number; run: () => void }>();

  // Bound, since they are handed over one by one.
  readonly now = () => this.#now;
  readonly unixMs = () => 1_700_000_000_000 + this.#now;
  readonly after = (ms: number, run: () => void) => {
    const job = { due: this.#now + ms, run };
    this.#jobs.add(job);
    return () => void this.#jobs.delete(job);
  };

  /** Jobs that wait for their time. */
  get waiting(): number {
    return this.#jobs.size;
  }

  /** Moves on by `ms` and runs what is due, in order. */
  advance(ms: number): void {
    this.#now += ms;
    for (const job of [...this.#jobs].sort((a, b) => a.due - b.due)) {
      if (job.due > this.#now) break;
      if (this.#jobs.delete(job)) job.run();
    }
  }
}

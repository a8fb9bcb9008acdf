import type { Schedule } from '../../client/src/transport/conditions.js';

/** Time that passes only when told to: what is scheduled runs in order of its moment, then of its scheduling. */
export class VirtualClock {
  nowMs = 0;
  #next = 0;
  readonly #due: { atMs: number; order: number; run: () => void }[] = [];

  readonly schedule: Schedule = (delayMs, run) => {
    const entry = { atMs: this.nowMs + delayMs, order: this.#next++, run };
    // Kept sorted, latest first; most entries are among the latest.
    let at = 0;
    while (at < this.#due.length && isAfter(this.#due[at]!, entry)) at++;
    this.#due.splice(at, 0, entry);
  };

  /** Runs all that is due up to `ms` from now, and stops there. */
  advance(ms: number): void {
    const end = this.nowMs + ms;
    for (let next = this.#due.at(-1); next !== undefined && next.atMs <= end; next = this.#due.at(-1)) {
      this.#due.pop();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = end;
  }
}

function isAfter(a: { atMs: number; order: number }, b: { atMs: number; order: number }): boolean {
  return a.atMs > b.atMs || (a.atMs === b.atMs && a.order > b.order);
}

import type { Schedule } from './conditions.js';
import { EventQueue } from './event-queue.js';

/** Time that passes only when told to: what is scheduled runs in order of its moment, then of its scheduling. */
export class VirtualClock {
  nowMs = 0;
  readonly #due = new EventQueue<{ atMs: number; order: number; readonly run: () => void }>();

  readonly schedule: Schedule = (delayMs, run) => {
    this.#due.push({ atMs: this.nowMs + delayMs, order: 0, run });
  };

  /** Runs all that is due up to `ms` from now, and stops there. */
  advance(ms: number): void {
    const end = this.nowMs + ms;
    for (let next = this.#due.next; next !== undefined && next.atMs <= end; next = this.#due.next) {
      this.#due.pop();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = end;
  }
}

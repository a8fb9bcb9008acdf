import { catchUpSteps } from '@riposte/shared';

/** The most steps for one drawn frame: catching up never freezes the page. */
export const STEPS_PER_DRAW_MAX = 3;
/** Behind for so long by more than a draw can make up: this machine cannot keep the rate. A block of the page is shorter. */
const SLOW_AFTER_MS = 700;
/** A longer gap between two draws is a block of the page, not its pace. */
const BLOCKED_MS = 150;
/** How fast a machine that keeps up again is trusted with more, in shares of the rate a second. */
const RECOVERY_PER_SECOND = 0.04;
/** A machine that makes less than half of the game's rate is not waited for any further. */
const RATE_MIN = 0.5;

/**
 * Says how many ticks are due at a time. A machine that was away is behind; it catches up by at most
 * `STEPS_PER_DRAW_MAX` ticks a call, and by no more than `backlogMax` frames altogether: the peer could not have run
 * farther ahead than that. A machine that stays behind is too slow: its rate is measured, and falls to what it makes.
 */
export class Pacer {
  readonly #frameMs: number;
  readonly #backlogMax: number;
  #nextMs = Number.NaN;
  #rate = 1;
  #askedMs = Number.NaN;
  #behindSinceMs = Number.NaN;
  #ticksBehind = 0;
  /**
   * How fast to tick from now on, 1 for the game's own rate. A field, for a fraction that is handed to a call may have to be
   * put on the heap.
   */
  speed = 1;

  constructor(tickRate: number, backlogMax: number) {
    this.#frameMs = 1000 / tickRate;
    this.#backlogMax = backlogMax;
  }

  /** The first tick is due at `nowMs`. */
  start(nowMs: number): void {
    this.#nextMs = nowMs;
  }

  /** The share of the game's rate that this machine keeps, 0.5 to 1. */
  get rate(): number {
    return this.#rate;
  }

  /** How many ticks to run now, 0 to `STEPS_PER_DRAW_MAX`. Each that is run must be followed by `ticked`. */
  due(nowMs: number): number {
    if (Number.isNaN(this.#nextMs)) return 0;
    this.#measure(nowMs);
    if (nowMs < this.#nextMs) return 0;
    const oldest = nowMs - this.#backlogMax * this.#frameMs;
    if (this.#nextMs < oldest) this.#nextMs = oldest;
    return catchUpSteps((nowMs - this.#nextMs) / this.#frameMs, STEPS_PER_DRAW_MAX);
  }

  #measure(nowMs: number): void {
    const sinceAskedMs = Number.isNaN(this.#askedMs) ? 0 : nowMs - this.#askedMs;
    this.#askedMs = nowMs;
    // A page that was blocked says nothing of its machine's speed.
    if (sinceAskedMs > BLOCKED_MS) this.#behindSinceMs = Number.NaN;
    const isBehind = nowMs - this.#nextMs >= STEPS_PER_DRAW_MAX * this.#frameMs;
    if (!isBehind) {
      this.#behindSinceMs = Number.NaN;
      // Probing a little upward is how a machine finds out that it is fast again.
      this.#rate = Math.min(1, this.#rate + (RECOVERY_PER_SECOND * Math.min(sinceAskedMs, 100)) / 1000);
      return;
    }
    if (Number.isNaN(this.#behindSinceMs)) {
      this.#behindSinceMs = nowMs;
      this.#ticksBehind = 0;
      return;
    }
    const behindMs = nowMs - this.#behindSinceMs;
    if (behindMs < SLOW_AFTER_MS) return;
    this.#rate = Math.max(RATE_MIN, Math.min(this.#rate, (this.#ticksBehind * this.#frameMs) / behindMs));
    this.#behindSinceMs = Number.NaN;
    // What it could not make is given up: the peer waits from now on.
    this.#nextMs = nowMs;
  }

  /** A tick was run. */
  ticked(): void {
    this.#nextMs += this.#frameMs / this.speed;
    this.#ticksBehind++;
  }

  /** How far `nowMs` lies between the last tick and the next, 0 to 1. */
  alpha(nowMs: number): number {
    if (Number.isNaN(this.#nextMs)) return 0;
    return Math.max(0, Math.min(1, 1 - (this.#nextMs - nowMs) / this.#frameMs));
  }
}

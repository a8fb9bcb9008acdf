import { catchUpSteps } from '@riposte/shared';

/** The most steps for one drawn frame: catching up never freezes the page. */
export const STEPS_PER_DRAW_MAX = 3;

/**
 * Says how many ticks are due at a time. A machine that was away is behind; it catches up by at most
 * `STEPS_PER_DRAW_MAX` ticks a call, and by no more than `backlogMax` frames altogether: the peer could not have run
 * farther ahead than that.
 */
export class Pacer {
  readonly #frameMs: number;
  readonly #backlogMax: number;
  #nextMs = Number.NaN;

  constructor(tickRate: number, backlogMax: number) {
    this.#frameMs = 1000 / tickRate;
    this.#backlogMax = backlogMax;
  }

  /** The first tick is due at `nowMs`. */
  start(nowMs: number): void {
    this.#nextMs = nowMs;
  }

  /** How many ticks to run now, 0 to `STEPS_PER_DRAW_MAX`. Each that is run must be followed by `ticked`. */
  due(nowMs: number): number {
    if (Number.isNaN(this.#nextMs) || nowMs < this.#nextMs) return 0;
    const oldest = nowMs - this.#backlogMax * this.#frameMs;
    if (this.#nextMs < oldest) this.#nextMs = oldest;
    return catchUpSteps((nowMs - this.#nextMs) / this.#frameMs, STEPS_PER_DRAW_MAX);
  }

  /** A tick was run, at `speed` times the game's rate. */
  ticked(speed: number): void {
    this.#nextMs += this.#frameMs / speed;
  }

  /** How far `nowMs` lies between the last tick and the next, 0 to 1. */
  alpha(nowMs: number): number {
    if (Number.isNaN(this.#nextMs)) return 0;
    return Math.max(0, Math.min(1, 1 - (this.#nextMs - nowMs) / this.#frameMs));
  }
}

import { catchUpSteps } from '@riposte/shared';

/** The most steps for one drawn frame: catching up never freezes the page. */
const STEPS_PER_DRAW_MAX = 3;
/** Errors below this many frames are noise of jitter and of the screen's own rhythm. */
const DEAD_ZONE_FRAMES = 0.25;
/** The most by which a small error changes the speed: nobody sees 1.5 %. */
const SPEED_CHANGE_MAX = 0.015;
/** From this many frames on the speed changes by a quarter: late inputs hurt more than a quick second. */
const FAR_FRAMES = 1.5;
const FAR_CHANGE = 0.25;
/** An error of half a second at 60 Hz is no drift: the client begins anew at the right moment. */
const RESTART_FRAMES = 30;

/**
 * Says how many ticks are due, ahead of the authority: each frame by the moment at which its input must leave here to
 * be there on time. That moment moves with the link; the pace follows it smoothly.
 */
export class LeadPacer {
  readonly #frameMs: number;
  #nextMs = Number.NaN;

  constructor(tickRate: number) {
    this.#frameMs = 1000 / tickRate;
  }

  /** The next tick is due at `nextMs`. */
  start(nextMs: number): void {
    this.#nextMs = nextMs;
  }

  /** How many ticks to run now, 0 to `STEPS_PER_DRAW_MAX`. Each that is run must be followed by `ticked` or `held`. */
  due(nowMs: number): number {
    if (!(nowMs >= this.#nextMs)) return 0;
    return catchUpSteps((nowMs - this.#nextMs) / this.#frameMs, STEPS_PER_DRAW_MAX);
  }

  /** A tick could not advance: it has no right moment, and those that were not run are not made up for. */
  held(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs + this.#frameMs, nowMs);
  }

  /** A tick was run; `wantedMs` is the right moment of the next one. */
  ticked(wantedMs: number): void {
    this.#nextMs += this.#frameMs;
    const frames = (wantedMs - this.#nextMs) / this.#frameMs;
    const size = Math.abs(frames);
    if (size < DEAD_ZONE_FRAMES) return;
    if (size > RESTART_FRAMES) this.#nextMs = wantedMs;
    else {
      const change = size > FAR_FRAMES ? FAR_CHANGE : Math.min(SPEED_CHANGE_MAX, size * SPEED_CHANGE_MAX);
      this.#nextMs += Math.sign(frames) * change * this.#frameMs;
    }
  }

  /** How far `nowMs` lies between the last tick and the next, 0 to 1. */
  alpha(nowMs: number): number {
    if (Number.isNaN(this.#nextMs)) return 0;
    return Math.max(0, Math.min(1, 1 - (this.#nextMs - nowMs) / this.#frameMs));
  }
}

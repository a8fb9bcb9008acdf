import { DisplayedPosition, type DisplayOptions } from './displayed-position.js';
import type { StateAfter } from './state-after.js';

/** A page that was away for more frames than this does not animate what it missed. */
const MISSED_FRAMES_MAX = 8;
/** Weight of one drawn frame in the ticks that each of them shows: about half a second at 60 Hz. */
const DRAW_WEIGHT = 1 / 32;
/** A screen that draws at least this often between ticks is faster than the game: it interpolates. */
const FAST_TICKS_PER_DRAW = 0.85;

export interface ThingsOptions<S> extends DisplayOptions {
  /** Where each thing is, by its coordinate along the one way that it moves; as many each time. */
  readonly positions: (state: S) => readonly number[];
  /** Whether a thing jumped by the game's own rules from one frame to the next: that is neither blended nor interpolated. */
  readonly teleports?: (before: S, after: S, thing: number) => boolean;
}

/** What a view is told with each picture. */
export interface Moment<S> {
  readonly nowMs: number;
  /** The last simulated frame, and how far the present lies between it and the next, 0 to 1. */
  readonly frame: number;
  readonly alpha: number;
  readonly stateAfter?: StateAfter<S> | undefined;
  /** Shows the logic as it is: for those who asked for less motion. */
  readonly still?: boolean;
}

/**
 * Where to draw the things of a game whose past may change between two pictures: tells what moved by the game's steps
 * from what a rollback or an authority corrected, and blends the corrections alone.
 */
export class DisplayedThings<S> {
  readonly #options: ThingsOptions<S>;
  #things: DisplayedPosition<number>[] = [];
  #frame = Number.NaN;
  #ticksPerDraw = 1;

  constructor(options: ThingsOptions<S>) {
    this.#options = options;
  }

  /** Takes the present state, once a picture; returns where to draw each thing. */
  show(state: S, moment: Moment<S>): readonly number[] {
    const { frame, nowMs, alpha, stateAfter, still = false } = moment;
    const ticks = frame - this.#frame;
    this.#frame = frame;
    if (ticks >= 0) this.#ticksPerDraw += (Math.min(ticks, 2) - this.#ticksPerDraw) * DRAW_WEIGHT;
    // Without the past nothing tells a correction from a step.
    const isPlain = still || stateAfter === undefined || !(ticks >= 0 && ticks <= MISSED_FRAMES_MAX);
    if (isPlain || !this.#follow(state, moment, ticks, stateAfter)) this.#reset(state);
    const isFast = this.#ticksPerDraw < FAST_TICKS_PER_DRAW;
    return this.#things.map((thing) => thing.shown(nowMs, isFast && !isPlain ? alpha : 1));
  }

  #reset(state: S): void {
    const positions = this.#options.positions(state);
    if (this.#things.length !== positions.length) {
      this.#things = positions.map((position) => new DisplayedPosition<number>(position, this.#options));
    }
    for (const [thing, position] of positions.entries()) this.#things[thing]!.teleport(position);
  }

  /** Brings the display to the present, frame by frame. False where a frame between is not known. */
  #follow(state: S, { frame, nowMs, alpha }: Moment<S>, ticks: number, stateAfter: StateAfter<S>): boolean {
    const at = (each: number) => (each === frame ? state : stateAfter(each));
    let before = at(frame - ticks);
    if (before === undefined) return false;
    // A correction is made by a tick, the first of several, however long after it the picture is drawn.
    const sinceTicks = alpha + Math.max(0, ticks - 1);
    this.#correct(before, nowMs - (sinceTicks * 1000) / this.#options.tickRate);
    for (let each = frame - ticks + 1; each <= frame; each++) {
      const after = at(each);
      if (after === undefined) return false;
      for (const [thing, position] of this.#options.positions(after).entries()) {
        if (this.#options.teleports?.(before, after, thing) === true) this.#things[thing]!.teleport(position);
        else this.#things[thing]!.step(position);
      }
      before = after;
    }
    return true;
  }

  /** What was shown as the state of that frame is another one now. */
  #correct(state: S, nowMs: number): void {
    for (const [thing, position] of this.#options.positions(state).entries()) {
      const shown = this.#things[thing]!;
      if (position !== shown.logical) shown.correct(position, nowMs);
    }
  }
}

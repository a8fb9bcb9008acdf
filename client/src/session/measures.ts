import { type StateModel, stateDistance } from '@riposte/shared';
import { Samples, type Spread } from './samples.js';

/** Reading more often gives the same numbers again: percentiles of a minute change no faster. */
const READ_MS = 250;
/** One tick in so many is sampled where all would tell the same: four a second at 60 Hz. */
const SAMPLE_TICKS = 15;
/** The pace is that of the last second. */
const PACE_MS = 1000;
/** How large a correction was is looked at now and then, and for at most a thousandth of the time: states may be large. */
const SIZE_MS = 250;
const SIZE_SHARE = 1000;
/** A minute of one a tick at 60 Hz. */
const TICKS_KEPT = 4096;

/** How prediction fares at one player: counts since the beginning, spreads over the last minute. */
export interface Measures {
  /** Milliseconds; the longest of them where there are several. */
  readonly rttMs: Spread;
  /** How many frames each rollback went back. */
  readonly rollbackFrames: Spread;
  /** Milliseconds that each return took, where there is a clock. */
  readonly resimulationMs: Spread;
  /**
   * By how much the prediction was wrong: the distance between the two states, over all their fields. Against an authority
   * at each acknowledged moment, for its word is about the past. Between peers of some rollbacks, and of the present before
   * and after: one frame, by which the picture jumps, and whose state is at hand also where predicted ones are not saved.
   */
  readonly corrections: Spread;
  /** How many frames old another player's input was when it took effect here. */
  readonly inputAges: Spread;
  /** How many ticks in a row could not advance, each time that some could not. */
  readonly stallTicks: Spread;
  /** Frames that were simulated and not yet confirmed, and how many may be now. */
  readonly predictedFrames: Spread;
  readonly window: number;
  /** Frames simulated in each second, as a share of the game's rate. */
  readonly pace: Spread;
}

/** Takes the measures of one running match; it watches the simulation's rollbacks itself. Its memory is bounded, and what it is told makes no garbage. */
export class Meter<S> {
  readonly rttMs = new Samples();
  readonly rollbackFrames = new Samples();
  readonly resimulationMs = new Samples();
  readonly corrections = new Samples();
  readonly inputAges = new Samples(TICKS_KEPT);
  readonly stallTicks = new Samples();
  readonly predictedFrames = new Samples();
  readonly pace = new Samples(128);
  /** Told of each correction that was measured: its size, and before which frame, where that is not the present one. */
  onCorrection: ((size: number, frame?: number) => void) | undefined;
  readonly #model: StateModel<S>;
  readonly #tickRate: number;
  readonly #clock: (() => number) | undefined;
  readonly #measuresSizes: boolean;
  #predicted: S | undefined;
  #isSized = false;
  #nextSizeMs = Number.NEGATIVE_INFINITY;
  /** Null before the first tick, which also keeps engines from making a new number of it at each reading. */
  #nowMs: number | null = null;
  #startMs = 0;
  #ticks = 0;
  #stalled = 0;
  #advanced = 0;
  #paceFromMs = Number.NaN;
  #readMs = Number.NEGATIVE_INFINITY;
  #read: Measures | undefined;

  /** `clock` gives milliseconds. `measuresSizes`: how large the corrections are is found out here. */
  constructor(model: StateModel<S>, tickRate: number, clock: (() => number) | undefined, measuresSizes: boolean) {
    this.#model = model;
    this.#tickRate = tickRate;
    this.#clock = clock;
    this.#measuresSizes = measuresSizes && clock !== undefined;
  }

  /** The simulation goes back, for `frames` that had run with a wrong input; it says so before, and after by `end`. */
  begin(frames: number, state: S): void {
    const nowMs = this.#nowMs ?? 0;
    if (frames > 0) this.rollbackFrames.add(nowMs, frames);
    this.#isSized = this.#measuresSizes && frames > 0 && nowMs >= this.#nextSizeMs;
    if (this.#isSized) {
      this.#predicted ??= this.#model.create();
      this.#model.copy(state, this.#predicted);
    }
    this.#startMs = this.#clock?.() ?? 0;
  }

  end(state: S): void {
    if (this.#clock === undefined) return;
    const nowMs = this.#nowMs ?? 0;
    const doneMs = this.#clock();
    this.resimulationMs.add(nowMs, doneMs - this.#startMs);
    if (!this.#isSized || this.#predicted === undefined) return;
    this.corrected(nowMs, stateDistance(this.#model, this.#predicted, state));
    this.#nextSizeMs = nowMs + Math.max(SIZE_MS, (this.#clock() - doneMs) * SIZE_SHARE);
  }

  /** The prediction was wrong by `size`: at the present moment, or for the state before `frame`. */
  corrected(nowMs: number, size: number, frame?: number): void {
    this.corrections.add(nowMs, size);
    this.onCorrection?.(size, frame);
  }

  /** Another player's input arrived and takes effect now, `frames` after its own. */
  took(nowMs: number, frames: number): void {
    this.inputAges.add(nowMs, Math.max(0, frames));
  }

  /**
   * A tick is over: whether it simulated a frame or was held back, how many are unconfirmed, and where the newest round
   * trip is to be read, if any was measured.
   */
  tick(
    nowMs: number,
    tick: 'advanced' | 'stalled' | 'over',
    predictedFrames: number,
    rtt: { readonly newestMs: number } | undefined,
  ): void {
    this.#nowMs = nowMs;
    if (tick === 'stalled') this.#stalled++;
    else if (this.#stalled > 0) {
      this.stallTicks.add(nowMs, this.#stalled);
      this.#stalled = 0;
    }
    if (this.#ticks++ % SAMPLE_TICKS === 0) {
      this.predictedFrames.add(nowMs, predictedFrames);
      if (rtt !== undefined && !Number.isNaN(rtt.newestMs)) this.rttMs.add(nowMs, rtt.newestMs);
    }
    if (tick === 'over') return;
    const sinceMs = nowMs - this.#paceFromMs;
    if (sinceMs >= PACE_MS) this.pace.add(nowMs, (this.#advanced * 1000) / (sinceMs * this.#tickRate));
    if (!(sinceMs < PACE_MS)) {
      this.#paceFromMs = nowMs;
      this.#advanced = 0;
    }
    if (tick === 'advanced') this.#advanced++;
  }

  /** The measures at `nowMs`; the same object for a quarter of a second. `window`: frames that may be predicted now. */
  read(nowMs: number, window: number): Measures {
    if (this.#read !== undefined && Math.abs(nowMs - this.#readMs) < READ_MS) return this.#read;
    this.#readMs = nowMs;
    this.#read = {
      rttMs: this.rttMs.spread(nowMs),
      rollbackFrames: this.rollbackFrames.spread(nowMs),
      resimulationMs: this.resimulationMs.spread(nowMs),
      corrections: this.corrections.spread(nowMs),
      inputAges: this.inputAges.spread(nowMs),
      stallTicks: this.stallTicks.spread(nowMs),
      predictedFrames: this.predictedFrames.spread(nowMs),
      window,
      pace: this.pace.spread(nowMs),
    };
    return this.#read;
  }
}

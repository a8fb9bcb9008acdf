/** After the first frames, one frame in so many is timed: reading the clock costs as much as a small step. */
const SAMPLE_EVERY = 16;
const SAMPLES_AT_START = 32;
/** The older half of the samples is forgotten at this many, so that the figures follow the game. */
const SAMPLES_MAX = 512;
/** Share of a tick that rollback may use; the rest is the page's, for drawing. */
const BUDGET_SHARE = 0.5;
/** Sparse saving must promise this much less work before it is chosen, so that noise does not toggle it. */
const SPARSE_GAIN_MIN = 0.1;
/** Weight of a tick in the averages of depth and re-simulated frames: about a second at 60 Hz. */
const TICK_WEIGHT = 1 / 64;

/**
 * Measures what a step and a save cost. Browsers' clocks are coarse, but the mean of many readings is right. What
 * follows from it: how far a rollback may reach within a tick, and whether saving fewer frames costs less.
 */
export class CostMeter {
  /** Milliseconds. */
  readonly now: () => number;
  readonly #tickMs: number;
  #frames = 0;
  #samples = 0;
  #stepMs = 0;
  #saveMs = 0;
  #depth = 0;
  #resimulated = 0;

  /** `clock` gives milliseconds. */
  constructor(clock: () => number, tickRate: number) {
    this.now = clock;
    this.#tickMs = 1000 / tickRate;
  }

  /** Whether the frame about to run is timed. */
  isDue(): boolean {
    this.#frames++;
    return this.#frames <= SAMPLES_AT_START || this.#frames % SAMPLE_EVERY === 0;
  }

  /** Takes one timed frame; a frame that was not saved has NaN for it. */
  sample(stepMs: number, saveMs: number): void {
    if (this.#samples === SAMPLES_MAX) {
      this.#samples /= 2;
      this.#stepMs /= 2;
      this.#saveMs /= 2;
    }
    this.#saveMs += Number.isNaN(saveMs) ? this.saveMs : saveMs;
    this.#stepMs += stepMs;
    this.#samples++;
  }

  /** Takes one tick: how many frames are predicted, and how many were run again. */
  tick(predictedFrames: number, resimulatedFrames: number): void {
    this.#depth += (predictedFrames - this.#depth) * TICK_WEIGHT;
    this.#resimulated += (resimulatedFrames - this.#resimulated) * TICK_WEIGHT;
  }

  /** Mean milliseconds of a step; 0 before the first sample. */
  get stepMs(): number {
    return this.#stepMs / (this.#samples || 1);
  }

  /** Mean milliseconds of saving a state; 0 before the first sample. */
  get saveMs(): number {
    return this.#saveMs / (this.#samples || 1);
  }

  /** How many frames a rollback may run again within its share of a tick: at least 1, infinite before the first sample. */
  get affordableFrames(): number {
    return Math.max(1, Math.floor((this.#tickMs * BUDGET_SHARE) / (this.stepMs + this.saveMs)) - 1);
  }

  /**
   * Whether saving only final frames costs clearly less. Each tick then loads the last final state, runs all
   * predicted frames again and saves one; saving every frame costs a save for each frame that is run.
   */
  get favorsSparse(): boolean {
    const every = (1 + this.#resimulated) * (this.stepMs + this.saveMs);
    const sparse = (1 + this.#depth) * this.stepMs + 2 * this.saveMs;
    return sparse < every * (1 - SPARSE_GAIN_MIN);
  }
}

import { type CorrectionOptions, type CorrectionPlan, planCorrection } from '@riposte/shared';

/** A correction this small beside `snapDistance` may be one of a train. */
const SMALL_SHARE = 1 / 8;

/**
 * By how much the picture is off the logic, and how that goes away: a function of the time since the last correction
 * alone, so that every screen shows the same, however often it draws. Knows coordinates only.
 */
export class DisplayOffset {
  /** Corrections that joined the blend before them. */
  merged = 0;
  readonly #options: CorrectionOptions;
  readonly #smallDistance: number;
  readonly #trainMs: number;
  #offset: readonly number[] = [];
  #startMs = 0;
  #blendMs = 0;
  #correctedMs = Number.NEGATIVE_INFINITY;

  /** `smallDistance`: corrections below it, close to each other, are merged; an eighth of `snapDistance` by default. */
  constructor(options: CorrectionOptions, smallDistance = options.snapDistance * SMALL_SHARE) {
    this.#options = options;
    this.#smallDistance = smallDistance;
    this.#trainMs = (options.maxBlendFrames * 1000) / options.tickRate;
  }

  /** What is left of the offset: fast at first, then gently to nothing. */
  at(nowMs: number): readonly number[] {
    const left = 1 - Math.max(0, nowMs - this.#startMs) / this.#blendMs;
    if (!(left > 0)) return this.#offset.map(() => 0);
    return this.#offset.map((value) => value * left * left);
  }

  /**
   * The logic moved by `move` under the picture: plans anew from what is shown now. `corrected` is where the logic is.
   * A small correction soon after another one shares its blend, over the longest time: a train of them moves the
   * picture once, and slowly, instead of shaking it.
   */
  correct(move: readonly number[], corrected: readonly number[], nowMs: number): CorrectionPlan<readonly number[]> {
    const before = this.at(nowMs);
    const offset = move.map((value, index) => (before[index] ?? 0) - value);
    const shown = corrected.map((value, index) => value + offset[index]!);
    let plan = planCorrection(shown, corrected, this.#options);
    const size = planCorrection(
      move,
      move.map(() => 0),
      this.#options,
    ).error;
    if (size === 0) return plan;
    const isTrain = size < this.#smallDistance && nowMs - this.#correctedMs < this.#trainMs;
    this.#correctedMs = nowMs;
    if (plan.mode !== 'blend') {
      this.#offset = [];
      return plan;
    }
    if (isTrain) {
      this.merged++;
      plan = { ...plan, blendFrames: this.#options.maxBlendFrames, blendMs: this.#trainMs };
    }
    this.#offset = offset;
    this.#startMs = nowMs;
    this.#blendMs = plan.blendMs;
    return plan;
  }

  /** Shows the logic from now on: after a teleport nothing is smoothed. */
  clear(): void {
    this.#offset = [];
    this.#correctedMs = Number.NEGATIVE_INFINITY;
  }
}

import type { Settings } from '../game/game.js';
import type { Predictor } from '../input/predictor.js';

/** Frames of prediction: what a usual link of up to 100 ms and an input delay of two frames need. */
export const MAX_PREDICTION_DEFAULT = 8;

export interface SimOptions {
  /** Seats in this match; the game's number by default. */
  readonly players?: number;
  /** 32-bit unsigned. */
  readonly seed?: number;
  readonly settings?: Settings;
  /** How many frames may be simulated past the last confirmed one; 8 by default. With `sparse` saving below `history`. */
  readonly maxPrediction?: number | undefined;
  /** How many frames of states and inputs are kept, rounded up to a power of two; 128 by default. */
  readonly history?: number;
  /** What a missing input is taken for; by default the game's own choice, else that what is held stays held. */
  readonly predictor?: Predictor;
  /** By how many frames a rollback may move an effect that plays on; the game's own choice by default. */
  readonly slackFrames?: number;
  /**
   * Which simulated frames are saved: `every` one, or, `sparse`, only those that are final, which costs steps and
   * spares saves. `auto`, the default, chooses by measure, and saves every frame without a clock.
   */
  readonly saving?: 'every' | 'sparse' | 'auto';
  /** Milliseconds, such as `performance.now`: with it the costs are measured, and the window kept affordable. */
  readonly clock?: (() => number) | undefined;
}

/** Watches a simulation go back and run frames again. It reads the states, and neither writes nor keeps them. */
export interface RollbackWatch<S> {
  /** `frames` had run with a wrong input; 0 where frames only run again to be saved. `state` is the present as predicted. */
  begin(frames: number, state: S): void;
  /** The present as it is now. */
  end(state: S): void;
}

/** What rollback has cost so far. */
export interface SimStats {
  readonly rollbacks: number;
  /** The deepest rollback, in frames. */
  readonly maxRollbackFrames: number;
  readonly resimulatedFrames: number;
  /** How often a frame was refused at the prediction limit. */
  readonly stalledFrames: number;
  /** Mean milliseconds of a step, and of saving a state; 0 without a clock. */
  readonly stepMs: number;
  readonly saveMs: number;
  /** Frames that may be predicted now: less than `maxPrediction` when the game is too slow to run them again in time. */
  readonly window: number;
}

/** The decided match: `frame` is the one whose step decided it. */
export interface Outcome {
  readonly frame: number;
  readonly result: unknown;
}

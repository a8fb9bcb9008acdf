import type { Game } from '../game/game.js';
import type { Recording } from './reader.js';
import { Resimulation } from './resimulation.js';

/** One named place where the recorded state and the computed one differ. */
export interface RecordedDifference {
  readonly path: string;
  readonly recorded: unknown;
  readonly computed: unknown;
}

export interface Mismatch {
  /** The frame whose step made it: the state before it agrees, the state after it does not. */
  readonly frame: number;
  /** The hashes of the state after that frame, 32-bit unsigned. */
  readonly recorded: number;
  readonly computed: number;
  /** Where the states differ; empty when the recording does not hold its state there. */
  readonly fields: readonly RecordedDifference[];
}

export interface Verification {
  /** Every recorded hash equals the computed one. */
  readonly ok: boolean;
  readonly firstFrame: number;
  /** How many frames the recording holds. */
  readonly frames: number;
  readonly firstMismatch: Mismatch | null;
  /** The recording breaks off or is damaged: the frames before that were verified. */
  readonly truncated: boolean;
}

export interface ProgressOptions {
  /** Called now and then with the frames run so far and those to run in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** How many frames run between two calls of `onProgress`: a few calls a second. */
export const PROGRESS_FRAMES = 65_536;

/**
 * Runs a recorded match again and compares every hash, up to the first that differs.
 * Throws `other-game` for a recording of another game or version; `bad-game` when the game throws.
 */
export function verify<S, I>(game: Game<S, I>, recording: Recording, options: ProgressOptions = {}): Verification {
  const simulation = new Resimulation(game, recording);
  const { firstFrame, frames, hashes, truncated } = recording;
  for (let frame = 0; frame < frames; frame++) {
    if (frame % PROGRESS_FRAMES === 0) options.onProgress?.(frame, frames);
    const computed = simulation.advance();
    const recorded = hashes[frame]!;
    if (computed !== recorded) {
      return { ok: false, firstFrame, frames, firstMismatch: { frame, recorded, computed, fields: [] }, truncated };
    }
  }
  return { ok: true, firstFrame, frames, firstMismatch: null, truncated };
}

import { RiposteError } from '../errors.js';
import type { Game } from '../game/game.js';
import type { StateModel } from '../state/model.js';
import { alteredState } from './altered.js';
import { type Keyframe, keyframeFrom } from './keyframes.js';
import { type PartedFields, UNKNOWN_FIELDS } from './parting.js';
import type { Recording } from './reader.js';
import { keyframeState, Resimulation } from './resimulation.js';

/** One named place where the recorded state and the computed one differ. */
export interface RecordedDifference {
  readonly path: string;
  readonly recorded: unknown;
  readonly computed: unknown;
  /** For floats, how many representable ones lie between; absent when one of them is NaN or infinite. */
  readonly ulps?: number;
}

/** The first difference between a recording and a run of it. */
export interface Mismatch extends PartedFields<RecordedDifference> {
  /**
   * The frame whose step made it: the state before it agrees, the state after it does not. The first frame when the
   * state before that one differs already: then `fieldsFrame` is the first frame too.
   */
  readonly frame: number;
  /** The hashes of the state after that frame, 32-bit unsigned. */
  readonly recorded: number;
  readonly computed: number;
}

export interface Verification {
  /** Every recorded hash and state equals the computed one. */
  readonly ok: boolean;
  /** Where the recording, and this run of it, begins. */
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

function fieldsBetween<S>(model: StateModel<S>, recorded: S, computed: S): RecordedDifference[] {
  return model.diff(recorded, computed).map(({ a, b, ...where }) => ({ ...where, recorded: a, computed: b }));
}

/**
 * Where the states differ, once the step before `simulation.frame` was found to make another hash than `recorded`: right
 * there when they differ by a byte, else at the next keyframe, the frames up to it run from the computed state. The game
 * may throw on the way, as on inputs for the other state; then nothing is known.
 */
function fieldsAfter<S, I>(
  game: Game<S, I>,
  { keyframes }: Recording,
  simulation: Resimulation<S, I>,
  recorded: number,
): PartedFields<RecordedDifference> {
  const { frame } = simulation;
  const keyframe = keyframeFrom(keyframes, frame);
  const altered = keyframe?.frame === frame ? undefined : alteredState(game.state, simulation.state, recorded);
  if (altered !== undefined) {
    const fields = fieldsBetween(game.state, altered, simulation.state);
    return { fields, fieldsFrame: frame, fieldsFrom: 'hash' };
  }
  if (keyframe === undefined) return UNKNOWN_FIELDS;
  try {
    while (simulation.frame < keyframe.frame) simulation.advance();
  } catch (error) {
    if (!(error instanceof RiposteError && error.code === 'bad-game')) throw error;
    return UNKNOWN_FIELDS;
  }
  const fields = fieldsBetween(game.state, keyframeState(game, keyframe), simulation.state);
  return { fields, fieldsFrame: keyframe.frame, fieldsFrom: 'keyframe' };
}

/** Compares the recorded state at `keyframe` with its own hash and with the computed one; null when both agree. */
function keyframeMismatch<S, I>(
  game: Game<S, I>,
  { firstFrame }: Recording,
  keyframe: Keyframe,
  simulation: Resimulation<S, I>,
): Mismatch | null {
  const state = keyframeState(game, keyframe);
  const held = game.state.hash(state);
  const computed = simulation.hash();
  if (held === keyframe.hash && computed === held) return null;
  // Of the two recorded values the one that is wrong: the state, or the hash that was written with it.
  const recorded = held === computed ? keyframe.hash : held;
  const fields = fieldsBetween(game.state, state, simulation.state);
  const frame = Math.max(firstFrame, keyframe.frame - 1);
  return { frame, recorded, computed, fields, fieldsFrame: keyframe.frame, fieldsFrom: 'keyframe' };
}

/**
 * Runs a recorded match again, from its first frame on, and compares every hash and every recorded state, up to the
 * first that differs.
 * Throws `other-game` for a recording of another game or version; `bad-game` when the game throws.
 */
export function verify<S, I>(game: Game<S, I>, recording: Recording, options: ProgressOptions = {}): Verification {
  const simulation = new Resimulation(game, recording);
  const { firstFrame, frames, hashes, keyframes, truncated } = recording;
  const differing = (firstMismatch: Mismatch): Verification => ({
    ok: false,
    firstFrame,
    frames,
    firstMismatch,
    truncated,
  });
  const endFrame = firstFrame + frames;
  let next = 0;
  for (;;) {
    const { frame } = simulation;
    if (keyframes[next]?.frame === frame) {
      const mismatch = keyframeMismatch(game, recording, keyframes[next]!, simulation);
      if (mismatch !== null) return differing(mismatch);
      next++;
    }
    if (frame === endFrame) break;
    const done = frame - firstFrame;
    if (done % PROGRESS_FRAMES === 0) options.onProgress?.(done, frames);
    const pause = frame + PROGRESS_FRAMES - (done % PROGRESS_FRAMES);
    const until = Math.min(endFrame, pause, keyframes[next]?.frame ?? endFrame);
    if (simulation.runWhileEqual(hashes, firstFrame, until)) continue;
    const wrong = simulation.frame - 1;
    const recorded = hashes[wrong - firstFrame]!;
    const computed = simulation.hash();
    return differing({ frame: wrong, recorded, computed, ...fieldsAfter(game, recording, simulation, recorded) });
  }
  return { ok: true, firstFrame, frames, firstMismatch: null, truncated };
}

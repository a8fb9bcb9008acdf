import { RiposteError } from '../errors.js';
import type { Game } from '../game/game.js';
import type { FieldDifference } from '../state/model.js';
import { alteredState } from './altered.js';
import { keyframeFrom, keyframeUpTo } from './keyframes.js';
import type { Recording } from './reader.js';
import { keyframeState, Resimulation } from './resimulation.js';

/**
 * How the state that differs is known. `keyframe`: it was recorded. `hash`: it differs from the state of the replay in
 * one byte, and of all such states this one has the recorded hash.
 */
export type FieldsFrom = 'keyframe' | 'hash';

/** Where two states differ, and which states those are. */
export interface PartedFields<D> {
  /** In layout order; empty when the states are not known, or were equal again. */
  readonly fields: readonly D[];
  /** The values are those before this frame; null when no states could be compared. */
  readonly fieldsFrame: number | null;
  readonly fieldsFrom: FieldsFrom | null;
}

export const UNKNOWN_FIELDS = { fields: [], fieldsFrame: null, fieldsFrom: null } as const;

/** The recorded hash of the state before `frame`; undefined when the recording does not say. */
export function hashBefore({ firstFrame, frames, hashes, keyframes }: Recording, frame: number): number | undefined {
  if (frame > firstFrame) return frame <= firstFrame + frames ? hashes[frame - 1 - firstFrame] : undefined;
  return keyframes.find((keyframe) => keyframe.frame === frame)?.hash;
}

/**
 * The state of a recording before `frame`: recorded there, or run again from the nearest keyframe up to `agreedFrame`,
 * where that gives the recorded hash. Undefined when neither is so.
 */
function stateOf<S, I>(game: Game<S, I>, recording: Recording, frame: number, agreedFrame: number): S | undefined {
  const recorded = recording.keyframes.find((keyframe) => keyframe.frame === frame);
  if (recorded !== undefined) return keyframeState(game, recorded);
  const hash = hashBefore(recording, frame);
  if (hash === undefined) return undefined;
  const simulation = new Resimulation(game, recording, keyframeUpTo(recording.keyframes, agreedFrame));
  try {
    while (simulation.frame < frame) simulation.advance();
  } catch (error) {
    if (!(error instanceof RiposteError && error.code === 'bad-game')) throw error;
    return undefined;
  }
  return simulation.hash() === hash ? simulation.state : undefined;
}

/**
 * Where two recordings' states differ, whose steps of `frame` parted them: right after it where a state was recorded there,
 * or where the one that the replay does not agree with differs by a byte from `replayed` (the replay's state then, and its
 * side), else at the first keyframe after it at which both sides' states are known.
 */
export function partedFields<S, I>(
  game: Game<S, I>,
  [a, b]: readonly [Recording, Recording],
  frame: number,
  replayed: { readonly side: 'a' | 'b'; readonly state: S } | undefined,
): PartedFields<FieldDifference> {
  const isHeld = [a, b].some(({ keyframes }) => keyframes.some((keyframe) => keyframe.frame === frame + 1));
  if (replayed !== undefined && !isHeld) {
    const { side, state } = replayed;
    const hash = hashBefore(side === 'a' ? b : a, frame + 1);
    const altered = hash === undefined ? undefined : alteredState(game.state, state, hash);
    if (altered !== undefined) {
      const fields = side === 'a' ? game.state.diff(state, altered) : game.state.diff(altered, state);
      return { fields, fieldsFrame: frame + 1, fieldsFrom: 'hash' };
    }
  }
  const frames = [a, b].flatMap(({ keyframes }) => keyframeFrom(keyframes, frame + 1)?.frame ?? []);
  for (const fieldsFrame of [...new Set(frames)].sort((one, other) => one - other)) {
    const aState = stateOf(game, a, fieldsFrame, frame);
    const bState = stateOf(game, b, fieldsFrame, frame);
    if (aState === undefined || bState === undefined) continue;
    return { fields: game.state.diff(aState, bState), fieldsFrame, fieldsFrom: 'keyframe' };
  }
  return UNKNOWN_FIELDS;
}

/** Where two recordings' states before the first frame that both hold differ. */
export function startFields<S, I>(
  game: Game<S, I>,
  [a, b]: readonly [Recording, Recording],
  frame: number,
): PartedFields<FieldDifference> {
  const aState = stateOf(game, a, frame, frame - 1);
  const bState = stateOf(game, b, frame, frame - 1);
  if (aState === undefined || bState === undefined) return UNKNOWN_FIELDS;
  return { fields: game.state.diff(aState, bState), fieldsFrame: frame, fieldsFrom: 'keyframe' };
}

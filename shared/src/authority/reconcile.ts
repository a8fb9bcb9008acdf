import type { Apply } from './state-face.js';
import { checkNumbers, copyValue } from './values.js';

/** An input that the authority has not yet confirmed. */
export interface PendingInput<I> {
  readonly sequence: number;
  readonly input: I;
}

export interface Reconciled<S> {
  /** The authority's state with every input after it applied again: the present. */
  readonly state: S;
  readonly ackSequence: number;
  /** Inputs that were applied again. */
  readonly replayed: number;
  /** Inputs that the authority's state already covers. */
  readonly dropped: number;
}

/** Throws `RangeError` unless `value` is a safe integer. */
export function requireSequence(name: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} is ${String(value)}; expected an integer`);
}

/**
 * The authority's state, brought to the present: drops the inputs at or below `ackSequence` and applies those after
 * it, in the order of their sequence, whatever order they are in. `apply` may change the state it is given or return
 * a new one. Changes none of its arguments, except that a state that is an instance of a class must not be changed in
 * place by `apply`: for states of a model there is `PredictionState`.
 * Throws `RangeError` when a sequence is not an integer or comes twice, `TypeError`, naming the field, when a number in
 * the state or in an input to replay is not finite.
 */
export function reconcile<S, I>(
  apply: Apply<S, I>,
  authoritativeState: S,
  ackSequence: number,
  pending: readonly PendingInput<I>[],
): Reconciled<S> {
  requireSequence('ackSequence', ackSequence);
  for (const { sequence } of pending) requireSequence('pending sequence', sequence);
  const after = pending
    .filter(({ sequence }) => sequence > ackSequence)
    .sort((first, second) => first.sequence - second.sequence);
  for (const [index, { sequence }] of after.entries()) {
    if (after[index + 1]?.sequence === sequence) {
      throw new RangeError(`pending sequence ${sequence} comes twice; expected each once`);
    }
  }
  checkNumbers('state', authoritativeState);
  for (const { input } of after) checkNumbers('input', input);
  const prototype: unknown =
    typeof authoritativeState === 'object' && authoritativeState !== null && Object.getPrototypeOf(authoritativeState);
  const isPlain = prototype === false || prototype === Object.prototype || prototype === Array.prototype;
  let state = isPlain ? copyValue(authoritativeState) : authoritativeState;
  for (const { input } of after) {
    const next = apply(state, copyValue(input));
    if (next !== undefined) state = next;
  }
  return { state, ackSequence, replayed: after.length, dropped: pending.length - after.length };
}

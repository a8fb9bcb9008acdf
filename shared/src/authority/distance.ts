import type { StateModel } from '../state/model.js';

/** Euclidean length, at most the largest number. In units of the largest part, for squares overflow. */
export function lengthOf(parts: readonly number[]): number {
  let unit = 0;
  for (const part of parts) unit = Math.max(unit, Math.min(Math.abs(part), Number.MAX_VALUE));
  let sum = 0;
  for (const part of parts) sum += (part / (unit || 1)) ** 2;
  return Math.min(unit * Math.sqrt(sum), Number.MAX_VALUE);
}

/** The Euclidean length over all numbers that differ between two states; any other field that differs counts as 1. */
export function stateDistance<S>(model: StateModel<S>, a: S, b: S): number {
  return lengthOf(
    model.diff(a, b).map((at) => (typeof at.a === 'number' && typeof at.b === 'number' ? at.a - at.b : 1)),
  );
}

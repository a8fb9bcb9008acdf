import type { RollbackSim } from '@riposte/shared';
import { type StateAfter, stateAfter } from '../display/state-after.js';
import type { DrawInfo, Match } from './match.js';

/** Hands what a match has come to to who draws it: nothing where nobody does, or before its first state. */
export function drawMatch<S, I>(
  match: Pick<Match<S, I>, 'me' | 'status'>,
  sim: RollbackSim<S, I> | undefined,
  alpha: number,
  draw: ((state: S, info: DrawInfo, stateAfter: StateAfter<S>) => void) | undefined,
): void {
  if (sim === undefined || draw === undefined) return;
  const info = { me: match.me, alpha, frame: sim.lastFrame(), status: match.status() };
  draw(sim.state, info, (frame) => stateAfter(sim, frame));
}

import { RiposteError, type RollbackSim } from '@riposte/shared';

/** The state after a recent frame, corrected by all that has arrived, or undefined where it is not kept. A copy. */
export type StateAfter<S> = (frame: number) => S | undefined;

export function stateAfter<S, I>(sim: Pick<RollbackSim<S, I>, 'lastFrame' | 'stateAt'>, frame: number): S | undefined {
  if (frame < -1 || frame > sim.lastFrame()) return undefined;
  try {
    return sim.stateAt(frame + 1);
  } catch (error) {
    if (error instanceof RiposteError && error.code === 'frame-not-kept') return undefined;
    throw error;
  }
}

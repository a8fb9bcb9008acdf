import type { Measures } from '../session/measures.js';
import type { ClientSession } from './client-session.js';

/** What there is to measure beside an authority: numbers since the beginning. */
export interface AuthorityMeasures extends Measures {
  /** The frame that the authority steps next, as far as it is known here. */
  readonly frame: number;
  /** Frames that are simulated here and not yet confirmed. */
  readonly unconfirmedFrames: number;
  /**
   * Frames that may run again in one tick, by the measured cost of a step; null before that is known. Frames that the
   * present still lacks, for a correction needed more than that, and how many did.
   */
  readonly replayBudget: number | null;
  readonly catchingUp: number;
  readonly deferrals: number;
  /** Frames that the authority stepped without this player's input, and own inputs that broke the rules. */
  readonly missedInputs: number;
  readonly deniedInputs: number;
  /** Updates that told nothing new, and such that did not come. */
  readonly staleUpdates: number;
  readonly lostUpdates: number;
  /** Whole states that were taken: after a gap, or because the same inputs gave another state here. */
  readonly statesTaken: number;
  readonly divergences: number;
}

export function measuresOf<S, I>(session: ClientSession<S, I>, nowMs: number): AuthorityMeasures | null {
  const { figures, sim, meter, authorityFrame } = session;
  if (figures === undefined || sim === undefined || meter === undefined) return null;
  return {
    ...meter.read(nowMs, session.predictionMax),
    frame: authorityFrame,
    unconfirmedFrames: Math.max(0, sim.lastFrame() + 1 - authorityFrame),
    replayBudget: Number.isFinite(session.replayBudget) ? session.replayBudget : null,
    catchingUp: session.catchingUp,
    deferrals: session.deferrals,
    missedInputs: figures.missedFrames,
    deniedInputs: session.deniedInputs,
    staleUpdates: figures.staleUpdates,
    lostUpdates: session.lostUpdates,
    statesTaken: figures.statesTaken,
    divergences: figures.divergences,
  };
}

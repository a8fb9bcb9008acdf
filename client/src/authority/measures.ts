import { type Spread, spreadOf } from '../session/samples.js';
import type { ClientSession } from './client-session.js';

/** How a client's prediction fares against its authority: numbers since the beginning, spreads over the last minute. */
export interface AuthorityMeasures {
  /** The frame that the authority steps next, as far as it is known here. */
  readonly frame: number;
  /** Frames that are simulated here and not yet confirmed. */
  readonly unconfirmedFrames: number;
  /** How large each correction was, at the acknowledged moment. */
  readonly corrections: Spread;
  /** How many frames old another player's input was when it took effect here. */
  readonly inputAges: Spread;
  /** Frames that the authority stepped without this player's input, and own inputs that broke the rules. */
  readonly missedInputs: number;
  readonly deniedInputs: number;
  /** Updates that told nothing new. */
  readonly staleUpdates: number;
  /** Whole states that were taken: after a gap, or because the same inputs gave another state here. */
  readonly statesTaken: number;
  readonly divergences: number;
  /** Milliseconds that an update took which made frames run again. */
  readonly resimulationMs: Spread;
}

export function measuresOf<S, I>(session: ClientSession<S, I>, nowMs: number): AuthorityMeasures | null {
  const { figures, sim, authorityFrame } = session;
  if (figures === undefined || sim === undefined) return null;
  return {
    frame: authorityFrame,
    unconfirmedFrames: Math.max(0, sim.lastFrame() + 1 - authorityFrame),
    corrections: spreadOf(figures.corrections, nowMs),
    inputAges: spreadOf(figures.inputAges, nowMs),
    missedInputs: figures.missedFrames,
    deniedInputs: session.deniedInputs,
    staleUpdates: figures.staleUpdates,
    statesTaken: figures.statesTaken,
    divergences: figures.divergences,
    resimulationMs: spreadOf(figures.resimulationMs, nowMs),
  };
}

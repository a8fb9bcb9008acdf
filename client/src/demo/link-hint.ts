import type { MatchStatus } from '../match/match.js';
import { jitterOf, type RoundTrips } from '../overlay/connection.js';

/** Between the middle and the slow twentieth of the round trips: a cable stays well below, a busy radio goes beyond. */
const UNEVEN_MS = 20;

/** Ten seconds of a match: how it began is no longer a twentieth of them. */
const SAMPLES_MIN = 150;

/** The part of a status that it is told from. */
interface Uneven extends Pick<MatchStatus, 'slowMachine'> {
  readonly measures: { readonly rttMs: RoundTrips } | null;
}

/**
 * What would better an uneven connection; undefined while it is even, while a slow machine is what delays it, and before
 * there are `samplesMin` round trips to tell from.
 */
export function linkHint({ measures, slowMachine }: Uneven, samplesMin = SAMPLES_MIN): string | undefined {
  if (measures === null || slowMachine !== null || measures.rttMs.count < samplesMin) return undefined;
  const jitterMs = jitterOf(measures.rttMs);
  if (jitterMs === null || jitterMs < UNEVEN_MS) return undefined;
  return `The connection is uneven, by ${Math.round(jitterMs)} ms: a cable instead of Wi-Fi would help.`;
}

/** What a browser says of the network, where it does. */
declare global {
  interface Navigator {
    readonly connection?: { readonly type?: string };
  }
}

/** The same before anything is measured: by what the device says that it is connected with, where it does. */
export function mediumHint(medium: string | undefined): string | undefined {
  if (medium === 'cellular') return 'This device is on mobile data: Wi-Fi, or better a cable, is more even.';
  return medium === 'wifi' ? 'This device is on Wi-Fi: a cable is more even.' : undefined;
}

import type { MatchStatus } from '../match/match.js';
import type { Spread } from '../session/samples.js';

/** Between the middle and the slow twentieth of the round trips: a cable stays well below, a busy radio goes beyond. */
const UNEVEN_MS = 20;

/** The part of a status that it is told from. */
interface Uneven extends Pick<MatchStatus, 'slowMachine'> {
  readonly measures: { readonly rttMs: Pick<Spread, 'p50' | 'p95'> } | null;
}

/** What would better an uneven connection; undefined while it is even, or while a slow machine is what delays it. */
export function linkHint({ measures, slowMachine }: Uneven): string | undefined {
  const { p50, p95 } = measures?.rttMs ?? { p50: null, p95: null };
  if (p50 === null || p95 === null || slowMachine !== null || p95 - p50 < UNEVEN_MS) return undefined;
  return `The connection is uneven, by ${Math.round(p95 - p50)} ms: a cable instead of Wi-Fi would help.`;
}

import type { MatchStatus } from '../match/match.js';
import type { Spread } from '../session/samples.js';

/** What is asked of round trips. */
export type RoundTrips = Pick<Spread, 'count' | 'p50' | 'p95'>;

/**
 * How uneven the round trips were, in milliseconds: from the middle one to the slow twentieth. Null before there are twenty:
 * one late answer, such as a page gives while it begins, would be all of it.
 */
export function jitterOf({ count, p50, p95 }: RoundTrips): number | null {
  return p50 === null || p95 === null || count < 20 ? null : p95 - p50;
}

/** Packets that were sent and received since the beginning of a match. */
export type PacketCounts = Pick<MatchStatus, 'sentPackets' | 'receivedPackets'>;

/**
 * How many of a hundred packets did not arrive between two moments of a match; null where none was due. Each side sends
 * one a tick to each other: what is missing beside the own ones was lost.
 */
export function lossPercent(then: PacketCounts, now: PacketCounts): number | null {
  const sent = now.sentPackets - then.sentPackets;
  const received = now.receivedPackets - then.receivedPackets;
  return sent > 0 ? Math.max(0, ((sent - received) * 100) / sent) : null;
}

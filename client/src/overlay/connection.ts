import type { MatchStatus } from '../match/match.js';
import type { Spread } from '../session/samples.js';

/** How uneven the round trips were, in milliseconds: from the middle one to the slow twentieth. Null before there is one. */
export function jitterOf({ p50, p95 }: Pick<Spread, 'p50' | 'p95'>): number | null {
  return p50 === null || p95 === null ? null : p95 - p50;
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

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

/** Packets since the beginning of a match. */
export interface PacketCounts {
  readonly sentPackets: number;
  readonly receivedPackets: number;
  /** Beside an authority, which numbers its updates. */
  readonly lostUpdates?: number | undefined;
}

/**
 * How many of a hundred packets did not arrive between two moments of a match; null where none was due. Peers send one a
 * tick to each other: what is missing beside the own ones was lost.
 */
export function lossPercent(then: PacketCounts, now: PacketCounts): number | null {
  const received = now.receivedPackets - then.receivedPackets;
  const due =
    now.lostUpdates === undefined
      ? now.sentPackets - then.sentPackets
      : received + now.lostUpdates - (then.lostUpdates ?? 0);
  return due > 0 ? Math.max(0, ((due - received) * 100) / due) : null;
}

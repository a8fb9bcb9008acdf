/** The most that `auto` chooses: above it a player feels the delay more than the rollbacks it saves. */
const AUTO_DELAY_MAX = 4;

/**
 * Input delay in frames for a measured round trip: half of the one-way latency, so that the other half is covered by
 * prediction, and at most `AUTO_DELAY_MAX`.
 */
export function autoInputDelay(rttMs: number, tickRate: number): number {
  const oneWayFrames = (rttMs / 2 / 1000) * tickRate;
  return Math.max(1, Math.min(AUTO_DELAY_MAX, Math.round(oneWayFrames / 2)));
}

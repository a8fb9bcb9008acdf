/** The most that `auto` chooses: above it a player feels the delay more than the rollbacks it saves. */
const AUTO_DELAY_MAX = 4;
/** What most round trips stay below: the mean would be too short for every other one. */
export const AUTO_DELAY_SHARE = 0.9;
/** Seconds for which a longer, or a shorter, delay must be right before it is taken: late inputs hurt at once. */
const LONGER_AFTER = 2;
const SHORTER_AFTER = 8;

/**
 * Input delay in frames for a round trip: half of the one-way latency, so that the other half is covered by
 * prediction, and at most `AUTO_DELAY_MAX`.
 */
export function autoInputDelay(rttMs: number, tickRate: number): number {
  const oneWayFrames = (rttMs / 2 / 1000) * tickRate;
  return Math.max(1, Math.min(AUTO_DELAY_MAX, Math.round(oneWayFrames / 2)));
}

/** Follows the link with the input delay, slowly enough that nobody feels it change back and forth. */
export class AutoInputDelay {
  readonly #tickRate: number;
  #longerFor = 0;
  #shorterFor = 0;

  constructor(tickRate: number) {
    this.#tickRate = tickRate;
  }

  /** The delay to use now, at most a frame from `current`. Asked once a second, with a high percentile of round trips. */
  next(current: number, rttMs: number): number {
    const wanted = autoInputDelay(rttMs, this.#tickRate);
    this.#longerFor = wanted > current ? this.#longerFor + 1 : 0;
    this.#shorterFor = wanted < current ? this.#shorterFor + 1 : 0;
    if (this.#longerFor < LONGER_AFTER && this.#shorterFor < SHORTER_AFTER) return current;
    this.#longerFor = 0;
    this.#shorterFor = 0;
    return current + Math.sign(wanted - current);
  }
}

/**
 * Keeps two peers' frames level. Each side measures its raw advantage, its simulated frame minus the newest simulated
 * frame it has heard of; the peer's follows from its packets. Half the difference of the two is the real offset, whatever
 * the latencies are.
 */

/** Time over which advantages are averaged, in ticks: short enough to stop a correction where it should end. */
const AVERAGE_TICKS = 12;
/** Offsets below this many frames are noise of jitter and rounding. */
const DEAD_ZONE_FRAMES = 0.25;
/** The most by which a small offset changes the speed: nobody sees 1.5 %. */
const SPEED_CHANGE_MAX = 0.015;
/** Above this many frames the ahead side skips ticks. */
const SKIP_FRAMES = 2.5;
/** One tick in four is skipped then. */
const SKIP_SHARE = 0.25;

export class TimeSync {
  #own = 0;
  #peer = 0;
  #measured = false;

  /** Takes both raw advantages, in simulated frames; once a tick. */
  measure(ownAdvantage: number, peerAdvantage: number): void {
    const weight = this.#measured ? 1 / AVERAGE_TICKS : 1;
    this.#measured = true;
    this.#own += (ownAdvantage - this.#own) * weight;
    this.#peer += (peerAdvantage - this.#peer) * weight;
  }

  /** Forgets what was measured: after a pause the old averages mean nothing. */
  reset(): void {
    this.#measured = false;
    this.#own = 0;
    this.#peer = 0;
  }

  /** Frames by which this side is ahead of the other; negative when it is behind. */
  get offset(): number {
    return (this.#own - this.#peer) / 2;
  }

  /** How fast to tick now: 1 is the game's own rate. The side that is behind speeds up by little, the one ahead slows down. */
  get speed(): number {
    const offset = this.offset;
    if (Math.abs(offset) < DEAD_ZONE_FRAMES) return 1;
    if (offset > SKIP_FRAMES) return 1 - SKIP_SHARE;
    return 1 - Math.max(-SPEED_CHANGE_MAX, Math.min(SPEED_CHANGE_MAX, offset * SPEED_CHANGE_MAX));
  }
}

import { type PredictionWindow, predictionWindow } from '@riposte/shared';
import { RttWindow } from '../session/rtt-window.js';
import { Samples } from '../session/samples.js';

/** Five seconds of updates at 20 Hz: a link that became better is believed after that. */
const DEADLINES = 100;
const DEADLINES_MS = 5000;
/** All but this share of inputs shall be there on time: the window of the 95th percentile. */
const LATE_SHARE = 0.05;
/** Beside what the link needs, in ticks: a screen draws up to so much after a tick is due. */
const MARGIN_TICKS = 1;
/** Taken off the first guess, which knows one round trip and no jitter, in ticks. */
const FIRST_MARGIN_TICKS = 2;

/**
 * How far ahead of the authority a client must be. For one input after the other the authority says how long before
 * its frame's step it came: from that follows the last moment at which a frame's input may leave here, with latency,
 * jitter and the repetition of lost packets all in it, and nobody's clock compared.
 */
export class Lead {
  readonly rtt = new RttWindow();
  readonly #frameMs: number;
  /** Where frame 0's input would have had to leave, by each measure. */
  readonly #deadlines = new Samples(DEADLINES, DEADLINES_MS);
  /** Where it had to leave by most of them. */
  #originMs = Number.NaN;

  constructor(tickRate: number) {
    this.#frameMs = 1000 / tickRate;
  }

  /** The authority steps `frame` in `inMs`, as it said half a round trip ago: the first guess. */
  begin(nowMs: number, frame: number, inMs: number, rttMs: number): void {
    this.rtt.add(rttMs);
    this.rtt.sent(Number.NaN, frame - 1);
    this.#take(nowMs, nowMs - rttMs + inMs - (frame + FIRST_MARGIN_TICKS) * this.#frameMs);
  }

  /** The input of `frame` came `slackMs` before its step, or after it. */
  measured(nowMs: number, frame: number, slackMs: number): void {
    const deadlineMs = this.rtt.whenSent(frame) + slackMs - frame * this.#frameMs;
    if (!Number.isNaN(deadlineMs)) this.#take(nowMs, deadlineMs);
  }

  /**
   * The authority has stepped all frames before `frame`, so that what leaves now for it is late. A guess by which it were
   * not would keep this side waiting with its input, and so from ever being measured: a page that froze as the match
   * began, and read of it late, would follow the updates for good.
   */
  stepped(nowMs: number, frame: number): void {
    this.#originMs = Math.min(this.#originMs, nowMs - frame * this.#frameMs);
  }

  #take(nowMs: number, deadlineMs: number): void {
    this.#deadlines.add(nowMs, deadlineMs);
    this.#originMs = this.#deadlines.percentile(nowMs, LATE_SHARE) ?? deadlineMs;
  }

  /** When to tick the frame whose input plays in `frame`. NaN before the first guess. */
  dueMs(frame: number): number {
    return this.#originMs + (frame - MARGIN_TICKS) * this.#frameMs;
  }

  /** What is to be expected unconfirmed beyond the lead itself: the age of the newest update. */
  window(updatesPerSecond: number): PredictionWindow {
    return predictionWindow({
      rttMs: this.rtt.percentile(1 - LATE_SHARE) ?? 0,
      snapshotIntervalMs: 1000 / updatesPerSecond,
      inputIntervalMs: this.#frameMs,
    });
  }
}

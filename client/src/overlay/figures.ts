import { jitterOf, lossPercent } from './connection.js';
import { History } from './history.js';
import type { WatchedStatus } from './overlay.js';

/** Ten samples a second, ten seconds of them. */
export const SAMPLES_PER_SECOND = 10;
export const SAMPLES = 10 * SAMPLES_PER_SECOND;

/** What counts of a status: numbers that grow. */
interface Counts {
  frame: number;
  resimulated: number;
  stalled: number;
  sentPackets: number;
  sentBytes: number;
  receivedPackets: number;
  lostUpdates: number | undefined;
}

/** One line of the overlay. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly history: History;
  /** The plot reaches at least so far up. */
  readonly least: number;
}

/** Samples of a match's status, each made from what changed within the last second. */
export class Figures {
  readonly all: readonly Figure[];
  readonly #tickRate: number;
  /** By sample, a second of them: reused in turn. */
  readonly #counts: readonly Counts[];
  #samples = 0;

  constructor(tickRate: number) {
    this.#tickRate = tickRate;
    this.#counts = Array.from({ length: SAMPLES_PER_SECOND + 1 }, () => ({
      frame: 0,
      resimulated: 0,
      stalled: 0,
      sentPackets: 0,
      sentBytes: 0,
      receivedPackets: 0,
      lostUpdates: undefined,
    }));
    const figure = (name: string, unit: string, least: number, digits = 0): Figure => ({
      name,
      unit,
      digits,
      least,
      history: new History(SAMPLES),
    });
    this.all = [
      figure('Ping', 'ms', 60),
      figure('Jitter', 'ms', 20),
      figure('Rolled back', 'frames/s', 10),
      figure('Delay', 'frames', 4),
      figure('Pace', '%', 100),
      figure('Stalls', 'ticks/s', 5),
      figure('Packet', 'bytes', 30),
      figure('Loss', '%', 5, 1),
    ];
  }

  /** Takes one sample; ten of them a second. */
  sample(status: WatchedStatus): void {
    const length = this.#counts.length;
    const now = this.#counts[this.#samples % length]!;
    now.frame = status.frame;
    now.resimulated = status.resimulatedFrames;
    now.stalled = status.stalledFrames;
    now.sentPackets = status.sentPackets;
    now.sentBytes = status.sentBytes;
    now.receivedPackets = status.receivedPackets;
    now.lostUpdates = status.authority?.lostUpdates;
    this.#samples++;
    const then = this.#counts[this.#samples % length]!;
    // Before a second is full, and where another match began within it, nothing is known.
    const isKnown = this.#samples >= length && now.frame >= then.frame && now.sentPackets >= then.sentPackets;
    const since = (later: number, earlier: number): number => (isKnown ? later - earlier : Number.NaN);
    const sent = since(now.sentPackets, then.sentPackets);
    const [ping, jitter, rolledBack, delay, pace, stalls, packet, loss] = this.all;
    ping!.history.add(status.rttMs ?? Number.NaN);
    jitter!.history.add((status.measures && jitterOf(status.measures.rttMs)) ?? Number.NaN);
    rolledBack!.history.add(since(now.resimulated, then.resimulated));
    delay!.history.add(status.inputDelay);
    pace!.history.add((since(now.frame, then.frame) * 100) / this.#tickRate);
    stalls!.history.add(since(now.stalled, then.stalled));
    packet!.history.add(sent > 0 ? (now.sentBytes - then.sentBytes) / sent : Number.NaN);
    loss!.history.add((isKnown ? lossPercent(then, now) : null) ?? Number.NaN);
  }
}

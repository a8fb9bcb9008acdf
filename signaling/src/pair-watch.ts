import type { Metrics, WaitingBy } from './metrics.js';

/** Requests that take a seat, and how the one who asks comes to another player. */
const WAITING_BY: ReadonlyMap<string, WaitingBy> = new Map([
  ['create-room', 'code'],
  ['join-room', 'code'],
  ['quick-match', 'quick'],
]);

/** What one connection asks and is told, as metrics. */
export class PairWatch {
  readonly #metrics: Metrics;
  readonly #now: () => number;
  #waiting: { by: WaitingBy; since: number } | undefined;

  /** @param now milliseconds, any origin. */
  constructor(metrics: Metrics, now: () => number) {
    this.#metrics = metrics;
    this.#now = now;
  }

  /** The connection's request of the time `askedAt` was granted; comes before it is told anything else. */
  granted(event: string, askedAt: number): void {
    const by = WAITING_BY.get(event);
    if (event === 'leave-room') this.ended();
    if (by === undefined) return;
    this.ended();
    this.#waiting = { by, since: askedAt };
    this.#metrics.waits(by);
  }

  /** The connection is told something. */
  told(event: string): void {
    if (event === 'signal') this.#metrics.relayed('socket.io');
    else if (event === 'paired') this.#stop(true);
    else if (event === 'room-closed') this.#stop(false);
  }

  /** The connection is over, or has left. */
  ended(): void {
    this.#stop(false);
  }

  #stop(paired: boolean): void {
    if (this.#waiting === undefined) return;
    const { by, since } = this.#waiting;
    this.#waiting = undefined;
    this.#metrics.waitedFor(by, paired ? this.#now() - since : undefined);
  }
}

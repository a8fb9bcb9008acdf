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
  #waiting: { by: WaitingBy; size: number; since: number } | undefined;
  #isSpectator = false;

  /** @param now milliseconds, any origin. */
  constructor(metrics: Metrics, now: () => number) {
    this.#metrics = metrics;
    this.#now = now;
  }

  /** The connection's request of the time `askedAt` was granted so; comes before it is told anything else. */
  granted(event: string, askedAt: number, reply: object): void {
    const by = WAITING_BY.get(event);
    if (event === 'leave-room') this.ended();
    if ('player' in reply && reply.player === null) {
      this.#isSpectator = true;
      this.#metrics.watching(1);
    }
    if (by === undefined || !('size' in reply) || typeof reply.size !== 'number') return;
    this.ended();
    this.#waiting = { by, size: reply.size, since: askedAt };
    this.#metrics.waits(by);
  }

  /** The connection is told something. */
  told(event: string): void {
    if (event === 'signal') this.#metrics.relayed('socket.io');
    else if (event === 'paired') this.#stop(true);
    else if (event === 'room-closed') this.ended();
  }

  /** The connection is over, or has left. */
  ended(): void {
    this.#stop(false);
    if (this.#isSpectator) this.#metrics.watching(-1);
    this.#isSpectator = false;
  }

  #stop(paired: boolean): void {
    if (this.#waiting === undefined) return;
    const { by, size, since } = this.#waiting;
    this.#waiting = undefined;
    this.#metrics.waitedFor(by, size, paired ? this.#now() - since : undefined);
  }
}

import type { Metrics } from './metrics.js';
import type { Entry } from './rooms.js';
import type { RoomAccess } from './store/room.js';

/** What one connection asks and is told, as metrics. */
export class PairWatch {
  readonly #metrics: Metrics;
  readonly #now: () => number;
  #waiting: { by: RoomAccess; size: number; since: number | undefined } | undefined;
  #isSpectator = false;

  /** @param now milliseconds, any origin. */
  constructor(metrics: Metrics, now: () => number) {
    this.#metrics = metrics;
    this.#now = now;
  }

  /** The connection got a seat that it asked for at `askedAt`; comes before it is told anything else. */
  seated({ access, hold, grant: { player, size, started } }: Entry, askedAt: number): void {
    this.ended();
    const isBack = hold > 1;
    if (player === null) {
      this.#isSpectator = true;
      this.#metrics.watching(1);
    } else if (!isBack || !started) {
      // One who is back in a match that had begun waits for nobody.
      // Since when one who is back has waited, its first connection knew.
      this.#waiting = { by: access, size, since: isBack ? undefined : askedAt };
      this.#metrics.waits(access);
    }
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
    this.#metrics.waitedFor(by, size, paired && since !== undefined ? this.#now() - since : undefined);
  }
}

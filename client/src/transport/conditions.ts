import type { Channel, Transport, TransportEvents, TransportKind } from './transport.js';

/** How a link mistreats what is sent over it, one way. */
export interface LinkConditions {
  /** Time under way. */
  readonly delayMs: number;
  /** Each message is up to this much later or earlier. */
  readonly jitterMs: number;
  /** Share of unreliable messages that never arrive, 0 to 1. */
  readonly lossRate: number;
}

/** Runs `run` after `delayMs`: `setTimeout` on a page, a virtual clock in a simulation. */
export type Schedule = (delayMs: number, run: () => void) => void;

/**
 * A transport whose outgoing messages meet `conditions`. The reliable lane is late too but keeps its order and loses
 * nothing. `random` gives numbers in [0, 1).
 */
export class ConditionedTransport implements Transport {
  readonly kind: TransportKind;
  readonly #inner: Transport;
  /** What messages meet from now on. */
  conditions: LinkConditions;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  #reliableQueue: Uint8Array[] = [];

  constructor(inner: Transport, conditions: LinkConditions, schedule: Schedule, random: () => number) {
    this.kind = inner.kind;
    this.#inner = inner;
    this.conditions = conditions;
    this.#schedule = schedule;
    this.#random = random;
  }

  listen(events: TransportEvents): void {
    this.#inner.listen(events);
  }

  send(channel: Channel, bytes: Uint8Array): void {
    const { delayMs, jitterMs, lossRate } = this.conditions;
    if (channel === 'unreliable' && this.#random() < lossRate) return;
    const copy = bytes.slice();
    const lateMs = Math.max(0, delayMs + jitterMs * (2 * this.#random() - 1));
    if (channel === 'unreliable') {
      this.#schedule(lateMs, () => this.#inner.send(channel, copy));
      return;
    }
    // Timers may fire out of order: whichever fires sends the oldest message.
    this.#reliableQueue.push(copy);
    this.#schedule(lateMs, () => {
      const oldest = this.#reliableQueue.shift();
      if (oldest !== undefined) this.#inner.send(channel, oldest);
    });
  }

  restart(): boolean {
    return this.#inner.restart();
  }

  close(): void {
    this.#inner.close();
  }
}

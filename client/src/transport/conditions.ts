import type { Channel, Route, Transport, TransportEvents, TransportKind } from './transport.js';

/** How a link mistreats what is sent over it, one way. */
export interface LinkConditions {
  /** Time under way. */
  readonly delayMs: number;
  /** Each message is up to this much later or earlier. */
  readonly jitterMs: number;
  /** Share of unreliable messages that never arrive, 0 to 1. */
  readonly lossRate: number;
  /** Share of unreliable messages that arrive twice, 0 to 1; 0 by default. */
  readonly duplicateRate?: number;
  /** Share of unreliable messages that are held back so that later ones overtake them, 0 to 1; 0 by default. */
  readonly reorderRate?: number;
}

/** For so long is held back what shall be overtaken: by two or three packets of a game at 60 Hz. */
const HELD_BACK_MS = 40;

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
    const copy = bytes.slice();
    if (channel === 'unreliable') {
      const { lossRate, duplicateRate = 0 } = this.conditions;
      if (this.#random() < lossRate) return;
      this.#carry(copy);
      if (duplicateRate > 0 && this.#random() < duplicateRate) this.#carry(copy);
      return;
    }
    // Timers may fire out of order: whichever fires sends the oldest message.
    this.#reliableQueue.push(copy);
    this.#schedule(this.#lateMs(), () => {
      const oldest = this.#reliableQueue.shift();
      if (oldest !== undefined) this.#inner.send(channel, oldest);
    });
  }

  #lateMs(): number {
    const { delayMs, jitterMs } = this.conditions;
    return Math.max(0, delayMs + jitterMs * (2 * this.#random() - 1));
  }

  #carry(bytes: Uint8Array): void {
    const { reorderRate = 0 } = this.conditions;
    const lateMs = this.#lateMs();
    const isHeldBack = reorderRate > 0 && this.#random() < reorderRate;
    this.#schedule(isHeldBack ? lateMs + HELD_BACK_MS : lateMs, () => this.#inner.send('unreliable', bytes));
  }

  restart(): boolean {
    return this.#inner.restart();
  }

  async route(): Promise<Route | null> {
    return (await this.#inner.route?.()) ?? null;
  }

  close(): void {
    this.#inner.close();
  }
}

/** A transport on the machine's own clock and chance. */
export function conditioned(inner: Transport, conditions: LinkConditions): Transport {
  return new ConditionedTransport(inner, conditions, (delayMs, run) => setTimeout(run, delayMs), Math.random);
}

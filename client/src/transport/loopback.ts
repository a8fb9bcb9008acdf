import type { Schedule } from './conditions.js';
import type { Channel, Transport, TransportEvents } from './transport.js';

/** One end of a connection inside one program. */
class LoopbackEnd implements Transport {
  readonly kind = 'loopback';
  other: LoopbackEnd | undefined;
  readonly #schedule: Schedule;
  #events: TransportEvents | undefined;
  #early: { channel: Channel; bytes: Uint8Array }[] = [];
  #closed = false;
  /** The other side closed before anybody listened. */
  #closeReason: string | undefined;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  listen(events: TransportEvents): void {
    this.#events = events;
    for (const { channel, bytes } of this.#early.splice(0)) events.message(channel, bytes);
    if (this.#closeReason !== undefined) this.#reportClose(this.#closeReason);
  }

  send(channel: Channel, bytes: Uint8Array): void {
    const copy = bytes.slice();
    this.#schedule(0, () => this.other?.deliver(channel, copy));
  }

  deliver(channel: Channel, bytes: Uint8Array): void {
    if (this.#closed) return;
    if (this.#events === undefined) this.#early.push({ channel, bytes });
    else this.#events.message(channel, bytes);
  }

  restart(): boolean {
    return false;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#schedule(0, () => this.other?.closedByOther());
  }

  closedByOther(): void {
    if (this.#closed) return;
    this.#closed = true;
    const reason = 'The other side closed the connection.';
    if (this.#events === undefined) this.#closeReason = reason;
    else this.#reportClose(reason);
  }

  #reportClose(reason: string): void {
    this.#closeReason = undefined;
    this.#events?.close(reason);
  }
}

/** Two connected ends; messages arrive when `schedule` runs them. */
export function loopbackPair(schedule: Schedule): [Transport, Transport] {
  const one = new LoopbackEnd(schedule);
  const two = new LoopbackEnd(schedule);
  one.other = two;
  two.other = one;
  return [one, two];
}

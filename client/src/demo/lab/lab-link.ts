import { Random } from '@riposte/shared';
import { ConditionedTransport, type LinkConditions } from '../../transport/conditions.js';
import { loopbackPair } from '../../transport/loopback.js';
import type { Channel, Transport } from '../../transport/transport.js';
import type { VirtualClock } from '../../transport/virtual-clock.js';

/** Packets that are remembered: those of two seconds both ways, each perhaps twice. */
const PACKETS = 512;

/** A packet under way, or that was. `arrivesMs` is NaN for one that was lost. `from`: 0 the first end, 1 the second. */
export interface SentPacket {
  readonly from: 0 | 1;
  readonly sentMs: number;
  readonly arrivesMs: number;
}

/** A connection in virtual time that mistreats what is sent over it, and remembers what became of each packet. */
export class LabLink {
  readonly ends: readonly [Transport, Transport];
  readonly #conditioned: ConditionedTransport[] = [];
  readonly #packets: SentPacket[] = [];
  #carried = 0;

  constructor(clock: VirtualClock, conditions: LinkConditions, seed: number) {
    const random = new Random(new Int32Array(2), 0);
    random.seed(seed);
    const [first, second] = loopbackPair(clock.schedule);
    const end = (inner: Transport, from: 0 | 1): Transport => {
      let sending: Channel = 'reliable';
      const schedule = (delayMs: number, run: () => void): void => {
        this.#carried++;
        if (sending === 'unreliable') this.#remember(from, clock.nowMs, clock.nowMs + delayMs);
        clock.schedule(delayMs, run);
      };
      const conditioned = new ConditionedTransport(inner, conditions, schedule, () => random.unit());
      this.#conditioned.push(conditioned);
      return {
        kind: conditioned.kind,
        listen: (events) => conditioned.listen(events),
        restart: () => false,
        close: () => conditioned.close(),
        send: (channel, bytes) => {
          sending = channel;
          const before = this.#carried;
          conditioned.send(channel, bytes);
          if (channel === 'unreliable' && this.#carried === before) this.#remember(from, clock.nowMs, Number.NaN);
        },
      };
    };
    this.ends = [end(first, 0), end(second, 1)];
  }

  #remember(from: 0 | 1, sentMs: number, arrivesMs: number): void {
    this.#packets.push({ from, sentMs, arrivesMs });
    if (this.#packets.length > PACKETS) this.#packets.shift();
  }

  /** The newest packets, in the order in which they were sent. */
  get packets(): readonly SentPacket[] {
    return this.#packets;
  }

  /** What packets meet from now on, both ways. */
  set conditions(conditions: LinkConditions) {
    for (const end of this.#conditioned) end.conditions = conditions;
  }
}

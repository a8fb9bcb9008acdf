import type { Game } from '@riposte/shared';
import { PacketBuffer } from '../../client/src/session/packet-buffer.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionOptions } from '../../client/src/session/session-types.js';

/** A packet's place in the line, reused. */
interface Place {
  readonly packet: PacketBuffer;
  length: number;
}

/** Packets under way in one direction: what goes in at a tick comes out so many ticks later. No garbage. */
class DelayLine {
  readonly #places: Place[];
  readonly #ticks: number;
  #tick = 0;

  constructor(ticks: number) {
    this.#ticks = ticks;
    this.#places = Array.from({ length: ticks + 1 }, () => ({ packet: new PacketBuffer(), length: 0 }));
  }

  put(bytes: Uint8Array): void {
    const place = this.#places[this.#tick % this.#places.length]!;
    place.packet.bytes.set(bytes);
    place.length = bytes.length;
  }

  /** A tick passes; `take` is given the packet that has arrived, if one has. */
  pass(take: (bytes: Uint8Array) => void): void {
    this.#tick++;
    const place = this.#places[(this.#tick + this.#places.length - this.#ticks) % this.#places.length]!;
    if (this.#ticks === 0 || place.length === 0) return;
    take(place.packet.first(place.length));
    place.length = 0;
  }
}

export interface TickPairOptions<S, I> {
  readonly game: Game<S, I>;
  /** Ticks that a packet is under way. */
  readonly latencyTicks: number;
  readonly inputs: readonly [(tick: number) => Partial<I>, (tick: number) => Partial<I>];
  readonly session?: Partial<SessionOptions<S, I>>;
}

/**
 * Two sessions in one thread that tick together sixty times a virtual second, over a link that takes whole ticks:
 * nothing but the sessions costs time or makes garbage.
 */
export class TickPair<S, I> {
  readonly sessions: readonly [Session<S, I>, Session<S, I>];
  bytes = 0;
  packets = 0;
  tick = 0;
  /** As an object on the heap once a tick, and not at each call: null keeps engines from storing it as a bare double. */
  #nowMs: number | null = null;
  readonly #options: TickPairOptions<S, I>;
  readonly #lines: readonly [DelayLine, DelayLine];
  readonly #takers: readonly ((bytes: Uint8Array) => void)[];
  readonly #control: (() => void)[] = [];

  constructor(options: TickPairOptions<S, I>) {
    this.#options = options;
    this.#lines = [new DelayLine(options.latencyTicks), new DelayLine(options.latencyTicks)];
    const session = (me: 0 | 1): Session<S, I> =>
      new Session<S, I>(
        { game: options.game, me, name: '', seed: 1, inputDelay: 0, ...options.session },
        {
          send: (to, channel, bytes) => {
            if (channel === 'reliable') {
              const copy = bytes.slice();
              this.#control.push(() => this.sessions[to]!.receive(this.#nowMs!, me, channel, copy));
              return;
            }
            this.bytes += bytes.length;
            this.packets++;
            if (options.latencyTicks === 0) this.sessions[to]!.receive(this.#nowMs!, me, channel, bytes);
            else this.#lines[me].put(bytes);
          },
          event: (event) => {
            if (event.type === 'ended') throw new Error(`the match ended: ${event.message}`);
          },
        },
      );
    this.sessions = [session(0), session(1)];
    this.#takers = this.sessions.map(
      (_, me) => (bytes) => this.sessions[1 - me]!.receive(this.#nowMs!, me, 'unreliable', bytes),
    );
    this.#nowMs = 0;
    this.sessions[0].open(0, 1);
    this.sessions[1].open(0, 0);
    while (this.#control.length > 0) for (const deliver of this.#control.splice(0)) deliver();
  }

  /** Runs so many ticks of both. */
  run(ticks: number): void {
    for (const end = this.tick + ticks; this.tick < end; this.tick++) {
      this.#nowMs = (this.tick * 1000) / 60;
      for (let me = 0; me < 2; me++) this.#lines[me]!.pass(this.#takers[me]!);
      for (let me = 0; me < 2; me++) {
        this.sessions[me]!.dueTicks(this.#nowMs!);
        this.sessions[me]!.tick(this.#nowMs!, this.#options.inputs[me]!(this.tick));
      }
    }
  }
}

import type { Channel } from '../../client/src/transport/transport.js';
import type { EventQueue } from './event-queue.js';
import { Link } from './link.js';
import { Luck } from './luck.js';
import type { Machine } from './machine.js';
import type { Scenario } from './scenario.js';
import { nameOf, WorldEvent } from './world-event.js';

/** Larger than any packet of the unreliable lane. */
const POOLED_BYTES = 1200;
/** A page keeps its connection for so long after the end, so that the last goodbye arrives. */
const LINGER_MS = 1000;

/** Carries what the machines send, as the scenario's links do. */
export class Network {
  readonly #machines: readonly Machine[];
  readonly #queue: EventQueue<WorldEvent>;
  readonly #trace: ((line: string) => void) | undefined;
  /** By sender. */
  readonly #links: readonly (readonly Link[])[];
  /** By receiver: packets that have been read. */
  readonly #pools: readonly WorldEvent[][];
  readonly #closing = new Set<Machine>();
  /** Which connection there is now; what comes over another one is lost. */
  #connection = 0;

  constructor(
    scenario: Scenario,
    machines: readonly Machine[],
    queue: EventQueue<WorldEvent>,
    trace: ((line: string) => void) | undefined,
  ) {
    this.#machines = machines;
    this.#queue = queue;
    this.#trace = trace;
    this.#pools = machines.map(() => []);
    this.#links = machines.map((_, me) =>
      scenario.links
        .filter(({ from }) => from === me)
        .map((plan) => new Link(plan, scenario.healMs, new Luck(scenario.seed, 10 + plan.from * 8 + plan.to))),
    );
  }

  /** Ends the connection under all, with what is under way; what is sent from now on goes over the next one. */
  cut(nowMs: number): void {
    this.#connection++;
    for (const machine of this.#machines) {
      const event = new WorldEvent('close', machine);
      event.atMs = nowMs;
      event.connection = this.#connection;
      this.#queue.push(event);
    }
  }

  /** Whether a message comes over the connection that there is. */
  isCurrent(event: WorldEvent): boolean {
    return event.connection === this.#connection;
  }

  /** Sends to all others. `newest` is the newest frame of the sender's inputs. */
  send(nowMs: number, from: Machine, channel: Channel, bytes: Uint8Array, newest: number): void {
    for (const link of this.#links[from.me]!) {
      const machine = this.#machines[link.plan.to]!;
      if (channel === 'reliable') this.#sendReliable(nowMs, from, machine, link, bytes);
      else this.#sendPacket(nowMs, from, machine, link, bytes, newest);
    }
  }

  #sendReliable(nowMs: number, from: Machine, machine: Machine, link: Link, bytes: Uint8Array): void {
    const event = new WorldEvent('message', machine, from);
    event.channel = 'reliable';
    event.connection = this.#connection;
    event.bytes = bytes.slice();
    event.length = bytes.length;
    event.atMs = link.reliableArrivalMs(nowMs);
    this.#trace?.(`${from.me} sends ${nameOf(event)}, arrives ${event.atMs.toFixed(3)}`);
    this.#queue.push(event);
  }

  #sendPacket(nowMs: number, from: Machine, machine: Machine, link: Link, bytes: Uint8Array, newest: number): void {
    const arrivalMs = link.arrivalMs(nowMs, bytes.length);
    if (this.#trace !== undefined) {
      const fate = link.loss ?? `arrives ${arrivalMs.toFixed(3)}`;
      this.#trace(`${from.me} sends frames up to ${newest} in ${bytes.length} bytes: ${fate}`);
    }
    if (Number.isNaN(arrivalMs)) return;
    this.#carry(arrivalMs, from, machine, bytes, newest);
    const againMs = link.duplicateMs(nowMs);
    if (!Number.isNaN(againMs)) this.#carry(againMs, from, machine, bytes, newest);
  }

  /** A copy of the bytes, as a network makes it: a sender that goes on using its buffer changes nothing here. */
  #carry(atMs: number, from: Machine, machine: Machine, bytes: Uint8Array, newest: number): void {
    let event = this.#pools[machine.me]!.pop();
    if (event === undefined) {
      event = new WorldEvent('packet', machine);
      event.bytes = new Uint8Array(POOLED_BYTES);
    }
    event.from = from;
    event.bytes.set(bytes);
    event.length = bytes.length;
    event.newest = newest;
    event.connection = this.#connection;
    event.epoch = from.session.epochOf(machine.me);
    event.atMs = atMs;
    this.#queue.push(event);
  }

  /** A message was read: a packet's bytes are used again. Whoever kept them finds others there. */
  recycle(event: WorldEvent): void {
    if (event.kind === 'packet') this.#pools[event.machine.me]!.push(event);
  }

  /** An ended page closes its connection a little later; the others hear of it behind all that was sent before. */
  closeSoon(nowMs: number, machine: Machine): void {
    if (this.#closing.has(machine)) return;
    this.#closing.add(machine);
    for (const link of this.#links[machine.me]!) {
      const event = new WorldEvent('close', this.#machines[link.plan.to]!, machine);
      event.connection = this.#connection;
      event.atMs = link.reliableArrivalMs(nowMs + LINGER_MS);
      this.#queue.push(event);
    }
  }
}

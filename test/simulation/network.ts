import type { EventQueue } from '../../client/src/transport/event-queue.js';
import type { Channel } from '../../client/src/transport/transport.js';
import { Link } from './link.js';
import { Luck } from './luck.js';
import type { Machine } from './machine.js';
import type { Scenario } from './scenario.js';
import { nameOf, WorldEvent } from './world-event.js';

/** Larger than any packet of the unreliable lane. */
const POOLED_BYTES = 1200;
/** A page keeps its connections for so long after the end, so that the last goodbye arrives. */
const LINGER_MS = 1000;

/** Carries what the machines send, as the scenario's links do. */
export class Network {
  readonly #machines: readonly Machine[];
  readonly #queue: EventQueue<WorldEvent>;
  readonly #trace: ((line: string) => void) | undefined;
  /** By sender and receiver; none to oneself. */
  readonly #links: readonly (readonly (Link | undefined)[])[];
  /** By receiver: packets that have been read. */
  readonly #pools: readonly WorldEvent[][];
  readonly #closing = new Set<Machine>();
  /** By sender and receiver, the same both ways: which connection there is now; what comes over another one is lost. */
  readonly #connections: readonly number[][];

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
    this.#connections = machines.map(() => machines.map(() => 0));
    this.#links = machines.map((_, from) =>
      machines.map((_, to) => {
        const plan = scenario.links.find((link) => link.from === from && link.to === to);
        return plan && new Link(plan, scenario.healMs, new Luck(scenario.seed, 10 + from * 8 + to));
      }),
    );
  }

  /** Ends the connection of two, with what is under way; what is sent from now on goes over the next one. */
  cut(one: Machine, other: Machine): void {
    const connection = this.connectionOf(one, other) + 1;
    this.#connections[one.me]![other.me] = connection;
    this.#connections[other.me]![one.me] = connection;
    one.forget(other);
    other.forget(one);
  }

  /** Tells a machine that its connection to another one was cut. */
  tellCut(nowMs: number, machine: Machine, other: Machine): void {
    const event = new WorldEvent('close', machine, other);
    event.isCut = true;
    event.atMs = nowMs;
    event.connection = this.connectionOf(machine, other);
    this.#queue.push(event);
  }

  /** The number of the connection that two have now, or will have. */
  connectionOf(one: Machine, other: Machine): number {
    return this.#connections[one.me]![other.me]!;
  }

  /** Whether a message comes over the connection that there is. */
  isCurrent({ machine, from, connection }: WorldEvent): boolean {
    return connection === this.connectionOf(machine, from);
  }

  /** Sends to one other. `newest` is the newest frame of the sender's inputs. */
  send(nowMs: number, from: Machine, to: number, channel: Channel, bytes: Uint8Array, newest: number): void {
    const machine = this.#machines[to]!;
    const link = this.#links[from.me]![to]!;
    // A page that is not there takes nothing.
    if (machine.isAway) return;
    if (channel === 'reliable') this.#sendReliable(nowMs, from, machine, link, bytes);
    else this.#sendPacket(nowMs, from, machine, link, bytes, newest);
  }

  #sendReliable(nowMs: number, from: Machine, machine: Machine, link: Link, bytes: Uint8Array): void {
    const event = new WorldEvent('message', machine, from);
    event.channel = 'reliable';
    event.connection = this.connectionOf(from, machine);
    event.bytes = bytes.slice();
    event.length = bytes.length;
    event.atMs = link.reliableArrivalMs(nowMs);
    this.#trace?.(`${from.me} sends ${machine.me} ${nameOf(event)}, arrives ${event.atMs.toFixed(3)}`);
    this.#queue.push(event);
  }

  #sendPacket(nowMs: number, from: Machine, machine: Machine, link: Link, bytes: Uint8Array, newest: number): void {
    const arrivalMs = link.arrivalMs(nowMs, bytes.length);
    if (this.#trace !== undefined) {
      const fate = link.loss ?? `arrives ${arrivalMs.toFixed(3)}`;
      this.#trace(`${from.me} sends ${machine.me} frames up to ${newest} in ${bytes.length} bytes: ${fate}`);
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
    event.connection = this.connectionOf(from, machine);
    event.life = from.life;
    event.epoch = from.session.epochOf(machine.me);
    event.atMs = atMs;
    this.#queue.push(event);
  }

  /** A message was read: a packet's bytes are used again. Whoever kept them finds others there. */
  recycle(event: WorldEvent): void {
    if (event.kind === 'packet') this.#pools[event.machine.me]!.push(event);
  }

  /** An ended page closes its connections a little later; the others hear of it behind all that was sent before. */
  closeSoon(nowMs: number, machine: Machine): void {
    if (this.#closing.has(machine)) return;
    this.#closing.add(machine);
    for (const other of this.#machines) {
      const link = this.#links[machine.me]![other.me];
      if (link === undefined) continue;
      const event = new WorldEvent('close', other, machine);
      event.connection = this.connectionOf(machine, other);
      event.atMs = link.reliableArrivalMs(nowMs + LINGER_MS);
      this.#queue.push(event);
    }
  }
}

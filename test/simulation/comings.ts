import type { Luck } from './luck.js';
import type { Machine } from './machine.js';
import type { Network } from './network.js';
import type { Scenario } from './scenario.js';
import { WorldEvent } from './world-event.js';

/** A party ends by its players' leaving one after the other, so far apart. */
const LEAVE_MS = 1500;
/** A page that is loaded again has its connections within this time, and the others theirs to it. */
const CONNECT_MS = 300;

/** What comings and goings ask of the world. */
export interface ComingsOutput {
  at(atMs: number, event: WorldEvent): void;
  drawFrom(atMs: number, machine: Machine): void;
  trace(line: string): void;
}

/** How players come and go: connections that end and are made anew, pages that die, leave, or are loaded again. */
export class Comings {
  readonly #scenario: Scenario;
  readonly #machines: readonly Machine[];
  readonly #network: Network;
  readonly #drawLuck: Luck;
  readonly #output: ComingsOutput;
  /** Those whose pages will be loaded again. */
  readonly #returning = new Set<Machine>();

  constructor(scenario: Scenario, machines: readonly Machine[], network: Network, luck: Luck, output: ComingsOutput) {
    this.#scenario = scenario;
    this.#machines = machines;
    this.#network = network;
    this.#drawLuck = luck;
    this.#output = output;
  }

  isReturning(machine: Machine): boolean {
    return this.#returning.has(machine);
  }

  /** Cuts a connection of a running match: before it runs, and after its end, nobody makes a new one. */
  cut(nowMs: number, at: number): void {
    const { pair, opensMs } = this.#scenario.cuts[at]!;
    const [one, other] = pair.map((player) => this.#machines[player]!) as [Machine, Machine];
    const isRunning = ({ session, isAlive, isConnected }: Machine, { me }: Machine) =>
      session.sim !== undefined && isAlive && isConnected[me] === true;
    if (!isRunning(one, other) || !isRunning(other, one)) return;
    this.#output.trace(`the connection of ${one.me} and ${other.me} is cut`);
    this.#network.cut(one, other);
    this.#network.tellCut(nowMs, one, other);
    this.#network.tellCut(nowMs, other, one);
    this.#connect(one, other, opensMs[0]);
    this.#connect(other, one, opensMs[1]);
  }

  /** The machine gets the newest connection to another one at that moment. */
  #connect(machine: Machine, other: Machine, atMs: number): void {
    machine.isConnected[other.me] = false;
    const event = new WorldEvent('reopen', machine, other);
    event.connection = this.#network.connectionOf(machine, other);
    this.#output.at(atMs, event);
  }

  reopen(nowMs: number, event: WorldEvent): void {
    const { machine, from } = event;
    if (!machine.isAlive || from.ended !== undefined) return;
    if (!this.#network.isCurrent(event)) {
      // Whom it was to be connected to has died meanwhile.
      if (machine.session.running === undefined && this.#isForlorn(machine)) machine.goAway();
      return;
    }
    if (machine.isBusy(nowMs)) {
      this.#output.at(machine.busyUntilMs, event);
      return;
    }
    this.#output.trace(`${machine.me} has a new connection to ${from.me}`);
    machine.reopen(nowMs, from.me);
  }

  /** Somebody dies, leaves or loads its page again, where the match runs. */
  depart(nowMs: number, machine: Machine, at: number): void {
    const { kind, closes } = this.#scenario.departures[at]!;
    if (!machine.isAlive || !this.#machines.every(({ life }) => life > 0)) return;
    this.#output.trace(`${machine.me} ${kind}`);
    if (kind === 'leaves') {
      this.leave(nowMs, machine);
      return;
    }
    machine.goAway();
    if (kind === 'reloads') this.#returning.add(machine);
    for (const other of this.#machines) {
      if (other === machine) continue;
      this.#network.cut(machine, other);
      if (closes && other.isAlive) this.#network.tellCut(nowMs, other, machine);
    }
  }

  /** A page is there again, and is connected to all who are there; without any it is closed for good. */
  return(nowMs: number, machine: Machine): void {
    if (!this.#returning.delete(machine)) return;
    if (this.#isForlorn(machine)) return;
    const others = this.#machines.filter((other) => other !== machine && other.isAlive);
    this.#output.trace(`${machine.me} is there again`);
    machine.comeBack(nowMs);
    for (const other of others) {
      this.#network.cut(machine, other);
      this.#connect(machine, other, nowMs + this.#drawLuck.between(0, CONNECT_MS));
      this.#connect(other, machine, nowMs + this.#drawLuck.between(0, CONNECT_MS));
    }
    this.#output.drawFrom(nowMs, machine);
  }

  /** Nobody else is there, or will be. */
  #isForlorn(machine: Machine): boolean {
    return this.#returning.size === 0 && this.#machines.every((other) => other === machine || !other.isAlive);
  }

  leave(nowMs: number, machine: Machine): void {
    if (!machine.isAlive) return;
    machine.leave(nowMs);
    this.#network.closeSoon(nowMs, machine);
  }

  /** Of more than two the others follow, until one alone is left. */
  leaveNext(nowMs: number, event: WorldEvent): void {
    const last = event.machine.me;
    const next = this.#machines.find(({ me, isAlive }) => isAlive && me !== last);
    if (this.#machines.length === 2 || next === undefined) return;
    this.#output.at(nowMs + LEAVE_MS, new WorldEvent('leave', next));
  }
}

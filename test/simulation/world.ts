import { defineGame, type Game } from '@riposte/shared';
import { decodeHead, packetHead } from '@riposte/shared/protocol';
import type { SessionEvent } from '../../client/src/session/session-types.js';
import { EventQueue } from '../../client/src/transport/event-queue.js';
import { mixer } from '../../shared/testing/mixer.js';
import { Calm, type CalmFindings } from './calm.js';
import { Comings } from './comings.js';
import { require, SimulationFailure } from './failure.js';
import { Luck } from './luck.js';
import { Machine } from './machine.js';
import { Network } from './network.js';
import { Onlookers } from './onlookers.js';
import { partyGame } from './party-game.js';
import { checkEnd, checkGone } from './reasons.js';
import type { Scenario } from './scenario.js';
import { TickTrace } from './trace.js';
import { judgeEnd } from './verdict.js';
import type { Input, State } from './watch.js';
import { nameOf, WorldEvent } from './world-event.js';

/** All must have ended so long after the calm was judged, or after a partition that the match cannot survive. */
const END_MS = 90_000;
/** How often the machines' frames are compared when they must be level. */
const PROBE_MS = 50;

export interface SimulateOptions {
  /** Another game of the mixer's inputs and states. */
  readonly game?: Game<State, Input>;
  /** Told each notable event as a line. */
  readonly trace?: (line: string) => void;
}

/** What came of one run. */
export interface RunReport extends CalmFindings {
  readonly seed: number;
  /** The first thing that was wrong. */
  readonly failure: string | undefined;
  /** Silence ended the match, as the rule is. */
  readonly wasSilenced: boolean;
  /** Confirmed by the machine that confirmed most. */
  readonly frames: number;
  readonly rollbacks: number;
  readonly stalls: number;
  readonly interruptions: number;
  readonly virtualMs: number;
}

/** Runs one scenario to its end, in virtual time. Never throws for what it finds: see the report's `failure`. */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): RunReport {
  const world = new World(scenario, options);
  let failure: string | undefined;
  try {
    world.run();
  } catch (error) {
    // An error of the engine is a finding too: nothing here makes it throw by rule.
    failure = error instanceof SimulationFailure ? error.message : `the session threw ${String(error)}`;
    if (error instanceof Error && !(error instanceof SimulationFailure)) world.trace?.(error.stack ?? '');
    world.trace?.(`FAILED: ${failure}`);
  }
  return world.report(failure);
}

/** The mixer, in which it matters who is there where that can change, or one that a frame in `oneIn` decides. */
function gameOf({ machines, ending }: Scenario): Game<State, Input> {
  const game = machines.length === 2 ? mixer : partyGame;
  if (ending.kind !== 'over') return game;
  return defineGame({
    ...game,
    id: `${game.id}-over`,
    over: (state: State) => ((state.hash >>> 0) % ending.oneIn === 0 ? 'decided' : undefined),
  });
}

class World {
  readonly trace: ((line: string) => void) | undefined;
  readonly #scenario: Scenario;
  readonly #game: Game<State, Input>;
  readonly #queue = new EventQueue<WorldEvent>();
  readonly #machines: readonly Machine[];
  readonly #network: Network;
  readonly #calm: Calm;
  readonly #onlookers: Onlookers;
  readonly #drawLuck: Luck;
  readonly #comings: Comings;
  /** By machine: whether it is to read what waits as soon as it is free. */
  readonly #wakes: boolean[];
  readonly #head = packetHead();
  readonly #ticks = new TickTrace();
  #nowMs = 0;
  #findings: CalmFindings = { wasLevel: false, wasFree: false };

  constructor(scenario: Scenario, options: SimulateOptions) {
    this.#scenario = scenario;
    this.#game = options.game ?? gameOf(scenario);
    const { trace } = options;
    this.trace = trace && ((line) => trace(`${this.#nowMs.toFixed(3).padStart(10)} ${line}`));
    this.#drawLuck = new Luck(scenario.seed, 1);
    this.#machines = scenario.machines.map((_, me) => this.#machine(me));
    for (const { watch } of this.#machines) watch.meet(this.#machines.map((machine) => machine.watch));
    this.#network = new Network(scenario, this.#machines, this.#queue, this.trace);
    this.#comings = new Comings(scenario, this.#machines, this.#network, this.#drawLuck, {
      at: (atMs, event) => this.#at(atMs, event),
      drawFrom: (atMs, machine) => this.#drawFrom(atMs, machine),
      trace: (line) => this.trace?.(line),
    });
    this.#calm = new Calm(scenario, this.#machines);
    this.#onlookers = new Onlookers(scenario, this.#machines, this.#game);
    this.#wakes = this.#machines.map(() => false);
    this.#plan();
  }

  #machine(me: number): Machine {
    const machine: Machine = new Machine(this.#scenario, me, this.#game, {
      send: (player, channel, bytes) => {
        const newest = machine.isInside && channel === 'unreliable' ? this.#newestIn(bytes, machine) : -1;
        this.#network.send(this.#nowMs, machine, player, channel, bytes, newest);
      },
      event: (event) => this.#take(machine, event),
      read: (message) => this.#network.recycle(message),
    });
    return machine;
  }

  /** The newest frame of the sender's inputs that a packet holds. */
  #newestIn(bytes: Uint8Array, { me, session }: Machine): number {
    decodeHead(bytes, session.sim?.heldThrough(me) ?? -1, this.#head);
    return this.#head.count > 0 ? this.#head.lastFrame : -1;
  }

  #take(machine: Machine, event: SessionEvent): void {
    const { type: _, ...told } = event;
    this.trace?.(`${machine.me} ${event.type} ${Object.values(told).join(' ')}`);
    if (event.type === 'ended') checkEnd(this.#machines, machine, this.#nowMs);
    if (event.type === 'presence' && event.presence === 'gone') {
      checkGone(this.#machines, machine, event.player, this.#nowMs);
    }
  }

  /** What happens at moments that are known before. */
  #plan(): void {
    const { healMs, levelMs, calmEndMs } = this.#scenario;
    for (const machine of this.#machines) {
      this.#at(machine.plan.openMs, new WorldEvent('open', machine));
      for (const { atMs, inputDelay } of machine.plan.delayChanges) {
        const event = new WorldEvent('delay', machine);
        event.value = inputDelay;
        this.#at(atMs, event);
      }
      for (const { fromMs, toMs } of machine.plan.pauses) {
        const event = new WorldEvent('pause', machine);
        event.value = toMs;
        this.#at(fromMs, event);
      }
    }
    const first = this.#machines[0]!;
    for (const [at, { atMs }] of this.#scenario.cuts.entries()) {
      const event = new WorldEvent('cut', first);
      event.value = at;
      this.#at(atMs, event);
    }
    for (const [at, { player, atMs, backMs, kind }] of this.#scenario.departures.entries()) {
      const event = new WorldEvent('depart', this.#machines[player]!);
      event.value = at;
      this.#at(atMs, event);
      if (kind === 'reloads') this.#at(backMs, new WorldEvent('return', event.machine));
    }
    this.#at(healMs, new WorldEvent('heal', first));
    this.#at(levelMs, new WorldEvent('level', first));
    this.#at(calmEndMs, new WorldEvent('calm-end', first));
  }

  #at(atMs: number, event: WorldEvent): void {
    event.atMs = atMs;
    this.#queue.push(event);
  }

  run(): void {
    const lastMs = Math.max(
      this.#scenario.calmEndMs,
      ...this.#scenario.links.flatMap(({ partitions }) => partitions.map(({ toMs }) => toMs)),
    );
    for (let event = this.#queue.pop(); event !== undefined; event = this.#queue.pop()) {
      this.#nowMs = event.atMs;
      this.#onlookers.advance(event.atMs);
      require(this.#nowMs < lastMs + END_MS, () => `the match did not end: ${this.#whereTheyStand()}`);
      this.#handle(event);
      if (this.#machines.every((machine) => !machine.isAlive && !this.#comings.isReturning(machine))) break;
    }
    judgeEnd(this.#scenario, this.#machines, this.#game);
  }

  #handle(event: WorldEvent): void {
    const { machine } = event;
    const nowMs = this.#nowMs;
    switch (event.kind) {
      case 'packet':
      case 'message':
      case 'close':
        this.#deliver(event);
        return;
      case 'draw':
        this.#draw(event);
        return;
      case 'wake':
        this.#wakes[machine.me] = false;
        if (machine.isBusy(nowMs)) this.#wakeLater(machine);
        else machine.readInbox(nowMs);
        return;
      case 'open':
        machine.open(nowMs);
        machine.readInbox(nowMs);
        this.#drawFrom(nowMs + this.#drawLuck.between(0, 1000 / machine.plan.drawsPerSecond), machine);
        return;
      case 'pause':
        machine.busyUntilMs = Math.max(machine.busyUntilMs, event.value);
        this.trace?.(`${machine.me} pauses until ${event.value.toFixed(0)}`);
        return;
      case 'delay':
        this.trace?.(`${machine.me} sets its input delay to ${event.value}`);
        machine.changeDelay(nowMs, event.value);
        return;
      case 'cut':
        this.#comings.cut(nowMs, event.value);
        return;
      case 'reopen':
        this.#comings.reopen(nowMs, event);
        return;
      case 'depart':
        this.#comings.depart(nowMs, machine, event.value);
        return;
      case 'return':
        this.#comings.return(nowMs, machine);
        return;
      case 'leave':
        this.#comings.leave(nowMs, machine);
        this.#comings.leaveNext(nowMs, event);
        return;
      case 'heal':
        this.trace?.('the network heals');
        return;
      case 'level':
        this.#calm.begin();
        this.#at(nowMs, new WorldEvent('probe', machine));
        return;
      case 'probe':
        if (nowMs >= this.#scenario.calmEndMs) return;
        this.#calm.probe();
        this.#at(nowMs + PROBE_MS, event);
        return;
      case 'calm-end':
        this.#findings = this.#calm.judge();
        this.#onlookers.judge();
        if (this.#scenario.ending.kind === 'leave') {
          this.#at(nowMs, new WorldEvent('leave', this.#machines[this.#scenario.ending.player]!));
        }
    }
  }

  #whereTheyStand(): string {
    return this.#machines
      .map(({ me, watch, session, ended, isAway }) =>
        isAway
          ? `player ${me} is away`
          : ended === undefined
            ? `player ${me} at frame ${session.sim?.lastFrame()} of ${session.driver?.endFrame}, confirmed ${watch.confirmed}, heard ${watch.heardThrough}`
            : `player ${me} ended (${ended.cause})`,
      )
      .join('; ');
  }

  /** The page draws from that moment on, for as long as it is not loaded again. */
  #drawFrom(atMs: number, machine: Machine): void {
    const event = new WorldEvent('draw', machine);
    event.value = machine.reloads;
    this.#at(atMs, event);
  }

  /** One drawn frame, and the next one's moment. */
  #draw(event: WorldEvent): void {
    const { machine } = event;
    const nowMs = this.#nowMs;
    if (!machine.isAlive || event.value !== machine.reloads) return;
    if (machine.isBusy(nowMs)) {
      this.#at(machine.busyUntilMs, event);
      return;
    }
    const ticks = machine.draw(nowMs);
    if (this.trace !== undefined && ticks > 0) this.trace(this.#ticks.lineOf(machine, ticks));
    if (machine.session.sim !== undefined && machine.isBusy(nowMs)) this.#wakeLater(machine);
    if (machine.ended !== undefined) this.#network.closeSoon(this.#nowMs, machine);
    else this.#at(nowMs + 1000 / machine.plan.drawsPerSecond, event);
  }

  #wakeLater(machine: Machine): void {
    if (this.#wakes[machine.me] === true) return;
    this.#wakes[machine.me] = true;
    this.#at(machine.isOpen ? machine.busyUntilMs : machine.plan.openMs, new WorldEvent('wake', machine));
  }

  #deliver(event: WorldEvent): void {
    const { machine } = event;
    if (!this.#network.isCurrent(event) || machine.isAway) {
      this.#network.recycle(event);
      return;
    }
    if (machine.isBusy(this.#nowMs)) this.#wakeLater(machine);
    this.trace?.(`${machine.me} ${machine.isBusy(this.#nowMs) ? 'will read' : 'reads'} ${nameOf(event)}`);
    machine.deliver(this.#nowMs, event);
    if (machine.ended !== undefined) this.#network.closeSoon(this.#nowMs, machine);
  }

  report(failure: string | undefined): RunReport {
    const sum = (figure: (machine: Machine) => number) =>
      this.#machines.reduce((total, machine) => total + figure(machine), 0);
    return {
      seed: this.#scenario.seed,
      failure,
      wasSilenced: this.#machines.some(({ wasSilenced }) => wasSilenced),
      ...this.#findings,
      frames: Math.max(...this.#machines.map(({ watch }) => watch.confirmed + 1)),
      // Counted by the log: after a fault of the engine its own figures may not be had.
      rollbacks: sum(({ watch }) => watch.wrongTicks),
      stalls: sum(({ watch }) => watch.stalls),
      interruptions: sum(({ interruptions }) => interruptions),
      virtualMs: this.#nowMs,
    };
  }
}

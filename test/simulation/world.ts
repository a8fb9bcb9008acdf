import { defineGame, type Game } from '@riposte/shared';
import { mixer } from '../../shared/testing/mixer.js';
import { Calm, type CalmFindings } from './calm.js';
import { EventQueue } from './event-queue.js';
import { require, SimulationFailure } from './failure.js';
import { Luck } from './luck.js';
import { Machine } from './machine.js';
import { Network } from './network.js';
import type { Scenario } from './scenario.js';
import { judgeEnd } from './verdict.js';
import type { Input, State } from './watch.js';
import { nameOf, WorldEvent } from './world-event.js';

/** All must have ended so long after the calm was judged, or after a partition that the match cannot survive. */
const END_MS = 45_000;
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

/** The mixer, or one that a frame in `oneIn` decides. */
function gameOf(scenario: Scenario): Game<State, Input> {
  const { ending } = scenario;
  if (ending.kind !== 'over') return mixer;
  return defineGame({
    ...mixer,
    id: 'mixer-over',
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
  readonly #drawLuck: Luck;
  /** By machine: whether it is to read what waits as soon as it is free. */
  readonly #wakes: boolean[];
  readonly #traced = new Map<Machine, Figures>();
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
    this.#calm = new Calm(scenario, this.#machines);
    this.#wakes = this.#machines.map(() => false);
    this.#plan();
  }

  #machine(me: number): Machine {
    const machine: Machine = new Machine(this.#scenario, me, this.#game, {
      send: (channel, bytes) => {
        // Without a connection there is nothing to send over.
        if (!machine.isConnected) return;
        const newest = machine.session.sim?.confirmedThrough(me) ?? -1;
        this.#network.send(this.#nowMs, machine, channel, bytes, newest);
      },
      event: (event) => this.trace?.(`${me} ${event.type} ${'cause' in event ? event.cause : ''}`),
      read: (message) => this.#network.recycle(message),
    });
    return machine;
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
      require(this.#nowMs < lastMs + END_MS, () => `the match did not end: ${this.#whereTheyStand()}`);
      this.#handle(event);
      if (this.#machines.every(({ ended }) => ended !== undefined)) break;
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
        this.#at(
          nowMs + this.#drawLuck.between(0, 1000 / machine.plan.drawsPerSecond),
          new WorldEvent('draw', machine),
        );
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
        this.#cut(event.value);
        return;
      case 'reopen':
        this.#reopen(event);
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
        if (this.#scenario.ending.kind === 'leave') this.#leave(this.#scenario.ending.player);
    }
  }

  /** Cuts the connection of a running match: before it runs, and after its end, nobody makes a new one. */
  #cut(at: number): void {
    const isRunning = ({ session, ended, isConnected }: Machine) =>
      session.sim !== undefined && ended === undefined && isConnected;
    if (!this.#machines.every(isRunning)) return;
    this.trace?.('the connection is cut');
    this.#network.cut(this.#nowMs);
    for (const machine of this.#machines) {
      machine.isConnected = false;
      this.#at(this.#scenario.cuts[at]?.opensMs[machine.me] ?? this.#nowMs, new WorldEvent('reopen', machine));
    }
  }

  #reopen(event: WorldEvent): void {
    const { machine } = event;
    if (this.#machines.some(({ ended }) => ended !== undefined)) return;
    if (machine.isBusy(this.#nowMs)) {
      this.#at(machine.busyUntilMs, event);
      return;
    }
    this.trace?.(`${machine.me} has a new connection`);
    machine.reopen(this.#nowMs);
  }

  #whereTheyStand(): string {
    return this.#machines
      .map(({ me, watch, session, ended }) =>
        ended === undefined
          ? `player ${me} at frame ${session.sim?.lastFrame()} of ${session.driver?.endFrame}, confirmed ${watch.confirmed}, heard ${watch.heardThrough}`
          : `player ${me} ended (${ended.cause})`,
      )
      .join('; ');
  }

  /** One drawn frame, and the next one's moment. */
  #draw(event: WorldEvent): void {
    const { machine } = event;
    const nowMs = this.#nowMs;
    if (machine.ended !== undefined) return;
    if (machine.isBusy(nowMs)) {
      this.#at(machine.busyUntilMs, event);
      return;
    }
    const { session } = machine;
    const ticks = machine.draw(nowMs);
    if (this.trace !== undefined && ticks > 0) this.#traceTicks(machine, ticks);
    if (session.sim !== undefined && machine.isBusy(nowMs)) this.#wakeLater(machine);
    if (machine.ended !== undefined) this.#network.closeSoon(this.#nowMs, machine);
    else this.#at(nowMs + 1000 / machine.plan.drawsPerSecond, event);
  }

  #traceTicks(machine: Machine, ticks: number): void {
    // Not read before the ticks: that would make their rollback.
    const before = this.#traced.get(machine) ?? NO_FIGURES;
    const after = figuresOf(machine);
    this.#traced.set(machine, after);
    let line = `${machine.me} ticks ${ticks}: frame ${after.frame}, confirmed ${after.confirmed}`;
    if (after.rollbacks > before.rollbacks) {
      line += `, rolled back ${after.resimulated - before.resimulated} frames`;
    }
    if (after.stalls > before.stalls) line += `, stalled ${after.stalls - before.stalls}`;
    this.trace?.(line);
  }

  #wakeLater(machine: Machine): void {
    if (this.#wakes[machine.me] === true) return;
    this.#wakes[machine.me] = true;
    this.#at(machine.isOpen ? machine.busyUntilMs : machine.plan.openMs, new WorldEvent('wake', machine));
  }

  #deliver(event: WorldEvent): void {
    const { machine } = event;
    if (!this.#network.isCurrent(event)) {
      this.#network.recycle(event);
      return;
    }
    if (machine.isBusy(this.#nowMs)) this.#wakeLater(machine);
    this.trace?.(`${machine.me} ${machine.isBusy(this.#nowMs) ? 'will read' : 'reads'} ${nameOf(event)}`);
    machine.deliver(this.#nowMs, event);
    if (machine.ended !== undefined) this.#network.closeSoon(this.#nowMs, machine);
  }

  #leave(player: number): void {
    const machine = this.#machines[player]!;
    if (machine.ended !== undefined) return;
    machine.leave(this.#nowMs);
    this.#network.closeSoon(this.#nowMs, machine);
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

/** What a trace tells the changes of. */
interface Figures {
  readonly frame: number;
  readonly confirmed: number;
  readonly rollbacks: number;
  readonly resimulated: number;
  readonly stalls: number;
}

const NO_FIGURES: Figures = { frame: -1, confirmed: -1, rollbacks: 0, resimulated: 0, stalls: 0 };

function figuresOf({ session }: Machine): Figures {
  const stats = session.sim?.stats;
  return {
    frame: session.sim?.lastFrame() ?? -1,
    confirmed: session.driver?.checker.newest ?? -1,
    rollbacks: stats?.rollbacks ?? 0,
    resimulated: stats?.resimulatedFrames ?? 0,
    stalls: session.driver?.stalledFrames ?? 0,
  };
}

import { require } from './failure.js';
import type { Machine } from './machine.js';
import type { Scenario } from './scenario.js';

const TICK_RATE = 60;
/** Level machines are on average no farther apart than this, beside what their links and screens make. */
const LEVEL_FRAMES_MAX = 2;
/** A machine that cannot make the rate falls behind by so many frames before its rate is measured again. */
const SLOW_FRAMES = 3;
/** Share of the slower machine's rate at which a calm match must run, and where the window is too small for its link. */
const CALM_RATE = 0.95;
const STALLED_RATE = 0.4;
/** Ticks that a coarse screen has just run, or is about to run, when the frames are counted. */
const EDGE_FRAMES = 2;

/** What the phase after the faults showed. */
export interface CalmFindings {
  /** The match was played in it, and judged. */
  readonly wasLevel: boolean;
  /** And its windows were large enough that no one had to wait. */
  readonly wasFree: boolean;
}

/** Watches the end of the calm phase, in which the machines must run level and no one waits. */
export class Calm {
  readonly #scenario: Scenario;
  #machines: readonly Machine[];
  #stalls: readonly number[] = [];
  #frames: readonly number[] = [];
  #wasFree = false;
  #apart = 0;
  #probes = 0;

  constructor(scenario: Scenario, machines: readonly Machine[]) {
    this.#scenario = scenario;
    this.#machines = machines;
  }

  /** From now on all must have converged. */
  begin(): void {
    for (const { watch } of this.#machines) watch.checkUndisputed();
    this.#machines = this.#machines.filter(({ isAlive }) => isAlive);
    this.#requireTogether();
    this.#stalls = this.#machines.map(({ watch }) => watch.stalls);
    this.#frames = framesOf(this.#machines);
    this.#wasFree = canRunFreely(this.#scenario, this.#machines);
  }

  /** All whose pages are there, and whose match is not over, are in it for all others. */
  #requireTogether(): void {
    // A match of two waits on its own for who is not there: see its end.
    if (this.#scenario.machines.length === 2) return;
    // Where nobody is in it any more there is none to be in: those who ask for it have to end, as all must.
    const isThere = this.#machines.some(({ isInside }) => isInside);
    for (const { me, isInside, session, life } of this.#machines) {
      require(isInside || life === 0 || !isThere, () => `after the calm player ${me} is not in the match`);
      for (const other of this.#machines) {
        if (other.me === me) continue;
        const presence = session.presenceOf(other.me);
        require(presence === 'here' || session.driver?.isComplete !== false, () =>
          `in the calm player ${other.me} is "${presence}" for player ${me}`);
      }
    }
  }

  /** Compares the machines' frames; to be called often, at equal distances of time. */
  probe(): void {
    const frames = framesOf(this.#machines);
    if (frames.length === 0) return;
    this.#apart += Math.max(...frames) - Math.min(...frames);
    this.#probes++;
  }

  /** Throws what was wrong. A match that ended before, or that a partition still cuts, is not judged. */
  judge(): CalmFindings {
    const { levelMs, calmEndMs, links } = this.#scenario;
    const machines = this.#machines;
    const isPlayed =
      machines.length > 1 &&
      machines.every(({ session, ended }) => ended === undefined && session.driver?.isComplete === false);
    const isCut = links.some(({ partitions }) => partitions.some(({ toMs }) => toMs > levelMs));
    if (!isPlayed || isCut) return { wasLevel: false, wasFree: false };
    const wasFree = this.#wasFree && canRunFreely(this.#scenario, machines);
    const rate = Math.min(...machines.map(({ plan }) => Math.min(TICK_RATE, 1000 / plan.tickMs)));
    const asked = ((calmEndMs - levelMs) / 1000) * rate * (wasFree ? CALM_RATE : STALLED_RATE) - EDGE_FRAMES;
    const frames = framesOf(machines);
    for (const [at, { me, watch }] of machines.entries()) {
      const ran = frames[at]! - this.#frames[at]!;
      require(ran >= asked, () => `in the calm player ${me} ran ${ran} frames; expected at least ${Math.ceil(asked)}`);
      const stalls = watch.stalls - this.#stalls[at]!;
      require(!wasFree || stalls === 0, () => `in the calm player ${me} stalled ${stalls} times`);
    }
    const apart = this.#apart / this.#probes;
    require(apart <= levelFramesMax(this.#scenario, machines) || !wasFree, () =>
      `in the calm the players are ${apart.toFixed(1)} frames apart`);
    return { wasLevel: true, wasFree };
  }
}

function framesOf(machines: readonly Machine[]): number[] {
  return machines.map(({ session }) => session.sim?.lastFrame() ?? -1);
}

/** Whether a calm match had to run without stalls; what it needs beyond the link is drawn and ticked in whole frames. */
function canRunFreely(scenario: Scenario, machines: readonly Machine[]): boolean {
  const drawMs = machines.reduce((sum, { plan }) => sum + 1000 / plan.drawsPerSecond, 0);
  const slackMs = machines.some(isSlow) ? ((SLOW_FRAMES + 1) * 1000) / TICK_RATE : 0;
  const links = linksOf(scenario, machines);
  const meanMs = links.reduce((sum, { calm }) => sum + calm.delayMs, 0) / links.length;
  const at = (player: number): Machine => machines.find(({ me }) => me === player)!;
  return links.every(({ from, to, calm }) => {
    const delay = at(from).session.driver?.local.inputDelay ?? 0;
    const sim = at(to).session.sim;
    // A machine whose game is found too slow to be run again may predict a single frame.
    const window = at(to).plan.meteredMs === undefined ? (sim?.maxPrediction ?? 0) : 1;
    const underWayMs = Math.max(meanMs, calm.delayMs) + calm.jitterMs + drawMs + slackMs;
    return window + delay >= (underWayMs / 1000) * TICK_RATE + 2.5;
  });
}

/**
 * How far apart level machines may be on average, in frames. Level are those that predict equally far: where the ways
 * take unequal times, half the difference lies between the frames of two, and of more as much to either side.
 */
function levelFramesMax(scenario: Scenario, machines: readonly Machine[]): number {
  const delays = linksOf(scenario, machines).map(({ calm }) => calm.delayMs);
  const sides = machines.length === 2 ? 1 : 2;
  const uneven = ((((Math.max(...delays) - Math.min(...delays)) / 2) * TICK_RATE) / 1000) * sides;
  // Screens that draw seldom run ticks in pairs; a slow machine is behind by up to what makes it known as slow.
  const draw = machines.some(({ plan }) => plan.drawsPerSecond < TICK_RATE - 1) ? 0.5 : 0;
  return LEVEL_FRAMES_MAX + uneven + draw + (machines.some(isSlow) ? SLOW_FRAMES : 0);
}

/** The links between those who are there. */
function linksOf({ links }: Scenario, machines: readonly Machine[]) {
  const isThere = (player: number): boolean => machines.some(({ me }) => me === player);
  return links.filter(({ from, to }) => isThere(from) && isThere(to));
}

function isSlow({ plan }: Machine): boolean {
  return plan.tickMs * TICK_RATE > 950;
}

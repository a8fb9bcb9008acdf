import { Luck } from './luck.js';
import { partyOf } from './party-scenario.js';

/** How a player presses: nothing, one button now and then, anything in each tick, or these by turns. */
export type Habit = 'idle' | 'human' | 'random' | 'mixed';

/** From `fromMs` up to `toMs`, in the world's time. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface MachinePlan {
  readonly habit: Habit;
  /** Where its clock began, how much faster than the world's it runs, and its smallest step (0: none). */
  readonly clockStartMs: number;
  readonly clockSkewPpm: number;
  readonly clockStepMs: number;
  readonly drawsPerSecond: number;
  /** Time that its only thread is busy with one tick. */
  readonly tickMs: number;
  /** When the page's thread is blocked: nothing is drawn, and messages wait. */
  readonly pauses: readonly Span[];
  readonly inputDelay: number | 'auto';
  /** What the player sets it to, and when. */
  readonly delayChanges: readonly { readonly atMs: number; readonly inputDelay: number }[];
  /** When its connection is open. */
  readonly openMs: number;
  /** What the engine's own cost meter sees a step or a save take; undefined when it has no clock. */
  readonly meteredMs: number | undefined;
}

/** Loss in bursts (Gilbert and Elliott): chances, packet by packet, that one begins and ends, and its loss. */
export interface Bursts {
  readonly begin: number;
  readonly end: number;
  readonly lossRate: number;
}

export interface Weather {
  readonly delayMs: number;
  /** Up to this much is added to the delay. */
  readonly jitterMs: number;
  readonly lossRate: number;
  readonly bursts: Bursts | undefined;
  readonly duplicateRate: number;
  /** Share of packets that come up to `straggleMs` later than they should: overtaken by others. */
  readonly straggleRate: number;
  readonly straggleMs: number;
}

export interface Clog extends Span {
  readonly bytesPerSecond: number;
  /** What waits longer than this is dropped. */
  readonly queueMs: number;
}

/** One direction from one machine to another. */
export interface LinkPlan {
  readonly from: number;
  readonly to: number;
  readonly rough: Weather;
  readonly calm: Weather;
  readonly partitions: readonly Span[];
  readonly clogs: readonly Clog[];
}

/** The connection of two ends under both, and a new one opens, for each of the two at its own moment. */
export interface Cut {
  readonly pair: readonly [number, number];
  readonly atMs: number;
  readonly opensMs: readonly [number, number];
}

/** A player goes, once the match runs: for good, by its own word, or until its page is loaded again. */
export interface Departure {
  readonly kind: 'dies' | 'leaves' | 'reloads';
  readonly player: number;
  readonly atMs: number;
  /** When the page of one who reloads is there again. */
  readonly backMs: number;
  /** The connections of one who dies or reloads end with it; else they fall silent. */
  readonly closes: boolean;
}

/** How the match is to end: at a frame, by the game's own decision (one frame in `oneIn` decides, or the last), or by a player, whom the others follow. */
export type Ending =
  | { readonly kind: 'frames'; readonly frames: number }
  | { readonly kind: 'over'; readonly oneIn: number; readonly frames: number }
  | { readonly kind: 'leave'; readonly player: number };

/** All that happens in one run; everything in it follows from the seed. */
export interface Scenario {
  readonly seed: number;
  readonly machines: readonly MachinePlan[];
  readonly links: readonly LinkPlan[];
  readonly cuts: readonly Cut[];
  readonly departures: readonly Departure[];
  readonly maxPrediction: number;
  readonly ending: Ending;
  /** Faults until then, calm afterwards. */
  readonly healMs: number;
  /** The calm is long enough for all to converge: from then on it must have, up to `calmEndMs`. */
  readonly levelMs: number;
  readonly calmEndMs: number;
}

const PLAYERS = 2;
const TICK_RATE = 60;
/** Seeds from this one on are parties: see `partyOf`. */
export const PARTY_SEED_MIN = 1_000_000;
/** Time to be level again after the worst: a whole window apart, closed at one tick in four, and averages that fade. */
const SETTLE_MS = 5000;
const JUDGED_MS = 2000;

/**
 * Draws the scenario of a seed (32-bit unsigned): of two, or a party, of as many as `players` says or the seed does. Faults that are added later draw from a stream of their own, so that
 * the seeds which once found something go on meaning the same.
 */
export function scenarioOf(seed: number, players?: number): Scenario {
  if (seed >= PARTY_SEED_MIN) return partyOf(seed, players);
  const luck = new Luck(seed, 0);
  const healMs = luck.between(3000, 14_000);
  const levelMs = healMs + SETTLE_MS;
  const calmEndMs = levelMs + JUDGED_MS;
  const machines = Array.from({ length: PLAYERS }, (_, me) => machineOf(luck, healMs, me));
  const partitions = partitionsOf(luck, healMs);
  const links: LinkPlan[] = [];
  for (let from = 0; from < PLAYERS; from++) {
    for (let to = 0; to < PLAYERS; to++) {
      if (from !== to) links.push(linkOf(luck, healMs, from, to, partitions));
    }
  }
  return {
    seed,
    machines,
    links,
    cuts: cutsOf(new Luck(seed, 2), healMs),
    departures: [],
    maxPrediction: luck.chance(0.3) ? 8 : 2 + luck.below(11),
    ending: endingOf(luck, calmEndMs, PLAYERS),
    healMs,
    levelMs,
    calmEndMs,
  };
}

export function machineOf(luck: Luck, healMs: number, me: number): MachinePlan {
  const isSlow = luck.chance(0.2);
  const pauses = Array.from({ length: luck.chance(0.5) ? 0 : 1 + luck.below(3) }, () =>
    spanOf(luck, healMs, luck.magnitude(50, 5000)),
  );
  return {
    habit: luck.pick(['idle', 'human', 'human', 'random', 'mixed', 'mixed']),
    clockStartMs: luck.between(0, 1e7),
    clockSkewPpm: luck.between(-200, 200),
    clockStepMs: luck.pick([0, 0, 0.1, 1]),
    drawsPerSecond: luck.pick([30, 50, 59.94, 60, 60, 60, 75, 90, 120, 144, luck.between(30, 144)]),
    tickMs: isSlow ? 1000 / luck.between(50, TICK_RATE) : luck.magnitude(0.05, 4),
    pauses,
    inputDelay: luck.chance(0.2) ? 'auto' : luck.chance(0.3) ? 0 : luck.below(9),
    delayChanges: Array.from({ length: luck.chance(0.7) ? 0 : 1 + luck.below(4) }, () => ({
      atMs: luck.between(0, healMs),
      inputDelay: luck.below(9),
    })),
    openMs: me === 0 || luck.chance(0.5) ? 0 : luck.between(0, 2000),
    meteredMs: luck.chance(0.15) ? luck.magnitude(0.02, 2) : undefined,
  };
}

/** A span of `ms` that is over when the calm begins. */
export function spanOf(luck: Luck, healMs: number, ms: number): Span {
  const length = Math.min(ms, healMs * 0.9);
  const fromMs = luck.between(0, healMs - length);
  return { fromMs, toMs: fromMs + length };
}

/** Partitions of two: of both directions, of the one to the higher seat, and of the other. */
export type Partitions = readonly [Span[], Span[], Span[]];

function partitionsOf(luck: Luck, healMs: number): Partitions {
  const lists: [Span[], Span[], Span[]] = [[], [], []];
  if (luck.chance(0.45)) {
    const count = 1 + luck.below(3);
    for (let n = 0; n < count; n++) {
      luck.pick([lists[0], lists[1], lists[2]]).push(spanOf(luck, healMs, luck.magnitude(100, 8000)));
    }
  }
  // Longer than any session waits: the match must end, and say so on both sides.
  if (luck.chance(0.02)) lists[0].push({ fromMs: healMs / 2, toMs: healMs / 2 + 45_000 });
  return lists;
}

export function linkOf(luck: Luck, healMs: number, from: number, to: number, partitions: Partitions): LinkPlan {
  const delayMs = luck.chance(0.1) ? luck.between(0, 2) : luck.between(0, 150);
  const rough: Weather = {
    delayMs,
    jitterMs: luck.chance(0.3) ? 0 : luck.magnitude(1, 80),
    lossRate: luck.chance(0.25) ? 0 : luck.magnitude(0.005, 0.3),
    bursts: luck.chance(0.35)
      ? { begin: luck.magnitude(0.002, 0.05), end: luck.magnitude(0.03, 0.5), lossRate: luck.between(0.5, 1) }
      : undefined,
    duplicateRate: luck.chance(0.6) ? 0 : luck.magnitude(0.005, 0.3),
    straggleRate: luck.chance(0.6) ? 0 : luck.magnitude(0.005, 0.2),
    straggleMs: luck.magnitude(10, 600),
  };
  const clogs = Array.from({ length: luck.chance(0.75) ? 0 : 1 + luck.below(2) }, () => ({
    ...spanOf(luck, healMs, luck.magnitude(300, 6000)),
    bytesPerSecond: luck.magnitude(1500, 10_000),
    queueMs: luck.magnitude(100, 1500),
  }));
  return {
    from,
    to,
    rough,
    calm: {
      delayMs: luck.between(2, 60),
      jitterMs: luck.between(0, 3),
      lossRate: 0,
      bursts: undefined,
      duplicateRate: 0,
      straggleRate: 0,
      straggleMs: 0,
    },
    partitions: [...partitions[0], ...partitions[from < to ? 1 : 2]],
    clogs,
  };
}

/** Cuts of a connection, one after the other. */
function cutsOf(luck: Luck, healMs: number): Cut[] {
  return luck.chance(0.2) ? cutsOfPair(luck, healMs, [0, 1]) : [];
}

export function cutsOfPair(luck: Luck, healMs: number, pair: Cut['pair']): Cut[] {
  const cuts: Cut[] = [];
  let fromMs = luck.between(500, healMs * 0.8);
  for (let left = 1 + luck.below(2); left > 0 && fromMs < healMs * 0.9; left--) {
    const lastMs = Math.min(healMs, fromMs + luck.magnitude(20, 8000));
    const atMs = fromMs;
    const openMs = (): number => Math.max(atMs, lastMs - luck.between(0, 300));
    cuts.push({ pair, atMs, opensMs: [openMs(), openMs()] });
    fromMs = lastMs + luck.between(0, 3000);
  }
  return cuts;
}

export function endingOf(luck: Luck, calmEndMs: number, players: number): Ending {
  const kind = luck.unit();
  // As many frames as no machine can have played before the calm was judged.
  const frames = Math.ceil(((calmEndMs + 300) / 1000) * TICK_RATE);
  if (kind < 0.45) return { kind: 'frames', frames };
  if (kind < 0.65) return { kind: 'frames', frames: 60 + luck.below(900) };
  if (kind < 0.8) return { kind: 'over', oneIn: 100 + luck.below(1500), frames };
  return { kind: 'leave', player: luck.below(players) };
}

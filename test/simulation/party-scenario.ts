import { Luck } from './luck.js';
import {
  type Cut,
  cutsOfPair,
  type Departure,
  endingOf,
  type LinkPlan,
  linkOf,
  type MachinePlan,
  machineOf,
  type Partitions,
  type Scenario,
  spanOf,
} from './scenario.js';

/** Time for all who are left to be together again: silence, an agreement, a player who asks twice, and to be level. */
const SETTLE_MS = 18_000;
const JUDGED_MS = 2000;
/** Nobody goes before: the match shall have begun. */
const DEPART_MS_MIN = 2500;

/**
 * The scenario of a party: two to eight players, who also die, leave, reload their pages and sleep in hidden tabs, over
 * connections of their own, of which some are cut, silent one way or both, or separate one side of the players from the other.
 */
export function partyOf(seed: number, asked?: number): Scenario {
  const luck = new Luck(seed, 3);
  const drawn = luck.pick([2, 3, 3, 3, 4, 4, 5 + luck.below(4)]);
  const players = asked ?? drawn;
  const openHealMs = luck.between(5000, 14_000);
  const departures = departuresOf(luck, openHealMs, players);
  const healMs = Math.max(openHealMs, ...departures.map(({ backMs }) => backMs));
  const levelMs = healMs + SETTLE_MS;
  const calmEndMs = levelMs + JUDGED_MS;
  const machines = Array.from({ length: players }, (_, me) => sleepy(luck, healMs, machineOf(luck, healMs, me)));
  const isolation = isolationOf(luck, healMs, players);
  const links: LinkPlan[] = [];
  const cuts: Cut[] = [];
  for (let one = 0; one < players; one++) {
    for (let other = one + 1; other < players; other++) {
      const partitions = partitionsOf(luck, healMs, players);
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        const link = linkOf(luck, healMs, from, to, partitions);
        links.push({ ...link, partitions: [...link.partitions, ...isolation(from, to)] });
      }
      if (luck.chance(0.4 / players)) cuts.push(...cutsOfPair(luck, healMs, [one, other]));
    }
  }
  const maxPrediction = luck.chance(0.3) ? 8 : 2 + luck.below(11);
  const ending = endingOf(luck, calmEndMs, players);
  return { seed, machines, links, cuts, departures, maxPrediction, ending, healMs, levelMs, calmEndMs };
}

function departuresOf(luck: Luck, healMs: number, players: number): Departure[] {
  return Array.from({ length: luck.pick([0, 1, 1, 1, 2, 2, 3]) }, () => {
    const atMs = luck.between(DEPART_MS_MIN, healMs);
    const kind = luck.pick<Departure['kind']>([
      'reloads',
      'reloads',
      'reloads',
      'reloads',
      'dies',
      players === 2 ? 'reloads' : 'leaves',
    ]);
    const backMs = kind === 'reloads' ? atMs + luck.magnitude(300, 20_000) : atMs;
    return { kind, player: luck.below(players), atMs, backMs, closes: luck.chance(0.5) };
  });
}

/** Perhaps its tab is hidden, and the browser stops it for long. */
function sleepy(luck: Luck, healMs: number, machine: MachinePlan): MachinePlan {
  if (!luck.chance(0.15)) return machine;
  return { ...machine, pauses: [...machine.pauses, spanOf(luck, healMs, luck.magnitude(1000, 15_000))] };
}

function partitionsOf(luck: Luck, healMs: number, players: number): Partitions {
  const lists: Partitions = [[], [], []];
  if (!luck.chance(0.9 / players)) return lists;
  for (let left = 1 + luck.below(2); left > 0; left--) {
    luck.pick([lists[0], lists[1], lists[2]]).push(spanOf(luck, healMs, luck.magnitude(100, 9000)));
  }
  return lists;
}

/** Perhaps some of the players are separated from all others for a while: both ways, or what they send, or what they hear. */
function isolationOf(luck: Luck, healMs: number, players: number) {
  const isThere = luck.chance(0.25);
  const side = 1 + luck.below(2 ** players - 2);
  const span = spanOf(luck, healMs, luck.magnitude(500, 12_000));
  const ways = luck.pick(['both', 'both', 'sends', 'hears']);
  const isInside = (player: number): boolean => (side & (1 << player)) !== 0;
  return (from: number, to: number) => {
    const isSilent = isInside(from) !== isInside(to) && (ways === 'both' || (ways === 'sends') === isInside(from));
    return isThere && isSilent ? [span] : [];
  };
}

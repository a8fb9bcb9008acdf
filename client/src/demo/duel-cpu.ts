import {
  attackFrames,
  attackOf,
  type DuelInput,
  type DuelState,
  duelAttacks,
  type Fighter,
} from '@riposte/shared/games';

/** Plays a duel by looking at it: what `player` presses in the frame after `state`. It remembers nothing. */
export type DuelBrain = (state: DuelState, player: number) => Partial<DuelInput>;

/** How well a computer plays. */
interface Skill {
  /** Frames of a wind-up that must be over before it is noticed. */
  readonly reactionFrames: number;
  /** Frames for which it stays with what it has decided. */
  readonly beatFrames: number;
  /** In percent: how often it guards what it notices, attacks in reach, and strikes who is open. */
  readonly guards: number;
  readonly attacks: number;
  readonly punishes: number;
  /** Of its attacks, in percent, the throws and the heavy ones; of a guard in reach, how often it throws that. */
  readonly throws: number;
  readonly heavies: number;
}

export const duelSkills = {
  easy: { reactionFrames: 14, beatFrames: 28, guards: 42, attacks: 34, punishes: 40, throws: 10, heavies: 35 },
  medium: { reactionFrames: 11, beatFrames: 20, guards: 65, attacks: 45, punishes: 60, throws: 20, heavies: 25 },
  hard: { reactionFrames: 8, beatFrames: 13, guards: 92, attacks: 60, punishes: 95, throws: 30, heavies: 15 },
} as const satisfies Record<string, Skill>;

export type DuelSkill = keyof typeof duelSkills;

/** As a bit of `Fighter.held`: a button that is held must be let go before it counts again. */
const LIGHT = 1;
const HEAVY = 2;
const DASH = 8;

type Button = 'light' | 'heavy' | 'throw' | 'dash';

/** A computer opponent. What looks like chance in it is drawn from the state, so the same match plays out the same. */
export function duelCpu(name: DuelSkill): DuelBrain {
  const skill: Skill = duelSkills[name];
  return (state, player) => {
    if (state.phase !== 'fight') return {};
    const me = state.fighters[player]!;
    const foe = state.fighters[1 - player]!;
    const gap = state.fighters[1]!.x - state.fighters[0]!.x;
    const beat = Math.floor(state.clock / skill.beatFrames);
    const isBeat = state.clock % skill.beatFrames === 0;
    const chance = (salt: number): number => percentOf(state, beat, player * 31 + salt);

    if (seesBlow(foe, gap, skill) && percentOf(state, state.clock + foe.actionFrame, player) < skill.guards) {
      return { block: true };
    }
    const opening = openingFor(foe, gap);
    if (opening !== undefined && chance(1) < skill.punishes) return press(me, opening, player);
    if (isGuarding(foe) && gap < duelAttacks.throw.reach && chance(2) < skill.throws * 2) {
      return press(me, 'throw', player);
    }
    const light = duelAttacks.light.reach + duelAttacks.light.step * duelAttacks.light.windup;
    if (gap > light + 900) return chance(3) < 25 && isBeat ? press(me, 'dash', player) : walk(player, true);
    if (gap > light - 60) return chance(4) < 70 ? walk(player, true) : walk(player, false);
    if (isBeat && chance(5) < skill.attacks) {
      const kind = chance(6);
      const isClose = gap < duelAttacks.throw.reach;
      if (kind < skill.throws && isClose) return press(me, 'throw', player);
      return press(me, kind > 100 - skill.heavies ? 'heavy' : 'light', player);
    }
    if (chance(7) < skill.guards / 2) return { block: true };
    return walk(player, chance(8) < 55);
  };
}

/** Whether an attack is on its way that reaches, for long enough to have been noticed. */
function seesBlow(foe: Fighter, gap: number, { reactionFrames }: Skill): boolean {
  const attack = attackOf(foe);
  // A guard is no use against a throw.
  if (attack === undefined || foe.action === 'throw' || foe.connected) return false;
  if (foe.actionFrame < reactionFrames || foe.actionFrame >= attack.windup + attack.active) return false;
  return gap <= attack.reach + attack.step * Math.max(0, attack.windup - foe.actionFrame) + 80;
}

/** What would hit an opponent that cannot act for long enough. */
function openingFor(foe: Fighter, gap: number): 'light' | 'heavy' | undefined {
  const attack = attackOf(foe);
  const isSpent = attack !== undefined && foe.actionFrame >= attack.windup + attack.active;
  const framesOpen = foe.action === 'recoil' ? foe.hitstun : isSpent ? attackFrames(attack) - foe.actionFrame : 0;
  const exposed = isSpent ? attack.exposed : 0;
  for (const name of ['heavy', 'light'] as const) {
    const { windup, reach, step } = duelAttacks[name];
    if (framesOpen > windup && gap - exposed <= reach + step * windup - 40) return name;
  }
  return undefined;
}

function isGuarding({ action }: Fighter): boolean {
  return action === 'guard' || action === 'guardHit';
}

/** Presses one button afresh: first lets it go where it is still held. */
export function press(me: Fighter, button: Button, player: number): Partial<DuelInput> {
  switch (button) {
    case 'light':
      return { light: (me.held & LIGHT) === 0 };
    case 'heavy':
      return { heavy: (me.held & HEAVY) === 0 };
    case 'throw':
      return { block: true, light: (me.held & LIGHT) === 0 };
    case 'dash':
      return { dash: (me.held & DASH) === 0, ...walk(player, true) };
  }
}

/** Toward the opponent, or away. */
export function walk(player: number, forward: boolean): Partial<DuelInput> {
  return (player === 0) === forward ? { right: true } : { left: true };
}

/** 0 to 99, the same for the same state and `salt`, whatever else happens. */
function percentOf({ round, introFrames }: DuelState, moment: number, salt: number): number {
  let word = Math.imul(moment + 1, 0x9e3779b1) ^ Math.imul(salt + round * 97 + introFrames * 1009, 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d);
  word = Math.imul(word ^ (word >>> 12), 0x297a2d39);
  return ((word ^ (word >>> 15)) >>> 0) % 100;
}

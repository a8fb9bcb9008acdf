import type { StepContext } from '../../game/game.js';
import { show } from './effects.js';
import { begin } from './fighter.js';
import { type Attack, duelAttacks, duelRules as rules } from './rules.js';
import { attackOf, type DuelState, type Fighter } from './state.js';

/** How an attack meets its opponent. */
type Contact = 'none' | 'hit' | 'blocked' | 'parried' | 'thrown' | 'clash';

/**
 * Lets both attacks meet what they reach. Both are judged before either takes effect, so that nobody is first: when
 * both hit in the same frame, both are hit.
 */
export function resolveContacts(state: DuelState, ctx: StepContext): void {
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  const gap = second.x - first.x;
  const firstAttack = attackOf(first);
  const secondAttack = attackOf(second);
  let onSecond = judge(first, firstAttack, second, gap);
  let onFirst = judge(second, secondAttack, first, gap);
  if (onFirst === 'none' && onSecond === 'none') return;
  if (onFirst === 'thrown' && onSecond === 'thrown') {
    onFirst = 'clash';
    onSecond = 'clash';
  } else if (onFirst === 'thrown' && onSecond === 'hit') {
    onFirst = 'none';
  } else if (onSecond === 'thrown' && onFirst === 'hit') {
    onSecond = 'none';
  }
  // Marked before anyone is staggered, which ends the attack and takes the mark off again.
  first.connected ||= onSecond !== 'none';
  second.connected ||= onFirst !== 'none';
  if (firstAttack !== undefined && onSecond !== 'none') meet(state, ctx, 0, firstAttack, onSecond);
  if (secondAttack !== undefined && onFirst !== 'none') meet(state, ctx, 1, secondAttack, onFirst);
}

/** How `attacker` meets `defender` in this frame. */
function judge(attacker: Fighter, attack: Attack | undefined, defender: Fighter, gap: number): Contact {
  if (attack === undefined || attacker.connected) return 'none';
  const { actionFrame } = attacker;
  if (actionFrame < attack.windup || actionFrame >= attack.windup + attack.active) return 'none';
  if (gap - exposureOf(defender) > attack.reach) return 'none';
  const { action } = defender;
  if (action === 'thrown' || action === 'down') return 'none';
  if (attacker.action === 'throw') return action === 'hit' || action === 'guardHit' ? 'none' : 'thrown';
  if (action === 'guardHit') return 'blocked';
  if (action !== 'guard') return 'hit';
  return defender.guardFrame < rules.parryFrames ? 'parried' : 'blocked';
}

function exposureOf(fighter: Fighter): number {
  const attack = attackOf(fighter);
  return attack !== undefined && fighter.actionFrame >= attack.windup ? attack.exposed : 0;
}

function meet(state: DuelState, ctx: StepContext, attackerNumber: 0 | 1, attack: Attack, contact: Contact): void {
  const defenderNumber = 1 - attackerNumber;
  const attacker = state.fighters[attackerNumber]!;
  const defender = state.fighters[defenderNumber]!;
  let freeze = attack.freeze;
  switch (contact) {
    case 'hit':
    case 'thrown':
      show(ctx, contact === 'thrown' ? 'throw' : attack === duelAttacks.heavy ? 'heavy-hit' : 'hit', defenderNumber);
      hurt(defender, attack.damage);
      stagger(defender, contact, attack.hitstun, attack.push);
      attacker.hitsLanded++;
      break;
    case 'blocked':
      show(ctx, 'block', defenderNumber);
      hurt(defender, attack.chip);
      begin(defender, 'guardHit');
      defender.blockstun = attack.blockstun;
      defender.slide = slideFor(attack.push);
      break;
    case 'parried':
      show(ctx, 'parry', defenderNumber);
      stagger(attacker, 'recoil', rules.recoilFrames, rules.recoilPush);
      defender.parries++;
      freeze = rules.parryFreeze;
      break;
    case 'clash':
      show(ctx, 'clash', defenderNumber);
      stagger(defender, 'recoil', attack.windup + attack.active, attack.push);
      break;
  }
  if (defender.health === 0) {
    show(ctx, 'knock-out', defenderNumber);
    begin(defender, 'down');
    defender.slide = slideFor(attack.push);
    freeze = rules.knockoutFreeze;
  }
  if (freeze > state.freeze) state.freeze = freeze;
}

function hurt(fighter: Fighter, damage: number): void {
  fighter.health = Math.max(0, fighter.health - damage);
}

function stagger(fighter: Fighter, action: Fighter['action'], hitstun: number, push: number): void {
  begin(fighter, action);
  fighter.hitstun = hitstun;
  fighter.blockstun = 0;
  fighter.slide = slideFor(push);
}

/** The first frame's speed of a slide over `distance`: each next frame has three quarters of it. */
function slideFor(distance: number): number {
  return distance >> 2;
}

import { begin } from './fighter.js';
import { type Attack, duelRules as rules } from './rules.js';
import { attackOf, type DuelState, type Fighter } from './state.js';

type Contact = Fighter['contact'];

/**
 * Lets both attacks meet what they reach. Both are judged before either takes effect, so that nobody is first: when
 * both hit in the same frame, both are hit.
 */
export function resolveContacts(state: DuelState): void {
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
  const spark = state.random.below(8);
  if (firstAttack !== undefined && onSecond !== 'none') meet(state, first, firstAttack, second, onSecond, spark);
  if (secondAttack !== undefined && onFirst !== 'none') meet(state, second, secondAttack, first, onFirst, spark);
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

function meet(
  state: DuelState,
  attacker: Fighter,
  attack: Attack,
  defender: Fighter,
  contact: Contact,
  spark: number,
): void {
  defender.contact = contact;
  defender.flash = rules.flashFrames;
  defender.spark = spark;
  let freeze = attack.freeze;
  switch (contact) {
    case 'hit':
    case 'thrown':
      hurt(defender, attack.damage);
      stagger(defender, contact, attack.hitstun, attack.push);
      attacker.hitsLanded++;
      break;
    case 'blocked':
      hurt(defender, attack.chip);
      begin(defender, 'guardHit');
      defender.blockstun = attack.blockstun;
      defender.slide = slideFor(attack.push);
      break;
    case 'parried':
      stagger(attacker, 'recoil', rules.recoilFrames, rules.recoilPush);
      defender.parries++;
      freeze = rules.parryFreeze;
      break;
    case 'clash':
      stagger(defender, 'recoil', attack.windup + attack.active, attack.push);
      break;
  }
  if (defender.health === 0) {
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

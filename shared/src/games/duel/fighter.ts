import type { StepContext } from '../../game/game.js';
import { show } from './effects.js';
import { attackFrames, duelRules as rules } from './rules.js';
import { attackOf, type DuelInput, type Fighter, facingOf } from './state.js';

const LIGHT = 1;
const HEAVY = 2;
const BLOCK = 4;
const DASH = 8;

/** Notices fresh presses and keeps the newest for a few frames, so that a press a little early is not lost. */
export function readButtons(fighter: Fighter, input: DuelInput): void {
  const held =
    (input.light ? LIGHT : 0) | (input.heavy ? HEAVY : 0) | (input.block ? BLOCK : 0) | (input.dash ? DASH : 0);
  const fresh = held & ~fighter.held;
  fighter.held = held;
  if ((fresh & HEAVY) !== 0) buffer(fighter, 'heavy');
  else if ((fresh & LIGHT) !== 0) buffer(fighter, (held & BLOCK) !== 0 ? 'throw' : 'light');
  else if ((fresh & DASH) !== 0) buffer(fighter, 'dash');
  else if (fighter.bufferFrame > 0) fighter.bufferFrame--;
  else fighter.buffered = 'nothing';
}

function buffer(fighter: Fighter, action: Fighter['buffered']): void {
  fighter.buffered = action;
  fighter.bufferFrame = rules.bufferFrames;
}

export function begin(fighter: Fighter, action: Fighter['action']): void {
  fighter.action = action;
  fighter.actionFrame = 0;
  fighter.connected = false;
}

/** Puts a fighter at its mark for a new round; its score stays. */
export function reset(fighter: Fighter, x: number): void {
  begin(fighter, 'stand');
  fighter.x = x;
  fighter.slide = 0;
  fighter.health = rules.health;
  fighter.hitstun = 0;
  fighter.blockstun = 0;
  fighter.guardFrame = 0;
  fighter.parryWait = 0;
  fighter.buffered = 'nothing';
  fighter.bufferFrame = 0;
}

/** Counts a fighter's times on by one frame and, where it is free, lets it do what is pressed. */
export function act(fighter: Fighter, player: number, input: DuelInput, ctx: StepContext): void {
  fighter.actionFrame++;
  if (fighter.parryWait > 0) fighter.parryWait--;
  if (fighter.action === 'down') return;
  if (fighter.hitstun > 0) {
    fighter.hitstun--;
    return;
  }
  if (fighter.blockstun > 0) {
    fighter.blockstun--;
    return;
  }
  if (isBusy(fighter)) {
    const attack = attackOf(fighter);
    if (attack === undefined || fighter.connected) return;
    if (fighter.actionFrame === attack.windup + attack.active) show(ctx, 'whiff', player);
    return;
  }
  choose(fighter, player, input, ctx);
  if (isWalking(fighter) && fighter.actionFrame % rules.stepFrames === rules.stepFrames - 1) show(ctx, 'step', player);
}

function isWalking({ action }: Fighter): boolean {
  return action === 'advance' || action === 'retreat';
}

function isBusy(fighter: Fighter): boolean {
  if (fighter.action === 'dashForward') return fighter.actionFrame < rules.dashForwardFrames;
  if (fighter.action === 'dashBack') return fighter.actionFrame < rules.dashBackFrames;
  const attack = attackOf(fighter);
  return attack !== undefined && fighter.actionFrame < attackFrames(attack);
}

function choose(fighter: Fighter, player: number, input: DuelInput, ctx: StepContext): void {
  const facing = facingOf(player);
  const forward = facing === 1 ? input.right : input.left;
  const back = facing === 1 ? input.left : input.right;
  const { buffered } = fighter;
  if (buffered !== 'nothing') {
    lowerGuard(fighter);
    if (buffered === 'dash') {
      begin(fighter, back ? 'dashBack' : 'dashForward');
      show(ctx, 'dash', player);
    } else {
      begin(fighter, buffered);
      show(ctx, 'swing', player, buffered);
    }
    fighter.buffered = 'nothing';
    fighter.bufferFrame = 0;
  } else if (input.block) {
    raiseGuard(fighter);
  } else {
    lowerGuard(fighter);
    const action = forward === back ? 'stand' : forward ? 'advance' : 'retreat';
    if (fighter.action !== action) begin(fighter, action);
  }
}

function raiseGuard(fighter: Fighter): void {
  if (fighter.action === 'guard') {
    if (fighter.guardFrame < rules.parryFrames) fighter.guardFrame++;
    return;
  }
  fighter.guardFrame = fighter.action === 'guardHit' || fighter.parryWait > 0 ? rules.parryFrames : 0;
  begin(fighter, 'guard');
}

function lowerGuard(fighter: Fighter): void {
  if (fighter.action === 'guard' || fighter.action === 'guardHit') fighter.parryWait = rules.parryWaitFrames;
}

/** How far the fighter moves toward its opponent in this frame, by its own will. */
export function strideOf(fighter: Fighter): number {
  switch (fighter.action) {
    case 'advance':
      return rules.walkForward;
    case 'retreat':
      return -rules.walkBack;
    case 'dashForward':
      return fighter.actionFrame < rules.dashMoving ? rules.dashSpeed : 0;
    case 'dashBack':
      return fighter.actionFrame < rules.dashMoving ? -rules.dashSpeed : 0;
    default: {
      const attack = attackOf(fighter);
      return attack !== undefined && fighter.actionFrame < attack.windup ? attack.step : 0;
    }
  }
}

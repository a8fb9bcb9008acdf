import { type Buttons, buttons } from '../../input/controls.js';
import { array, bool, choice, i16, i32, random, u8, u16 } from '../../state/struct/fields.js';
import { struct } from '../../state/struct/struct.js';
import { type Attack, duelAttacks } from './rules.js';

/** What a duellist presses. Light while block is held is the throw; dash goes back while back is held, else forward. */
export const duelInput = buttons('left', 'right', 'light', 'heavy', 'block', 'dash');

export type DuelInput = Buttons<'left' | 'right' | 'light' | 'heavy' | 'block' | 'dash'>;

/** The match: player 0 stands left and looks right, player 1 the other way, and they never change sides. */
export const duelModel = struct({
  phase: choice('intro', 'fight', 'roundOver', 'matchOver'),
  /** Frames since the phase began. */
  phaseFrame: u16,
  /** How long this round's intro lasts. */
  introFrames: u16,
  /** From 1. */
  round: u8,
  /** Frames left in the round. */
  clock: u16,
  /** Frames for which both fighters still hold still after a contact. */
  freeze: u8,
  /** How the last finished round ended. */
  ending: choice('none', 'knockout', 'time'),
  lastWinner: choice('nobody', 'first', 'second', 'both'),
  fighters: array(2, {
    x: i32,
    /** Speed away from the opponent, after a contact. */
    slide: i16,
    action: choice(
      'stand',
      'advance',
      'retreat',
      'dashForward',
      'dashBack',
      'light',
      'heavy',
      'throw',
      'guard',
      'guardHit',
      'hit',
      'thrown',
      'recoil',
      'down',
    ),
    actionFrame: u16,
    health: u8,
    /** Frames for which the fighter still cannot act. */
    hitstun: u8,
    blockstun: u8,
    /** Frames since the guard was raised, counted up to where it cannot parry any more. */
    guardFrame: u8,
    parryWait: u8,
    /** This attack has met the opponent: it does so once. */
    connected: bool,
    /** The last press, kept until the fighter is free. */
    buffered: choice('nothing', 'light', 'heavy', 'throw', 'dash'),
    bufferFrame: u8,
    /** The buttons of the frame before, a bit each. */
    held: u8,
    hitsLanded: u16,
    parries: u16,
    roundsWon: u8,
  }),
  random: random(),
});

export type DuelState = ReturnType<typeof duelModel.create>;
export type Fighter = DuelState['fighters'][number];

/** The attack that a fighter is in, wherever in it. */
export function attackOf(fighter: Fighter): Attack | undefined {
  const { action } = fighter;
  if (action === 'light') return duelAttacks.light;
  if (action === 'heavy') return duelAttacks.heavy;
  if (action === 'throw') return duelAttacks.throw;
  return undefined;
}

/** 1 for the player who looks right, -1 for the one who looks left. */
export function facingOf(player: number): 1 | -1 {
  return player === 0 ? 1 : -1;
}

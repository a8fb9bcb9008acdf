/**
 * The duel's numbers, in one place. Times are frames of 1/60 s, distances whole units (1,000 are about a metre) between
 * the middles of the two fighters, speeds units a frame.
 */
export const duelRules = {
  /** The middles of the fighters stay between `-stageHalf` and `stageHalf`. */
  stageHalf: 4000,
  /** The fighters' middles never come closer than this. */
  bodyGap: 560,
  startX: 1100,
  walkForward: 34,
  walkBack: 27,
  dashSpeed: 100,
  /** A dash moves for its first frames and stands still for the rest; nothing else can be done in it. */
  dashMoving: 10,
  dashForwardFrames: 14,
  dashBackFrames: 18,
  health: 100,
  roundsToWin: 3,
  roundFrames: 20 * 60,
  /** The signal to fight falls at a drawn moment, so that nobody can time the first blow by counting. */
  introFramesMin: 70,
  introFramesSpread: 40,
  roundOverFrames: 150,
  /** How long a press waits for the fighter to be free again. */
  bufferFrames: 6,
  /** A guard raised at most this many frames before the blow parries it. */
  parryFrames: 7,
  /** After a guard was lowered, the next one cannot parry for so long. */
  parryWaitFrames: 24,
  /** How long a parried attacker is open to the riposte. */
  recoilFrames: 34,
  recoilPush: 300,
  parryFreeze: 12,
  knockoutFreeze: 24,
  /** Frames from one footfall of a walk to the next. */
  stepFrames: 16,
} as const;

/** What one attack does, and when. */
export interface Attack {
  /** Frames before it can hit, in which it can hit, and after which the fighter is free again. */
  readonly windup: number;
  readonly active: number;
  readonly recovery: number;
  /** The farthest opponent that it hits. */
  readonly reach: number;
  /** How much farther away its own body can be hit once the wind-up is over: why missing is dangerous. */
  readonly exposed: number;
  /** Forward speed in the wind-up. */
  readonly step: number;
  readonly damage: number;
  /** Damage through a guard. */
  readonly chip: number;
  /** Frames for which the opponent cannot act, when hit and when guarding. */
  readonly hitstun: number;
  readonly blockstun: number;
  /** How far the opponent slides back. */
  readonly push: number;
  /** Frames for which both stand still at the contact. */
  readonly freeze: number;
}

/** Light beats throw, throw beats guard, guard beats light; heavy hurts, and a whiffed heavy is hurt. */
export const duelAttacks = {
  light: {
    windup: 6,
    active: 3,
    recovery: 11,
    reach: 1020,
    exposed: 120,
    step: 12,
    damage: 7,
    chip: 0,
    hitstun: 16,
    blockstun: 10,
    push: 420,
    freeze: 6,
  },
  heavy: {
    windup: 17,
    active: 4,
    recovery: 22,
    reach: 1200,
    exposed: 320,
    step: 36,
    damage: 16,
    chip: 2,
    hitstun: 26,
    blockstun: 15,
    push: 800,
    freeze: 10,
  },
  throw: {
    windup: 5,
    active: 2,
    recovery: 24,
    reach: 680,
    exposed: 0,
    step: 8,
    damage: 12,
    chip: 12,
    hitstun: 38,
    blockstun: 38,
    push: 1100,
    freeze: 8,
  },
} as const satisfies Record<string, Attack>;

/** All frames of an attack. */
export function attackFrames(attack: Attack): number {
  return attack.windup + attack.active + attack.recovery;
}

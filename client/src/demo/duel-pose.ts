import { attackFrames, attackOf, type DuelState, duelAttacks, duelRules, type Fighter } from '@riposte/shared/games';

/** A stance of the figure that looks right: lengths in the game's units, y up from the ground, angles in radians. */
export interface Pose {
  /** The hip's height and how far it is ahead of the fighter's place. */
  readonly hip: number;
  readonly shift: number;
  /** Of the back, forward is positive. */
  readonly lean: number;
  readonly frontFoot: number;
  readonly backFoot: number;
  readonly frontLift: number;
  /** The sword hand, from the shoulder, and the blade, from straight ahead upward. */
  readonly handX: number;
  readonly handY: number;
  readonly blade: number;
  /** The free hand, from the shoulder. */
  readonly freeX: number;
  readonly freeY: number;
  /** The whole figure turned about its hip, backward is positive. */
  readonly tumble: number;
}

const onGuard: Pose = {
  hip: 760,
  shift: 0,
  lean: 0.06,
  frontFoot: 330,
  backFoot: -330,
  frontLift: 0,
  handX: 360,
  handY: -130,
  blade: 0.62,
  freeX: -300,
  freeY: 110,
  tumble: 0,
};

function pose(changes: Partial<Pose>): Pose {
  return { ...onGuard, ...changes };
}

const lightCocked = pose({ handX: 190, handY: -60, blade: 0.1, lean: -0.04, shift: -40 });
const lightOut = pose({
  handX: 610,
  handY: 10,
  blade: 0.0,
  lean: 0.22,
  frontFoot: 470,
  hip: 720,
  freeY: -120,
  shift: 40,
});
const heavyCocked = pose({
  handX: -140,
  handY: 470,
  blade: 2.35,
  lean: -0.2,
  frontFoot: 250,
  frontLift: 130,
  hip: 780,
  freeX: 330,
  freeY: 60,
});
const heavyOut = pose({
  handX: 600,
  handY: -90,
  blade: -0.1,
  lean: 0.42,
  frontFoot: 760,
  backFoot: -470,
  hip: 560,
  shift: 130,
  freeX: -420,
  freeY: -60,
});
const throwCocked = pose({ freeX: -120, freeY: -60, handX: 120, handY: -300, blade: -0.9, lean: -0.05 });
const throwOut = pose({ freeX: 620, freeY: -20, handX: -160, handY: -330, blade: -1.9, lean: 0.34, frontFoot: 440 });
const guard = pose({ handX: 400, handY: 30, blade: 1.5, lean: -0.1, shift: -30, hip: 730 });
const guardHit = pose({ handX: 330, handY: 60, blade: 1.75, lean: -0.24, shift: -90, hip: 700, backFoot: -420 });
const struck = pose({
  handX: 200,
  handY: -360,
  blade: -1.0,
  lean: -0.5,
  shift: -60,
  freeX: -330,
  freeY: 240,
  backFoot: -400,
});
const flung = pose({
  hip: 640,
  tumble: 1.2,
  handX: 120,
  handY: 420,
  blade: 1.9,
  frontFoot: 300,
  frontLift: 350,
  lean: -0.3,
});
const recoil = pose({
  handX: -90,
  handY: 500,
  blade: 2.1,
  lean: -0.34,
  shift: -80,
  freeX: -320,
  freeY: -120,
  frontLift: 90,
});
const lying = pose({
  hip: 150,
  tumble: 1.5,
  lean: -0.04,
  handX: 160,
  handY: 420,
  blade: 2.0,
  frontFoot: 220,
  backFoot: -80,
});
const rush = pose({
  lean: 0.44,
  hip: 690,
  frontFoot: 470,
  backFoot: -520,
  handX: 300,
  handY: -200,
  blade: 0.25,
  shift: 60,
});
const spring = pose({ lean: -0.26, hip: 700, frontFoot: 430, backFoot: -430, frontLift: 90, shift: -60, blade: 0.9 });
const salute = pose({
  hip: 860,
  lean: 0,
  frontFoot: 130,
  backFoot: -130,
  handX: 190,
  handY: 60,
  blade: 1.5,
  freeX: -120,
  freeY: -470,
});

/** How long a change of stance takes where the game has it at once. */
const EASE_FRAMES = 5;

/** Frames for which a fighter shows that it was struck; the standstill of the contact comes on top. */
const STRUCK_FRAMES = 4;

export function isStruck({ action, actionFrame }: Fighter): boolean {
  return actionFrame < STRUCK_FRAMES && (action === 'hit' || action === 'thrown' || action === 'down');
}

/** The stance of a fighter: from the state alone, so that a corrected frame is drawn as what it is. */
export function poseOf(state: DuelState, fighter: Fighter, won: boolean): Pose {
  const { action, actionFrame } = fighter;
  const attack = attackOf(fighter);
  if (attack !== undefined) {
    const [cocked, out] =
      attack === duelAttacks.light
        ? [lightCocked, lightOut]
        : attack === duelAttacks.heavy
          ? [heavyCocked, heavyOut]
          : [throwCocked, throwOut];
    if (actionFrame < attack.windup) {
      // The stroke itself starts just before it can hit.
      const release = attack.windup - 2;
      return actionFrame < release
        ? mix(onGuard, cocked, ease(actionFrame / release))
        : mix(cocked, out, ease((actionFrame - release + 1) / 3));
    }
    const held = attack.windup + attack.active + 2;
    if (actionFrame < held) return out;
    return mix(out, onGuard, ease((actionFrame - held) / (attackFrames(attack) - held)));
  }
  const entering = ease(actionFrame / EASE_FRAMES);
  const leaving = ease(Math.max(fighter.hitstun, fighter.blockstun) / 8);
  switch (action) {
    case 'advance':
      return stride(actionFrame / 16);
    case 'retreat':
      return stride(-actionFrame / 18);
    case 'dashForward':
      return mix(onGuard, rush, dashed(actionFrame, duelRules.dashForwardFrames));
    case 'dashBack':
      return mix(onGuard, spring, dashed(actionFrame, duelRules.dashBackFrames));
    case 'guard':
      return mix(onGuard, guard, ease((actionFrame + 2) / EASE_FRAMES));
    case 'guardHit':
      return mix(guard, guardHit, leaving);
    case 'hit':
      return mix(onGuard, struck, leaving);
    case 'recoil':
      return mix(onGuard, recoil, Math.min(leaving, ease((actionFrame + 2) / EASE_FRAMES)));
    case 'thrown':
      return mix(onGuard, flung, Math.min(leaving, ease((actionFrame + 1) / 12)));
    case 'down':
      return mix(struck, lying, ease(actionFrame / 22));
    default:
      if (won && (state.phase === 'matchOver' || (state.phase === 'roundOver' && state.phaseFrame > 40))) return salute;
      return breathe(entering, actionFrame);
  }
}

function dashed(frame: number, frames: number): number {
  return ease(Math.min((frame + 1) / 3, (frames - frame) / 5));
}

/** Steps on guard: the feet open and close in turn. `cycle` counts steps. */
function stride(cycle: number): Pose {
  const swing = Math.sin(cycle * Math.PI * 2);
  return {
    ...onGuard,
    frontFoot: onGuard.frontFoot + swing * 110,
    backFoot: onGuard.backFoot + Math.cos(cycle * Math.PI * 2) * 70,
    frontLift: Math.max(0, Math.cos(cycle * Math.PI * 2)) * 70,
    hip: onGuard.hip - Math.abs(swing) * 20,
  };
}

function breathe(entering: number, frame: number): Pose {
  const breath = Math.sin((frame / 70) * Math.PI * 2) * entering;
  return {
    ...onGuard,
    hip: onGuard.hip + breath * 14,
    handY: onGuard.handY + breath * 22,
    blade: onGuard.blade + breath * 0.03,
  };
}

/** Clamped to 0 and 1, slow at both ends. */
function ease(t: number): number {
  if (t <= 0) return 0;
  if (t >= 1) return 1;
  return t * t * (3 - 2 * t);
}

function mix(from: Pose, to: Pose, t: number): Pose {
  const at = (a: number, b: number): number => a + (b - a) * t;
  return {
    hip: at(from.hip, to.hip),
    shift: at(from.shift, to.shift),
    lean: at(from.lean, to.lean),
    frontFoot: at(from.frontFoot, to.frontFoot),
    backFoot: at(from.backFoot, to.backFoot),
    frontLift: at(from.frontLift, to.frontLift),
    handX: at(from.handX, to.handX),
    handY: at(from.handY, to.handY),
    blade: at(from.blade, to.blade),
    freeX: at(from.freeX, to.freeX),
    freeY: at(from.freeY, to.freeY),
    tumble: at(from.tumble, to.tumble),
  };
}

import { attackFrames, attackOf, type Fighter } from '@riposte/shared/games';
import { landmarksOf } from './duel-figure.js';
import type { Pose } from './duel-pose.js';
import { starPath } from './duel-sparks.js';
import { ink, paper, playerColours } from './palette.js';

/** Which part of its attack a fighter is in: before it can hit, while it can, and while it can only be hit. */
export type AttackPart = 'windup' | 'active' | 'recovery';

export function attackPartOf(fighter: Fighter): AttackPart | undefined {
  const attack = attackOf(fighter);
  if (attack === undefined || fighter.actionFrame >= attackFrames(attack)) return undefined;
  if (fighter.actionFrame < attack.windup) return 'windup';
  return fighter.actionFrame < attack.windup + attack.active ? 'active' : 'recovery';
}

/** Marks the parts of an attack: a sign that closes in the wind-up, the way of the blade and a glint while it can hit. */
export function drawAttack(context: CanvasRenderingContext2D, fighter: Fighter, player: 0 | 1, pose: Pose): void {
  const attack = attackOf(fighter);
  if (attack === undefined) return;
  const { tip, freeHand } = landmarksOf(pose);
  const at = fighter.action === 'throw' ? freeHand : tip;
  context.save();
  if (fighter.actionFrame < attack.windup) {
    drawSign(context, fighter, at.x, at.y, 1 - fighter.actionFrame / attack.windup);
  } else {
    const since = fighter.actionFrame - attack.windup;
    if (since <= attack.active + 3) drawStroke(context, fighter, player, at, 1 - since / (attack.active + 4));
    if (since < attack.active) glint(context, at.x, at.y);
  }
  context.restore();
}

/** One ring for the light attack, two thick ones for the heavy, spread fingers for the throw; `left` from 1 to 0. */
function drawSign(context: CanvasRenderingContext2D, fighter: Fighter, x: number, y: number, left: number): void {
  const heavy = fighter.action === 'heavy';
  for (const [colour, width] of [
    [ink, heavy ? 92 : 70],
    [paper, heavy ? 48 : 34],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineCap = 'round';
    context.beginPath();
    if (fighter.action === 'throw') {
      for (let finger = -2; finger <= 2; finger++) {
        const angle = finger * 0.5;
        const reach = 150 + left * 160;
        context.moveTo(x + Math.cos(angle) * 110, y + Math.sin(angle) * 110);
        context.lineTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach);
      }
    } else {
      context.arc(x, y, 90 + left * (heavy ? 330 : 170), 0, Math.PI * 2);
      if (heavy) {
        context.moveTo(x + 60 + left * 150, y);
        context.arc(x, y, 60 + left * 150, 0, Math.PI * 2);
      }
    }
    context.stroke();
  }
}

/** The way of the blade, or of the grasping hand. */
function drawStroke(
  context: CanvasRenderingContext2D,
  fighter: Fighter,
  player: 0 | 1,
  { x, y }: { readonly x: number; readonly y: number },
  strength: number,
): void {
  context.globalAlpha = 0.75 * strength;
  context.fillStyle = playerColours[player].light;
  context.beginPath();
  if (fighter.action === 'heavy') {
    context.moveTo(x, y);
    context.quadraticCurveTo(x - 40, y + 1150, x - 1180, y + 1290);
    context.quadraticCurveTo(x - 330, y + 960, x - 330, y + 60);
  } else if (fighter.action === 'light') {
    context.moveTo(x + 40, y);
    context.lineTo(x - 900, y + 70);
    context.lineTo(x - 900, y - 70);
  } else {
    context.moveTo(x + 60, y + 160);
    context.lineTo(x - 520, y + 90);
    context.lineTo(x - 520, y - 90);
    context.lineTo(x + 60, y - 160);
    context.lineTo(x - 90, y);
  }
  context.fill();
  context.globalAlpha = 1;
}

/** Four points of light: from here on it can hit. */
function glint(context: CanvasRenderingContext2D, x: number, y: number): void {
  for (const [colour, size] of [
    [ink, 250],
    ['#ffffff', 205],
  ] as const) {
    context.fillStyle = colour;
    context.beginPath();
    starPath(context, x, y, size, size * 0.2, 4, 0);
    context.fill();
  }
}

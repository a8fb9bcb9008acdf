import type { Pose } from './duel-pose.js';
import { ink, playerColours, steel } from './palette.js';

const TORSO = 560;
const NECK = 235;
const HEAD = 158;
const THIGH = 450;
const ARM = 330;
const BLADE = 560;
/** The outline around each limb: keeps the figure readable on any backdrop. */
const OUTLINE = 44;

/** How a figure is toned: white where it was just struck, dim while it can only be hit. */
export type Tone = 'plain' | 'struck' | 'spent';

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Draws a fighter at the origin of the current transform, looking right, y up, in the game's units. Player 0 has a round mask with a plume, player 1 a square one and a cape.
 */
export function drawFigure(context: CanvasRenderingContext2D, pose: Pose, player: 0 | 1, tone: Tone): void {
  const colours = playerColours[player];
  const body = tone === 'struck' ? '#ffffff' : tone === 'spent' ? colours.dark : colours.main;
  const limb = tone === 'struck' ? colours.light : colours.dark;
  context.save();
  context.translate(pose.shift, pose.hip);
  context.rotate(pose.tumble);
  const hip: Point = { x: 0, y: 0 };
  const shoulder: Point = { x: Math.sin(pose.lean) * TORSO, y: Math.cos(pose.lean) * TORSO };
  const head: Point = { x: shoulder.x + Math.sin(pose.lean) * NECK + 20, y: shoulder.y + Math.cos(pose.lean) * NECK };
  // A tumbling figure's feet turn with it; a standing one's stay on the ground.
  const ground = pose.tumble > 0.3 ? -720 : -pose.hip;
  const backFoot: Point = { x: pose.backFoot - pose.shift, y: ground + 100 };
  const frontFoot: Point = { x: pose.frontFoot - pose.shift, y: ground + 100 + pose.frontLift };
  const hand: Point = { x: shoulder.x + pose.handX, y: shoulder.y + pose.handY };
  const freeHand: Point = { x: shoulder.x + pose.freeX, y: shoulder.y + pose.freeY };

  if (player === 1) drawCape(context, shoulder, pose, colours.dark);
  drawLimb(context, shoulder, bend(shoulder, freeHand, ARM, ARM, -1), freeHand, 120, limb);
  drawLeg(context, hip, backFoot, limb);
  drawLeg(context, hip, frontFoot, body);
  drawTorso(context, hip, shoulder, body);
  drawHead(context, head, player, colours.light, body);
  drawBlade(context, hand, pose.blade, colours.light);
  drawLimb(context, shoulder, bend(shoulder, hand, ARM, ARM, -1), hand, 130, body);
  context.restore();
}

/** Where the middle of the body, the tip of the blade and the free hand are, as seen from the fighter's place. */
export function landmarksOf(pose: Pose): { readonly chest: Point; readonly tip: Point; readonly freeHand: Point } {
  const shoulderX = pose.shift + Math.sin(pose.lean) * TORSO;
  const shoulderY = pose.hip + Math.cos(pose.lean) * TORSO;
  return {
    chest: { x: (pose.shift + shoulderX) / 2, y: pose.hip + (shoulderY - pose.hip) * 0.7 },
    tip: {
      x: shoulderX + pose.handX + Math.cos(pose.blade) * BLADE,
      y: shoulderY + pose.handY + Math.sin(pose.blade) * BLADE,
    },
    freeHand: { x: shoulderX + pose.freeX, y: shoulderY + pose.freeY },
  };
}

/** The joint between two bones that lead from `from` to `to`. */
function bend(from: Point, to: Point, first: number, second: number, side: 1 | -1): Point {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const distance = Math.min(Math.max(Math.hypot(dx, dy), 1), first + second - 1);
  const along = (first * first - second * second + distance * distance) / (2 * distance);
  const aside = Math.sqrt(Math.max(0, first * first - along * along)) * side;
  return {
    x: from.x + (dx / distance) * along - (dy / distance) * aside,
    y: from.y + (dy / distance) * along + (dx / distance) * aside,
  };
}

function drawLimb(
  context: CanvasRenderingContext2D,
  from: Point,
  joint: Point,
  to: Point,
  width: number,
  colour: string,
): void {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(joint.x, joint.y);
  context.lineTo(to.x, to.y);
  context.strokeStyle = ink;
  context.lineWidth = width + OUTLINE;
  context.stroke();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

function drawLeg(context: CanvasRenderingContext2D, hip: Point, foot: Point, colour: string): void {
  drawLimb(context, hip, bend(hip, foot, THIGH, THIGH, 1), foot, 165, colour);
  context.beginPath();
  context.moveTo(foot.x - 45, foot.y - 36);
  context.lineTo(foot.x + 135, foot.y - 36);
  context.strokeStyle = ink;
  context.lineWidth = 140;
  context.stroke();
}

function drawTorso(context: CanvasRenderingContext2D, hip: Point, shoulder: Point, colour: string): void {
  const across: Point = { x: (shoulder.y - hip.y) / TORSO, y: -(shoulder.x - hip.x) / TORSO };
  context.beginPath();
  context.moveTo(hip.x - across.x * 105, hip.y - across.y * 105);
  context.lineTo(shoulder.x - across.x * 165, shoulder.y - across.y * 165);
  context.lineTo(shoulder.x + across.x * 150, shoulder.y + across.y * 150);
  context.lineTo(hip.x + across.x * 110, hip.y + across.y * 110);
  context.closePath();
  context.lineJoin = 'round';
  context.strokeStyle = ink;
  context.lineWidth = 110 + OUTLINE;
  context.stroke();
  context.strokeStyle = colour;
  context.lineWidth = 110;
  context.stroke();
  context.fillStyle = colour;
  context.fill();
}

function drawHead(context: CanvasRenderingContext2D, head: Point, player: 0 | 1, plume: string, colour: string): void {
  context.lineWidth = OUTLINE;
  context.strokeStyle = ink;
  if (player === 0) {
    context.beginPath();
    context.moveTo(head.x - 20, head.y + HEAD - 20);
    context.quadraticCurveTo(head.x - 190, head.y + 420, head.x - 430, head.y + 190);
    context.quadraticCurveTo(head.x - 250, head.y + 220, head.x - 120, head.y + 90);
    context.closePath();
    context.fillStyle = plume;
    context.stroke();
    context.fill();
  }
  context.beginPath();
  if (player === 0) context.arc(head.x, head.y, HEAD, 0, Math.PI * 2);
  else context.roundRect(head.x - HEAD, head.y - HEAD, HEAD * 2, HEAD * 2 + 20, 46);
  context.fillStyle = colour;
  context.stroke();
  context.fill();
  // The mask's mesh: a dark window on the side that looks at the opponent.
  context.beginPath();
  if (player === 0) context.ellipse(head.x + 62, head.y - 12, 88, 104, 0, 0, Math.PI * 2);
  else context.roundRect(head.x - 10, head.y - 105, 160, 200, 24);
  context.fillStyle = ink;
  context.fill();
}

function drawCape(context: CanvasRenderingContext2D, shoulder: Point, pose: Pose, colour: string): void {
  const sway = pose.lean * 260;
  context.beginPath();
  context.moveTo(shoulder.x + 90, shoulder.y + 60);
  context.lineTo(shoulder.x - 150, shoulder.y + 40);
  context.lineTo(shoulder.x - 470 - sway, shoulder.y - 720);
  context.lineTo(shoulder.x - 150 - sway, shoulder.y - 640);
  context.closePath();
  context.lineJoin = 'round';
  context.strokeStyle = ink;
  context.lineWidth = 60 + OUTLINE;
  context.stroke();
  context.strokeStyle = colour;
  context.lineWidth = 60;
  context.stroke();
  context.fillStyle = colour;
  context.fill();
}

function drawBlade(context: CanvasRenderingContext2D, hand: Point, angle: number, guardColour: string): void {
  context.save();
  context.translate(hand.x, hand.y);
  context.rotate(angle);
  context.lineCap = 'round';
  for (const [colour, width] of [
    [ink, 74],
    [steel, 34],
  ] as const) {
    context.beginPath();
    context.moveTo(-110, 0);
    context.lineTo(BLADE, 0);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
  context.beginPath();
  context.ellipse(60, 0, 46, 112, 0, 0, Math.PI * 2);
  context.fillStyle = guardColour;
  context.strokeStyle = ink;
  context.lineWidth = 30;
  context.stroke();
  context.fill();
  context.restore();
}

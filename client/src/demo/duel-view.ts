import { attackOf, type DuelState, duelRules, type Fighter } from '@riposte/shared/games';
import { DisplayedThings } from '../display/displayed-things.js';
import { motionPreference, type Surface, type View, viewOn } from './canvas.js';
import { drawFigure, landmarksOf } from './duel-figure.js';
import { drawHud } from './duel-hud.js';
import { poseOf } from './duel-pose.js';
import { Backdrop, type Camera, cameraFor, type Places } from './duel-stage.js';
import { logicSwitch } from './logic-switch.js';
import { playerColours } from './palette.js';

/** From half a fighter's width on, a correction is not glossed over. A blend is over before the next step ends. */
const BLENDING = { snapDistance: 600, maxBlendFrames: 10, tickRate: 60 };

/** Draws duels on `canvas`: what a correction moved glides to its place, all else is at once drawn as it is. */
export function duelView(canvas: HTMLCanvasElement): View<DuelState> {
  return viewOn(canvas, (surface) => {
    const backdrop = new Backdrop(surface);
    const motion = motionPreference();
    const things = new DisplayedThings<DuelState>({
      ...BLENDING,
      positions: logicalPlaces,
      // A round begins with both at their ends of the stage.
      teleports: (before, after) =>
        before.round !== after.round || (before.phase !== after.phase && after.phase === 'intro'),
    });
    return (state, info, stateAfter) => {
      const { context, pixelRatio } = surface;
      const moment = { ...info, nowMs: performance.now(), still: motion.reduced, stateAfter };
      const [left = 0, right = 0] = things.show(state, moment);
      const places: Places = [left, right];
      const camera = cameraFor(surface, places, motion.reduced);
      context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
      backdrop.draw(camera);
      context.save();
      if (!motion.reduced && state.freeze > 0) {
        // The standstill of a contact, felt: a shake that dies with it.
        const shake = (state.freeze % 2 === 0 ? 1 : -1) * state.freeze * 5 * camera.scale;
        context.translate(shake, shake * 0.4);
      }
      drawFighters(surface, state, places, camera, motion.reduced);
      if (logicSwitch.isOn) drawLogic(context, state, camera);
      context.restore();
      drawHud(surface, state, info);
    };
  });
}

function logicalPlaces(state: DuelState): Places {
  return [state.fighters[0]!.x, state.fighters[1]!.x];
}

/** Where the logic has the fighters, beside where they are drawn: a dashed outline. */
function drawLogic(context: CanvasRenderingContext2D, state: DuelState, camera: Camera): void {
  context.save();
  context.setLineDash([6, 5]);
  context.lineWidth = 2;
  for (const [player, place] of logicalPlaces(state).entries()) {
    context.strokeStyle = playerColours[player === 0 ? 0 : 1].light;
    const x = camera.centreX + place * camera.scale;
    context.strokeRect(
      x - 380 * camera.scale,
      camera.groundY - 1900 * camera.scale,
      760 * camera.scale,
      1900 * camera.scale,
    );
    context.beginPath();
    context.moveTo(x, camera.groundY - 2050 * camera.scale);
    context.lineTo(x, camera.groundY + 110 * camera.scale);
    context.stroke();
  }
  context.restore();
}

function drawFighters(
  surface: Surface,
  state: DuelState,
  places: Places,
  camera: Camera,
  reducedMotion: boolean,
): void {
  for (const player of [0, 1] as const) drawShadow(surface.context, places[player], camera);
  // The one who attacks is drawn in front: its blade is what the other must see.
  const firstInFront = attackOf(state.fighters[0]!) !== undefined;
  for (const player of firstInFront ? ([1, 0] as const) : ([0, 1] as const)) {
    drawFighter(surface.context, state, player, places[player], camera, reducedMotion);
  }
  for (const player of [0, 1] as const) {
    drawContact(surface.context, state, player, places[player], camera, reducedMotion);
  }
}

function wonLast(state: DuelState, player: 0 | 1): boolean {
  return state.lastWinner === (player === 0 ? 'first' : 'second');
}

/** Moves the origin to the fighter's place on the ground, its opponent to the right, y up, in units. */
function enterPlace(context: CanvasRenderingContext2D, place: number, player: 0 | 1, camera: Camera): void {
  context.translate(camera.centreX + place * camera.scale, camera.groundY);
  context.scale(player === 0 ? camera.scale : -camera.scale, -camera.scale);
}

function drawShadow(context: CanvasRenderingContext2D, place: number, camera: Camera): void {
  context.fillStyle = 'rgb(13 16 24 / 0.45)';
  context.beginPath();
  const x = camera.centreX + place * camera.scale;
  context.ellipse(x, camera.groundY + 30 * camera.scale, 620 * camera.scale, 75 * camera.scale, 0, 0, Math.PI * 2);
  context.fill();
}

function drawFighter(
  context: CanvasRenderingContext2D,
  state: DuelState,
  player: 0 | 1,
  place: number,
  camera: Camera,
  reducedMotion: boolean,
): void {
  const fighter = state.fighters[player]!;
  const pose = poseOf(state, fighter, wonLast(state, player));
  const struck =
    fighter.flash > duelRules.flashFrames - 4 && (fighter.contact === 'hit' || fighter.contact === 'thrown');
  context.save();
  enterPlace(context, place, player, camera);
  drawStroke(context, fighter, player, pose);
  drawFigure(context, pose, player, struck && !reducedMotion ? 1 : 0);
  if (fighter.action === 'recoil') drawDaze(context, fighter);
  context.restore();
}

/** The way of the blade while it can hit: the part of an attack to look out for. */
function drawStroke(
  context: CanvasRenderingContext2D,
  fighter: Fighter,
  player: 0 | 1,
  pose: ReturnType<typeof poseOf>,
): void {
  const attack = attackOf(fighter);
  if (attack === undefined) return;
  const since = fighter.actionFrame - attack.windup;
  if (since < -1 || since > attack.active + 3) return;
  const { tip } = landmarksOf(pose);
  const strength = Math.max(0, 1 - Math.max(0, since) / (attack.active + 4));
  context.save();
  context.globalAlpha = 0.75 * strength;
  context.fillStyle = playerColours[player].light;
  context.beginPath();
  if (fighter.action === 'heavy') {
    context.moveTo(tip.x, tip.y);
    context.quadraticCurveTo(tip.x - 40, tip.y + 1150, tip.x - 1180, tip.y + 1290);
    context.quadraticCurveTo(tip.x - 330, tip.y + 960, tip.x - 330, tip.y + 60);
  } else if (fighter.action === 'light') {
    context.moveTo(tip.x + 40, tip.y);
    context.lineTo(tip.x - 900, tip.y + 70);
    context.lineTo(tip.x - 900, tip.y - 70);
  }
  context.fill();
  context.restore();
}

/** Three stars that circle the head of a parried attacker: the moment for the riposte. */
function drawDaze(context: CanvasRenderingContext2D, fighter: Fighter): void {
  context.fillStyle = '#fff3c4';
  for (let star = 0; star < 3; star++) {
    const turn = fighter.actionFrame / 9 + (star * Math.PI * 2) / 3;
    context.beginPath();
    starPath(context, -300 + Math.cos(turn) * 260, 1900 + Math.sin(turn) * 70, 80, 34, 5, turn);
    context.fill();
  }
}

function drawContact(
  context: CanvasRenderingContext2D,
  state: DuelState,
  player: 0 | 1,
  place: number,
  camera: Camera,
  reducedMotion: boolean,
): void {
  const fighter = state.fighters[player]!;
  if (fighter.flash === 0 || fighter.contact === 'none') return;
  const age = reducedMotion ? 0.4 : 1 - fighter.flash / duelRules.flashFrames;
  const { chest } = landmarksOf(poseOf(state, fighter, false));
  context.save();
  enterPlace(context, place, player, camera);
  context.translate(chest.x + 190, chest.y);
  context.globalAlpha = 1 - age * 0.8;
  const turn = (fighter.spark * Math.PI) / 8;
  switch (fighter.contact) {
    case 'hit':
    case 'thrown':
      burst(context, 300 + age * 330, 7 + (fighter.spark % 3), turn, '#fff3c4', '#e4572e');
      break;
    case 'blocked':
      arcs(context, 260 + age * 160, '#d9e6f2', 1);
      break;
    case 'parried':
      arcs(context, 330 + age * 420, '#ffffff', 3);
      burst(context, 260 + age * 200, 4, turn, '#ffffff', '#8fd3c8');
      break;
    case 'clash':
      arcs(context, 240 + age * 240, '#fff3c4', 2);
      break;
  }
  context.restore();
  if (fighter.contact === 'parried') drawCry(context, 'Parry!', place, camera);
}

function drawCry(context: CanvasRenderingContext2D, text: string, place: number, camera: Camera): void {
  const size = Math.max(14, 330 * camera.scale);
  context.font = `900 ${size}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.lineWidth = size / 5;
  context.strokeStyle = '#0d1018';
  context.fillStyle = '#ffffff';
  const x = camera.centreX + place * camera.scale;
  const y = camera.groundY - 2150 * camera.scale;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

function burst(
  context: CanvasRenderingContext2D,
  radius: number,
  points: number,
  turn: number,
  inner: string,
  outer: string,
): void {
  for (const [colour, size] of [
    [outer, radius],
    [inner, radius * 0.62],
  ] as const) {
    context.beginPath();
    starPath(context, 0, 0, size, size * 0.36, points, turn);
    context.fillStyle = colour;
    context.fill();
  }
}

/** Curved strokes on the guard's side that spread outward. */
function arcs(context: CanvasRenderingContext2D, radius: number, colour: string, count: number): void {
  context.strokeStyle = colour;
  context.lineCap = 'round';
  for (let ring = 0; ring < count; ring++) {
    context.lineWidth = 70 - ring * 18;
    context.beginPath();
    context.arc(-80, 0, radius + ring * 120, -1, 1);
    context.stroke();
  }
}

function starPath(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  outer: number,
  inner: number,
  points: number,
  turn: number,
): void {
  for (let corner = 0; corner < points * 2; corner++) {
    const radius = corner % 2 === 0 ? outer : inner;
    const angle = turn + (corner * Math.PI) / points;
    const [cornerX, cornerY] = [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    if (corner === 0) context.moveTo(cornerX, cornerY);
    else context.lineTo(cornerX, cornerY);
  }
  context.closePath();
}

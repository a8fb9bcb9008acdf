import { attackOf, type DuelState, type Fighter } from '@riposte/shared/games';
import { DisplayedThings } from '../display/displayed-things.js';
import { motionPreference, type View, viewOn } from './canvas.js';
import { attackPartOf, drawAttack } from './duel-attack.js';
import { drawFigure, landmarksOf, type Tone } from './duel-figure.js';
import { FrameBars } from './duel-frame-bars.js';
import { drawHud } from './duel-hud.js';
import { isStruck, poseOf } from './duel-pose.js';
import { Sparks, starPath } from './duel-sparks.js';
import { Backdrop, type Camera, cameraFor, type Places } from './duel-stage.js';
import { logicSwitch } from './logic-switch.js';
import { playerColours } from './palette.js';

/** From half a fighter's width on, a correction is not glossed over. A blend is over before the next step ends. */
const BLENDING = { snapDistance: 600, maxBlendFrames: 10, tickRate: 60 };

/** Draws duels on `canvas`: what a correction moved glides to its place, all else is at once drawn as it is. */
export function duelView(canvas: HTMLCanvasElement): View<DuelState> {
  return viewWith(canvas, null);
}

/** The same, with the frames of each attack in cells. */
export function trainingView(canvas: HTMLCanvasElement): View<DuelState> {
  return viewWith(canvas, new FrameBars());
}

function viewWith(canvas: HTMLCanvasElement, bars: FrameBars | null): View<DuelState> {
  return viewOn(canvas, (surface) => {
    const backdrop = new Backdrop(surface);
    const motion = motionPreference();
    const sparks = new Sparks();
    const things = new DisplayedThings<DuelState>({
      ...BLENDING,
      positions: logicalPlaces,
      // A round begins with both at their ends of the stage.
      teleports: (before, after) =>
        before.round !== after.round || (before.phase !== after.phase && after.phase === 'intro'),
    });
    const paint: View<DuelState> = (state, info, stateAfter) => {
      const { context, pixelRatio } = surface;
      const nowMs = performance.now();
      const moment = { ...info, nowMs, still: motion.reduced, stateAfter };
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
      drawFighters(context, state, places, camera, motion.reduced);
      for (const player of [0, 1] as const) {
        drawSparks(context, sparks, state, player, places[player], camera, nowMs, motion.reduced);
      }
      if (logicSwitch.isOn) drawLogic(context, state, camera);
      context.restore();
      drawHud(surface, state, info, motion.reduced);
      bars?.draw(surface, state);
    };
    paint.hear = (effect) => sparks.hear(effect, performance.now());
    return paint;
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
  context: CanvasRenderingContext2D,
  state: DuelState,
  places: Places,
  camera: Camera,
  reducedMotion: boolean,
): void {
  for (const player of [0, 1] as const) drawShadow(context, places[player], camera);
  // The one who attacks is drawn in front: its blade is what the other must see.
  const firstInFront = attackOf(state.fighters[0]!) !== undefined;
  for (const player of firstInFront ? ([1, 0] as const) : ([0, 1] as const)) {
    drawFighter(context, state, player, places[player], camera, reducedMotion);
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
  context.save();
  enterPlace(context, place, player, camera);
  drawFigure(context, pose, player, toneOf(fighter, reducedMotion));
  drawAttack(context, fighter, player, pose);
  if (fighter.action === 'recoil') drawDaze(context, fighter);
  context.restore();
}

function toneOf(fighter: Fighter, reducedMotion: boolean): Tone {
  if (isStruck(fighter)) return reducedMotion ? 'plain' : 'struck';
  return attackPartOf(fighter) === 'recovery' ? 'spent' : 'plain';
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

function drawSparks(
  context: CanvasRenderingContext2D,
  sparks: Sparks,
  state: DuelState,
  player: 0 | 1,
  place: number,
  camera: Camera,
  nowMs: number,
  isStill: boolean,
): void {
  const { chest } = landmarksOf(poseOf(state, state.fighters[player]!, false));
  context.save();
  enterPlace(context, place, player, camera);
  sparks.draw(context, player, { chestX: chest.x, chestY: chest.y }, nowMs, isStill);
  context.restore();
  if (sparks.parries(player, nowMs)) drawCry(context, 'Parry!', place, camera);
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

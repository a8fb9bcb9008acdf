import { fxTo, type StateModel } from '@riposte/shared';
import type { race } from '@riposte/shared/games';
import { DisplayedThings } from '../display/displayed-things.js';
import type { DrawInfo } from '../match/match.js';
import { motionPreference, type Surface, type View, viewOn } from './canvas.js';
import { namesOf } from './duel-hud.js';
import { logicSwitch } from './logic-switch.js';
import { ink, paper, playerColours } from './palette.js';

type RaceState = typeof race.state extends StateModel<infer S> ? S : never;

/** Car lengths from the left edge of the picture to the right. */
const VIEW_LENGTHS = 14;
const FONT = '"Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

/** At full speed a car goes two lengths a frame: what ten late frames make of one press glides, more does not. */
const BLENDING = { snapDistance: 6, maxBlendFrames: 12, tickRate: 60 };

function logicalPlaces(state: RaceState): readonly [number, number] {
  return [fxTo(state.cars[0]!.x), fxTo(state.cars[1]!.x)];
}

/** Draws the race on `canvas`: two lanes that scroll with the leader. */
export function raceView(canvas: HTMLCanvasElement): View<RaceState> {
  return viewOn(canvas, (surface) => {
    const motion = motionPreference();
    const things = new DisplayedThings<RaceState>({ ...BLENDING, positions: logicalPlaces });
    return (state, info, stateAfter) => {
      const { context, width, height, pixelRatio } = surface;
      context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
      context.fillStyle = '#2b3a3a';
      context.fillRect(0, 0, width, height);
      const moment = { ...info, nowMs: performance.now(), still: motion.reduced, stateAfter };
      const [first = 0, second = 0] = things.show(state, moment);
      const places = [first, second] as const;
      const leader = Math.max(...places);
      // The leader drives from the left edge to two thirds of the picture; from then on the road moves.
      const origin = Math.max(-1, leader - VIEW_LENGTHS * 0.66);
      for (const player of [0, 1] as const) drawLane(surface, player, places[player], leader, origin);
      if (logicSwitch.isOn) drawLogic(surface, logicalPlaces(state), origin);
      drawNames(surface, logicalPlaces(state), info);
    };
  });
}

/** Where the logic has the cars, beside where they are drawn: a dashed outline. */
function drawLogic({ context, width, height }: Surface, places: readonly [number, number], origin: number): void {
  const unit = width / VIEW_LENGTHS;
  context.save();
  context.setLineDash([6, 5]);
  context.lineWidth = 2;
  for (const player of [0, 1] as const) {
    const top = height * (player === 0 ? 0.16 : 0.57);
    context.strokeStyle = playerColours[player].light;
    context.strokeRect((places[player] - origin) * unit, top + height * 0.04, unit, height * 0.2);
  }
  context.restore();
}

function drawLane(
  { context, width, height }: Surface,
  player: 0 | 1,
  place: number,
  leader: number,
  origin: number,
): void {
  const unit = width / VIEW_LENGTHS;
  const top = height * (player === 0 ? 0.16 : 0.57);
  const depth = height * 0.34;
  context.fillStyle = '#40424d';
  context.fillRect(0, top, width, depth);
  context.fillStyle = '#8d8f9a';
  context.font = `600 ${Math.max(10, unit * 0.16)}px ${FONT}`;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  for (let mark = Math.ceil(origin); mark < origin + VIEW_LENGTHS; mark++) {
    const x = (mark - origin) * unit;
    context.fillRect(x, top + depth * 0.74, unit * 0.42, Math.max(2, depth * 0.03));
    if (mark % 5 === 0 && mark >= 0) context.fillText(String(mark), x, top + depth * 0.95);
  }
  if (origin < 0) {
    context.fillStyle = paper;
    context.fillRect(-origin * unit + unit, top, Math.max(2, unit * 0.06), depth);
  }
  const x = (place - origin) * unit;
  if (x < -unit) drawBehind(context, player, top + depth / 2, Math.round(leader - place), unit);
  else drawCar(context, player, x, top + depth * 0.34, unit);
}

/** A car one unit long with its nose at one unit; player 1's has a wing and a square cabin. */
function drawCar(context: CanvasRenderingContext2D, player: 0 | 1, x: number, y: number, unit: number): void {
  const colours = playerColours[player];
  context.save();
  context.translate(x, y);
  context.scale(unit, unit);
  context.strokeStyle = ink;
  context.lineWidth = 0.05;
  context.fillStyle = colours.main;
  context.beginPath();
  context.roundRect(0, 0, 1, 0.3, player === 0 ? 0.14 : 0.05);
  context.stroke();
  context.fill();
  context.fillStyle = colours.light;
  context.beginPath();
  if (player === 0) context.ellipse(0.48, 0, 0.26, 0.18, 0, Math.PI, Math.PI * 2);
  else context.rect(0.2, -0.16, 0.44, 0.17);
  context.stroke();
  context.fill();
  if (player === 1) {
    context.fillStyle = colours.dark;
    context.fillRect(-0.06, -0.12, 0.12, 0.18);
  }
  context.fillStyle = ink;
  for (const wheel of [0.22, 0.78]) {
    context.beginPath();
    context.arc(wheel, 0.32, 0.12, 0, Math.PI * 2);
    context.fill();
  }
  context.restore();
}

function drawBehind(context: CanvasRenderingContext2D, player: 0 | 1, y: number, lengths: number, unit: number): void {
  context.fillStyle = playerColours[player].light;
  context.font = `700 ${Math.max(12, unit * 0.24)}px ${FONT}`;
  context.textBaseline = 'middle';
  context.fillText(`◀ ${lengths} behind`, 10, y);
}

function drawNames({ context, width, height }: Surface, places: readonly [number, number], info: DrawInfo): void {
  const size = Math.max(12, Math.min(18, width / 50));
  const names = namesOf(info);
  context.font = `700 ${size}px ${FONT}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const player of [0, 1] as const) {
    const you = info.me === player ? ' (you)' : '';
    context.fillStyle = playerColours[player].light;
    context.fillText(
      `${names[player]}${you}: ${places[player].toFixed(1)} lengths`,
      12,
      height * (player === 0 ? 0.08 : 0.535),
    );
  }
}

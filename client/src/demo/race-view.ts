import { fxTo, type StateModel } from '@riposte/shared';
import type { race } from '@riposte/shared/games';
import { DisplayedThings } from '../display/displayed-things.js';
import type { DrawInfo } from '../match/match.js';
import { motionPreference, type Surface, type View, viewOn } from './canvas.js';
import { logicSwitch } from './logic-switch.js';
import { ink, paper, playerColours } from './palette.js';
import { nameOf } from './player-names.js';

type RaceState = typeof race.state extends StateModel<infer S> ? S : never;

/** Car lengths from the left edge of the picture to the right. */
const VIEW_LENGTHS = 14;
const FONT = '"Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

/** At full speed a car goes two lengths a frame: what ten late frames make of one press glides, more does not. */
const BLENDING = { snapDistance: 6, maxBlendFrames: 12, tickRate: 60 };

function logicalPlaces(state: RaceState): readonly number[] {
  return Array.from(state.cars, ({ x }) => fxTo(x));
}

/** Draws the race on `canvas`: a lane for each player, all of which scroll with the leader. */
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
      // A state may have more cars than there are players.
      const players = info.status.players.length;
      const places = things.show(state, moment).slice(0, players);
      const leader = Math.max(...places);
      // The leader drives from the left edge to two thirds of the picture; from then on the road moves.
      const origin = Math.max(-1, leader - VIEW_LENGTHS * 0.66);
      const logical = logicalPlaces(state);
      for (const [player, place] of places.entries()) {
        const lane = { player, top: ((player + 0.27) / players) * height, depth: (0.69 / players) * height };
        drawLane(surface, lane, place, leader, origin);
        if (logicSwitch.isOn) drawLogic(surface, lane, (logical[player] ?? place) - origin);
        drawName(surface, lane, logical[player] ?? place, info);
      }
    };
  });
}

/** Where a player drives, in CSS pixels. */
interface Lane {
  readonly player: number;
  readonly top: number;
  readonly depth: number;
}

function coloursOf(player: number): (typeof playerColours)[number] {
  return playerColours[player % playerColours.length] ?? playerColours[0];
}

/** Where the logic has a car, beside where it is drawn: a dashed outline. */
function drawLogic({ context, width }: Surface, { player, top, depth }: Lane, lengths: number): void {
  const unit = width / VIEW_LENGTHS;
  context.save();
  context.setLineDash([6, 5]);
  context.lineWidth = 2;
  context.strokeStyle = coloursOf(player).light;
  context.strokeRect(lengths * unit, top + depth * 0.12, unit, depth * 0.59);
  context.restore();
}

function drawLane({ context, width }: Surface, lane: Lane, place: number, leader: number, origin: number): void {
  const unit = width / VIEW_LENGTHS;
  const { player, top, depth } = lane;
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

/** A car one unit long with its nose at one unit; each player's has a shape of its own. */
function drawCar(context: CanvasRenderingContext2D, player: number, x: number, y: number, unit: number): void {
  const colours = coloursOf(player);
  context.save();
  context.translate(x, y);
  context.scale(unit, unit);
  context.strokeStyle = ink;
  context.lineWidth = 0.05;
  context.fillStyle = colours.main;
  context.beginPath();
  context.roundRect(0, 0, 1, 0.3, player % 2 === 0 ? 0.14 : 0.05);
  context.stroke();
  context.fill();
  context.fillStyle = colours.light;
  context.beginPath();
  drawCabin(context, player);
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

/** Round, square with a wing behind it, pointed, double. */
function drawCabin(context: CanvasRenderingContext2D, player: number): void {
  if (player === 0) context.ellipse(0.48, 0, 0.26, 0.18, 0, Math.PI, Math.PI * 2);
  else if (player === 1) context.rect(0.2, -0.16, 0.44, 0.17);
  else if (player === 2) {
    context.moveTo(0.08, 0);
    context.lineTo(0.4, -0.2);
    context.lineTo(0.78, 0);
    context.closePath();
  } else {
    for (const middle of [0.3, 0.66]) {
      context.moveTo(middle + 0.14, 0);
      context.arc(middle, 0, 0.14, 0, Math.PI, true);
    }
  }
}

function drawBehind(context: CanvasRenderingContext2D, player: number, y: number, lengths: number, unit: number): void {
  context.fillStyle = coloursOf(player).light;
  context.font = `700 ${Math.max(12, unit * 0.24)}px ${FONT}`;
  context.textBaseline = 'middle';
  context.fillText(`◀ ${lengths} behind`, 10, y);
}

function drawName({ context, width }: Surface, { player, top, depth }: Lane, place: number, info: DrawInfo): void {
  const size = Math.max(11, Math.min(18, width / 50, depth * 0.3));
  context.font = `700 ${size}px ${FONT}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = coloursOf(player).light;
  const you = info.me === player ? ' (you)' : '';
  const gone = info.status.players[player]?.presence === 'gone' ? ', gone' : '';
  context.fillText(`${nameOf(info.status, player)}${you}: ${place.toFixed(1)} lengths${gone}`, 12, top - depth * 0.2);
}

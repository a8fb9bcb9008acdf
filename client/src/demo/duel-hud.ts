import { type DuelState, duelRules } from '@riposte/shared/games';
import type { DrawInfo } from '../match/match.js';
import type { Surface } from './canvas.js';
import { isStruck } from './duel-pose.js';
import { ink, paper, playerColours } from './palette.js';
import { nameOf } from './player-names.js';

const FONT = '"Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

/** The players' names as the status has them, by player number. */
function namesOf({ status }: DrawInfo): readonly [string, string] {
  return [nameOf(status, 0), nameOf(status, 1)];
}

/** Health, rounds, clock, names, and the words of the moment; with `reducedMotion` nothing flashes. */
export function drawHud(surface: Surface, state: DuelState, info: DrawInfo, reducedMotion: boolean): void {
  const { width } = surface;
  const unit = Math.max(0.62, Math.min(1.25, width / 1000));
  const names = namesOf(info);
  drawClock(surface, state, unit);
  for (const player of [0, 1] as const) {
    const flashes = !reducedMotion && isStruck(state.fighters[player]!);
    drawSide(surface, state, player, names[player], info.me === player, flashes, unit);
  }
  drawWords(surface, state, names, info.me, unit);
}

function drawClock({ context, width }: Surface, state: DuelState, unit: number): void {
  const seconds = Math.ceil(state.clock / 60);
  const hurry = state.phase === 'fight' && seconds <= 5;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `800 ${30 * unit}px ${FONT}`;
  outlined(context, String(seconds), width / 2, 34 * unit, hurry ? '#ffd1a3' : paper, 5 * unit);
}

function drawSide(
  { context, width }: Surface,
  state: DuelState,
  player: 0 | 1,
  name: string,
  mine: boolean,
  flashes: boolean,
  unit: number,
): void {
  const fighter = state.fighters[player]!;
  const colours = playerColours[player];
  const side = player === 0 ? -1 : 1;
  const inner = width / 2 + side * 40 * unit;
  const length = width / 2 - 40 * unit - 16 * unit;
  const top = 20 * unit;
  const thickness = 22 * unit;

  context.save();
  // Mirrored for player 1, so that both bars empty toward the edge of the picture.
  context.translate(inner, top);
  context.scale(side, 1);
  context.fillStyle = ink;
  context.beginPath();
  context.roundRect(-3 * unit, -3 * unit, length + 6 * unit, thickness + 6 * unit, 6 * unit);
  context.fill();
  context.fillStyle = '#3b3644';
  context.fillRect(0, 0, length, thickness);
  const filled = (length * fighter.health) / duelRules.health;
  context.fillStyle = flashes ? '#ffffff' : colours.main;
  context.fillRect(0, 0, filled, thickness);
  // Player 1's bar is hatched: told apart without colour.
  if (player === 1) {
    context.beginPath();
    context.rect(0, 0, filled, thickness);
    context.clip();
    context.strokeStyle = 'rgb(13 16 24 / 0.28)';
    context.lineWidth = 3 * unit;
    context.beginPath();
    for (let x = -thickness; x < length; x += 12 * unit) {
      context.moveTo(x, thickness);
      context.lineTo(x + thickness, 0);
    }
    context.stroke();
  }
  context.restore();

  const baseline = top + thickness + 19 * unit;
  const isNews = !isTold(state) && (state.lastWinner === 'both' || (state.lastWinner === 'first') === (player === 0));
  const roundsWon = fighter.roundsWon - (isNews ? 1 : 0);
  for (let round = 0; round < duelRules.roundsToWin; round++) {
    const x = inner + side * (10 + round * 24) * unit;
    context.beginPath();
    if (player === 0) context.arc(x, baseline, 7.5 * unit, 0, Math.PI * 2);
    else diamond(context, x, baseline, 9.5 * unit);
    context.fillStyle = round < roundsWon ? colours.main : '#3b3644';
    context.strokeStyle = ink;
    context.lineWidth = 4 * unit;
    context.stroke();
    context.fill();
  }
  context.textAlign = player === 0 ? 'left' : 'right';
  context.font = `700 ${16 * unit}px ${FONT}`;
  const edge = player === 0 ? 16 * unit : width - 16 * unit;
  const shown = mine ? `${name} (you)` : name;
  outlined(context, shortened(context, shown, length - 90 * unit), edge, baseline, colours.light, 4 * unit);
}

/**
 * Whether a round's end is old enough to be told: no prediction reaches so far back, so the score that is shown then
 * is not taken back.
 */
function isTold(state: DuelState): boolean {
  return state.phase !== 'roundOver' || state.phaseFrame >= 30;
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
}

function drawWords(
  { context, width, height }: Surface,
  state: DuelState,
  names: readonly [string, string],
  me: number,
  unit: number,
): void {
  const [large, small] = wordsOf(state, names, me);
  context.textAlign = 'center';
  const y = Math.max(height * 0.22, 104 * unit);
  if (large !== '') {
    context.font = `900 ${50 * unit}px ${FONT}`;
    outlined(context, large, width / 2, y, paper, 9 * unit);
  }
  if (small !== '') {
    context.font = `700 ${21 * unit}px ${FONT}`;
    outlined(context, shortened(context, small, width - 32 * unit), width / 2, y + 40 * unit, paper, 5 * unit);
  }
}

function wordsOf(state: DuelState, names: readonly [string, string], me: number): readonly [string, string] {
  const [first, second] = [state.fighters[0]!.roundsWon, state.fighters[1]!.roundsWon];
  switch (state.phase) {
    case 'intro':
      return [
        `Round ${state.round}`,
        me === -1 ? 'On guard' : `On guard. You are on the ${me === 0 ? 'left' : 'right'}`,
      ];
    case 'fight':
      return state.phaseFrame < 45 ? ['Fence!', ''] : ['', ''];
    case 'roundOver': {
      if (!isTold(state)) return [state.ending === 'time' ? 'Time' : 'Touché!', ''];
      const title = state.ending === 'time' ? 'Time' : state.lastWinner === 'both' ? 'Double knockout' : 'Knockout';
      if (state.lastWinner === 'both') return [title, 'The round counts for both'];
      return [title, `${names[state.lastWinner === 'first' ? 0 : 1]} takes the round`];
    }
    case 'matchOver':
      if (first === second) return ['A draw', `${first} to ${second}`];
      return [
        `${names[first > second ? 0 : 1]} wins`,
        `${Math.max(first, second)} rounds to ${Math.min(first, second)}`,
      ];
  }
}

function outlined(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  colour: string,
  outline: number,
): void {
  context.lineJoin = 'round';
  context.lineWidth = outline;
  context.strokeStyle = ink;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** The text, or its beginning where that is all that fits. */
function shortened(context: CanvasRenderingContext2D, text: string, widthMax: number): string {
  if (context.measureText(text).width <= widthMax) return text;
  let end = text.length - 1;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > widthMax) end--;
  return `${text.slice(0, end)}…`;
}

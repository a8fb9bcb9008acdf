import { defineGame, type Game } from '@riposte/shared';
import { duel, race, race4 } from '@riposte/shared/games';
import type { DrawInfo } from '../../match/match.js';
import type { View } from '../canvas.js';
import { duelView } from '../duel-view.js';
import { raceView } from '../race-view.js';

/** Draws states of one game on one canvas. */
export interface Picture<S> {
  draw(state: S, info: DrawInfo): void;
}

/** A game that recordings can be run with. What its states are, only it knows. */
export interface InspectedGame {
  readonly game: Game<unknown, unknown>;
  /** Null for a game that brings no picture. */
  readonly pictureOn: ((canvas: HTMLCanvasElement) => Picture<unknown>) | null;
}

function drawn<S, I>(game: Game<S, I>, view: (canvas: HTMLCanvasElement) => View<S>): InspectedGame {
  const pictureOn = (canvas: HTMLCanvasElement): Picture<S> => ({ draw: view(canvas) });
  return { game, pictureOn };
}

/** The games that come with Riposte. */
export const builtInGames: readonly InspectedGame[] = [
  drawn(duel, duelView),
  drawn(race, raceView),
  drawn(race4, raceView),
];

function isGame(value: unknown): value is Game<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'id' in value && 'step' in value;
}

function isView(value: unknown): value is (canvas: HTMLCanvasElement) => View<unknown> {
  return typeof value === 'function';
}

/**
 * An author's game from its module: the default export; a named export `view`, if there is one, makes a function that
 * draws on a canvas, `view(canvas)(state, info)`. Throws a sentence when there is no game in it.
 */
export function gameOfModule(module: unknown): InspectedGame {
  const exported = typeof module === 'object' && module !== null ? module : {};
  const game: unknown = 'default' in exported ? exported.default : undefined;
  if (!isGame(game)) throw new Error('The game file has no game as its default export.');
  const view: unknown = 'view' in exported ? exported.view : undefined;
  return isView(view) ? drawn(defineGame(game), view) : { game: defineGame(game), pictureOn: null };
}

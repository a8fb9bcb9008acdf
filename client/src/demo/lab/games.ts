import type { Game } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import { stateAfter } from '../../display/state-after.js';
import { pairDuelKeys, pairRaceKeys, soloDuelKeys, soloRaceKeys } from '../../input/bindings.js';
import { seededBot } from '../../input/bot.js';
import { type KeyBindings, keyboard } from '../../input/keyboard.js';
import type { InputSource } from '../../match/match.js';
import { blankStatus } from '../../match/status.js';
import { tellEffects } from '../../match/tell-effects.js';
import type { View } from '../canvas.js';
import { duelView } from '../duel-view.js';
import type { GameId } from '../params.js';
import { raceView } from '../race-view.js';
import { Experiment, type ExperimentOptions } from './experiment.js';

/** Who presses a player's buttons. */
export type Hand = 'keys' | 'bot';

/** Draws a side as it is at this moment of virtual time; `smooth` lets the display blend what was corrected. */
export type DrawSide = (side: 0 | 1, nowMs: number, smooth: boolean) => void;

/** An experiment whose game the page need not know. */
export interface LiveExperiment {
  readonly experiment: Pick<
    Experiment<unknown, unknown>,
    | 'clock'
    | 'sides'
    | 'players'
    | 'mode'
    | 'packets'
    | 'finding'
    | 'isFaultPending'
    | 'isOver'
    | 'run'
    | 'step'
    | 'setLink'
    | 'setInputDelay'
    | 'plantFault'
  >;
  /** Shows a side on this canvas from now on. */
  show(side: 0 | 1, canvas: HTMLCanvasElement): void;
  readonly draw: DrawSide;
  /** Ends its input. */
  dispose(): void;
}

export type LabSettings = Omit<ExperimentOptions<unknown, unknown>, 'game' | 'inputs'>;

/** A game as the lab offers it. */
export interface LabGame {
  readonly title: string;
  /** The keys of one player alone, and of two: in words. */
  readonly soloKeys: string;
  readonly pairKeys: readonly [string, string];
  begin(settings: LabSettings, hands: readonly [Hand, Hand]): LiveExperiment;
}

interface LabGameParts<S, N extends string> extends Omit<LabGame, 'begin'> {
  readonly game: Game<S, Readonly<Record<N, boolean>>>;
  readonly solo: KeyBindings<N>;
  readonly pair: readonly [KeyBindings<N>, KeyBindings<N>];
  readonly view: (canvas: HTMLCanvasElement) => View<S>;
}

function labGame<S, N extends string>(parts: LabGameParts<S, N>): LabGame {
  const { game, solo, pair, view } = parts;
  const { title, soloKeys, pairKeys } = parts;
  return {
    title,
    soloKeys,
    pairKeys,
    begin(settings, hands) {
      const areBothKeys = hands[0] === 'keys' && hands[1] === 'keys';
      const disposals: (() => void)[] = [];
      const inputOf = (player: 0 | 1): InputSource<Readonly<Record<N, boolean>>> => {
        if (hands[player] === 'bot') return seededBot(game.input, settings.seed + player);
        const keys = keyboard(areBothKeys ? pair[player] : solo);
        disposals.push(() => keys.dispose());
        return keys;
      };
      const experiment = new Experiment<S, Readonly<Record<N, boolean>>>({
        ...settings,
        game,
        inputs: [inputOf(0), inputOf(1)],
      });
      const views: (View<S> | undefined)[] = [];
      return {
        experiment,
        show(side, canvas) {
          views[side] = view(canvas);
        },
        draw(side, nowMs, smooth) {
          const shown = experiment.sides[side];
          const { sim } = shown;
          if (sim === undefined) return;
          const players = experiment.players.map(({ title }, player) => ({
            name: title,
            me: player === side && experiment.sides[player] === experiment.players[player],
            presence: 'here' as const,
          }));
          const frame = sim.lastFrame();
          const info = {
            me: players.findIndex(({ me }) => me),
            alpha: smooth ? shown.alpha(nowMs) : 1,
            frame,
            status: {
              ...blankStatus,
              phase: 'running' as const,
              frame,
              confirmedFrame: shown.trace.confirmed,
              players,
            },
          };
          tellEffects(
            { collectEffects: () => sim.collectEffects(shown.trace.confirmed) },
            { onEffect: (effect) => views[side]?.hear?.(effect) },
          );
          // Without the past nothing is blended: the picture jumps as the logic does.
          views[side]?.(sim.state, info, smooth ? (each) => stateAfter(sim, each) : undefined);
        },
        dispose() {
          for (const dispose of disposals) dispose();
        },
      };
    },
  };
}

/** The games of the lab, by id. */
export const labGames: Readonly<Record<GameId, LabGame>> = {
  duel: labGame({
    title: 'Duel',
    game: duel,
    soloKeys: '← → walk, ↓ guard, ↑ dash, J light attack, K heavy attack',
    pairKeys: ['A D walk, S guard, W dash, F light, G heavy', '← → walk, ↓ guard, ↑ dash, K light, L heavy'],
    solo: soloDuelKeys,
    pair: pairDuelKeys,
    view: duelView,
  }),
  race: labGame({
    title: 'Race',
    game: race,
    soloKeys: '→ or Space accelerates',
    pairKeys: ['D accelerates', '→ accelerates'],
    solo: soloRaceKeys,
    pair: pairRaceKeys,
    view: raceView,
  }),
};

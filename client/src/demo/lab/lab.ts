import type { GameId } from '../params.js';
import type { Mode } from './experiment.js';
import { type Hand, type LabGame, type LiveExperiment, labGames } from './games.js';
import { PlotLog } from './plot-log.js';
import { type FullConditions, presetOf, presets } from './presets.js';

/** How fast virtual time goes, as a share of real time. */
export const speeds = [1, 1 / 4, 1 / 10] as const;
export type Speed = (typeof speeds)[number];

/** A page that was away does not make up for it. */
const AWAY_MS = 100;
/** How long the end of a match is shown before the next one begins, in virtual time. */
const ENDED_MS = 2000;

/** What the page shows of the lab; the match itself changes with every frame. */
export interface LabView {
  readonly game: GameId;
  readonly mode: Mode;
  readonly link: FullConditions;
  readonly inputDelay: number;
  readonly window: number;
  readonly hands: readonly [Hand, Hand];
  readonly speed: Speed;
  readonly isPaused: boolean;
  /** Pictures blend what a rollback corrected. */
  readonly isSmooth: boolean;
  /** Changes whenever a new match begins. */
  readonly match: number;
}

/** The lab: one experiment at a time, how fast its time goes, and what may be changed about it. */
export class Lab {
  view: LabView;
  live: LiveExperiment;
  plots = new PlotLog();
  readonly #games: Readonly<Record<GameId, LabGame>>;
  readonly #clock: () => number;
  readonly #listeners = new Set<() => void>();
  #shownMs = Number.NaN;
  #overMs = Number.NaN;

  /** `clock` gives milliseconds of real time, to measure what running frames again costs. */
  constructor(clock: () => number, games: Readonly<Record<GameId, LabGame>> = labGames) {
    this.#clock = clock;
    this.#games = games;
    this.view = {
      game: 'duel',
      mode: 'peers',
      link: presets[1]!.link,
      inputDelay: 1,
      window: 8,
      hands: ['bot', 'bot'],
      speed: 1,
      isPaused: false,
      isSmooth: true,
      match: 1,
    };
    this.live = this.#begin();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(change: Partial<LabView>): void {
    this.view = { ...this.view, ...change };
    for (const listener of this.#listeners) listener();
  }

  #begin(): LiveExperiment {
    const { game, mode, link, inputDelay, window, hands, match } = this.view;
    return this.#games[game].begin({ mode, link, inputDelay, window, seed: match, clock: this.#clock }, hands);
  }

  /** Begins a new match, with what of the lab is to be another way. */
  restart(change: Partial<Pick<LabView, 'game' | 'mode' | 'window' | 'hands'>> = {}): void {
    this.live.dispose();
    this.view = { ...this.view, ...change, match: this.view.match + 1 };
    this.live = this.#begin();
    this.plots = new PlotLog();
    this.#overMs = Number.NaN;
    this.#change({});
  }

  /** Changes the link while the match runs. */
  setLink(change: Partial<FullConditions>): void {
    const link = { ...this.view.link, ...change };
    this.live.experiment.setLink(link);
    this.#change({ link });
  }

  get preset(): string | null {
    return presetOf(this.view.link)?.id ?? null;
  }

  /** Changes both players' input delay while the match runs. */
  setInputDelay(inputDelay: number): void {
    this.live.experiment.setInputDelay(inputDelay);
    this.#change({ inputDelay });
  }

  setSpeed(speed: Speed): void {
    this.#change({ speed });
  }

  setSmooth(isSmooth: boolean): void {
    this.#change({ isSmooth });
  }

  pause(isPaused: boolean): void {
    this.#change({ isPaused });
  }

  /** Pauses, and goes on by one frame. */
  step(): void {
    if (!this.view.isPaused) this.pause(true);
    this.live.experiment.step();
    this.#follow();
  }

  plantFault(): void {
    this.live.experiment.plantFault();
    this.#change({});
  }

  /** A frame of the page at `nowMs` of real time: virtual time goes on by its share. */
  frame(nowMs: number): void {
    const passedMs = Number.isNaN(this.#shownMs) ? 0 : Math.min(AWAY_MS, Math.max(0, nowMs - this.#shownMs));
    this.#shownMs = nowMs;
    if (this.view.isPaused || passedMs === 0) return;
    this.live.experiment.run(passedMs * this.view.speed);
    this.#follow();
  }

  #follow(): void {
    const { experiment } = this.live;
    this.plots.poll(experiment.clock.nowMs, experiment.players);
    if (!experiment.isOver) return;
    if (Number.isNaN(this.#overMs)) this.#overMs = experiment.clock.nowMs;
    if (experiment.clock.nowMs - this.#overMs >= ENDED_MS) this.restart();
  }
}

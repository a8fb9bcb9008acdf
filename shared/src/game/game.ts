import type { InputModel } from '../input/model.js';
import type { Predictor } from '../input/predictor.js';
import type { StateModel } from '../state/model.js';
import type { EffectData } from './effect-data.js';

/** Values that both peers agree on before a match: part of the handshake and of the recording. */
export type Settings = { readonly [name: string]: string | number | boolean };

/** What a match starts from. The same on every peer. */
export interface MatchSetup {
  /** 32-bit unsigned. */
  readonly seed: number;
  readonly settings: Settings;
  readonly players: number;
}

export interface PlayerStatus {
  /** False from the agreed frame on, once this player is gone for good; its input is then neutral. */
  readonly connected: boolean;
}

/** What a step may know beside state and inputs. Reused from frame to frame: read it, do not keep it. */
export interface StepContext {
  readonly frame: number;
  readonly players: readonly PlayerStatus[];
  /**
   * Something to be seen or heard, shown at once: it plays once however often its frame runs, and is cancelled when a
   * rollback makes it un-happen. It is known again by frame, kind and `key`, by default which one of its kind it is in
   * the step; give a key, such as a player's number, where the step may emit fewer or others the next time.
   * Throws `bad-effect` for data that is not small and plain.
   */
  effect(kind: string, data?: EffectData, key?: string | number): void;
  /** Something that counts, such as a point: told to the page once its frame is confirmed, once, in order. Throws `bad-effect`. */
  fact(kind: string, data?: EffectData): void;
}

/**
 * What a match does once its players know the frame where their states parted. `mark`: it goes on, and is void. `stop`: all
 * stop at the same frame. `resync`: whoever parted from player 0 takes its state, and all go on from there.
 */
export type DesyncChoice = 'mark' | 'stop' | 'resync';

/** All that a game author writes. A plain object: `step` is the only code that runs during a match. */
export interface Game<S, I> {
  /** Peers with another id or version do not play each other. */
  readonly id: string;
  readonly version: string;
  /** Frames a second, 1 to 240. */
  readonly tickRate: number;
  /** Seats, 1 to 8. */
  readonly players: number;
  readonly input: InputModel<I>;
  readonly state: StateModel<S>;
  /** What a missing input is taken for; by default what was last confirmed. See `ControlsModel.predictor`. */
  readonly predictor?: Predictor;
  /**
   * By how many frames a rollback may move an effect, with the same kind, key and data, so that it plays on and is not
   * played anew; 0 by default, 60 at most.
   */
  readonly slackFrames?: number;
  /** `mark` by default. */
  readonly desync?: DesyncChoice;
  /** Fills the initial state. Generators in the state are already seeded. */
  init?(state: S, setup: MatchSetup): void;
  /** Advances `state` by one frame in place. Deterministic: reads only its arguments, writes only `state`. */
  step(state: S, inputs: readonly I[], ctx: StepContext): void;
  /**
   * Why an input breaks the game's rules, in words for its player; undefined for one that does not. Asked by an
   * authority alone, with the state before the frame, which then runs with the neutral input. Changes and keeps nothing.
   */
  refuses?(state: S, player: number, input: I): string | undefined;
  /** The result once the match is decided, undefined before. The match ends when that frame is confirmed. */
  over?(state: S): unknown;
}

export const TICK_RATE_MAX = 240;
/** A rollback that moves an effect by more would keep effects playing that a player tells apart. */
export const SLACK_FRAMES_MAX = 60;
/** Seats in one match: a mesh of more peers costs each of them more upload than it is worth. */
export const PLAYERS_MAX = 8;

/** The state before frame 0: fields at zero, generators seeded, then the game's own `init`. */
export function initialState<S, I>(game: Game<S, I>, setup: MatchSetup): S {
  const state = game.state.create();
  game.state.seed(state, setup.seed);
  game.init?.(state, setup);
  return state;
}

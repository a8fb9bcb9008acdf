export * from '@riposte/shared';
export { DisplayedPosition, type DisplayOptions } from './display/displayed-position.js';
export { interpolate, interpolateAngle, shortestTurn } from './display/interpolation.js';
export { seededBot } from './input/bot.js';
export { type KeyBindings, keyboard } from './input/keyboard.js';
export { LobbyError, LobbyErrorCode } from './lobby/lobby-error.js';
export { joinMatch } from './match/join.js';
export { playLocal } from './match/local.js';
export type {
  DrawInfo,
  EffectListeners,
  InputSource,
  JoinOptions,
  Match,
  MatchEvents,
  MatchOptions,
  MatchStatus,
  Phase,
} from './match/match.js';
export { MatchError } from './match/match-error.js';
export { TransportError, TransportErrorCode } from './transport/transport-error.js';

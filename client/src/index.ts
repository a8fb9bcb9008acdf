export * from '@riposte/shared';
export type { AuthorityMatchStatus, ClientMatch } from './authority/client-match.js';
export {
  type HostAuthorityOptions,
  type HostedMatch,
  type HostStatus,
  hostAuthority,
} from './authority/host-authority.js';
export { type JoinAuthorityOptions, joinAuthority } from './authority/join-authority.js';
export type { AuthorityMeasures } from './authority/measures.js';
export { DisplayedPosition, type DisplayOptions } from './display/displayed-position.js';
export { DisplayedThings, type Moment, type ThingsOptions } from './display/displayed-things.js';
export { interpolate, interpolateAngle, shortestTurn } from './display/interpolation.js';
export type { StateAfter } from './display/state-after.js';
export { seededBot } from './input/bot.js';
export { eitherOf } from './input/either-of.js';
export { type GamepadOptions, gamepad, type PadBindings, type PadControl, type PadState } from './input/gamepad.js';
export { type KeyBindings, keyboard } from './input/keyboard.js';
export { type TouchSource, touch } from './input/touch.js';
export { LobbyError, type LobbyErrorCode } from './lobby/lobby-error.js';
export { joinMatch } from './match/join.js';
export { playLocal } from './match/local.js';
export type {
  Desync,
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
export { type WatchMatchOptions, watchMatch } from './match/watch.js';
export { type Overlay, type OverlayOptions, overlay } from './overlay/overlay.js';
export { browserArchive, type KeptMatch, type RecordingArchive } from './recorder/archive.js';
export type { Measures } from './session/measures.js';
export type { Spread } from './session/samples.js';
export type { Route } from './transport/transport.js';
export { TransportError, type TransportErrorCode } from './transport/transport-error.js';

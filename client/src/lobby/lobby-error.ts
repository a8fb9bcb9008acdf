import { SignalingErrorCode } from '@riposte/shared/protocol';

/** Why the lobby could not do what it was asked: the server's reasons, and those only this side sees. */
export const LobbyErrorCode = {
  ...SignalingErrorCode,
  /** The server's address is none. */
  BadServer: 'bad-server',
  /** Nobody answers there, or the server refuses this page's origin, which a browser does not tell apart. */
  ServerAway: 'server-away',
  /** The connection to the server ended. */
  ServerLost: 'server-lost',
  /** The server is connected but does not answer. */
  Timeout: 'timeout',
  /** The server answers in a way this version does not understand. */
  ServerMismatch: 'server-mismatch',
  /** Nobody joined for too long. */
  RoomExpired: 'room-expired',
  /** The caller left or closed. */
  Left: 'left',
  Aborted: 'aborted',
} as const;
export type LobbyErrorCode = (typeof LobbyErrorCode)[keyof typeof LobbyErrorCode];

/** `message` says what happened and what to do, for people. */
export class LobbyError extends Error {
  override readonly name = 'LobbyError';
  readonly code: LobbyErrorCode;

  constructor(code: LobbyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

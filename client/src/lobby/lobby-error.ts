import type { RoomClosedReason, SignalingErrorCode } from '@riposte/shared/protocol';

/** Why the lobby could not do what it was asked: the server's reasons, and those only this side sees. */
export type LobbyErrorCode =
  | SignalingErrorCode
  /** The server's address is none. */
  | 'bad-server'
  /** Nobody answers there, or the server refuses this page's origin, which a browser does not tell apart. */
  | 'server-away'
  /** The connection to the server ended, and could not be made again while the seat was kept. */
  | 'server-lost'
  /** The server is connected but does not answer. */
  | 'timeout'
  /** The server answers in a way this version does not understand. */
  | 'server-mismatch'
  /** Nobody joined for too long. */
  | 'room-expired'
  /** Another connection took this seat over: the page was loaded again, or opened in another tab. */
  | 'seat-taken'
  /** The caller left or closed. */
  | 'left'
  | 'aborted';

/** `message` says what happened and what to do, for people. */
export class LobbyError extends Error {
  override readonly name = 'LobbyError';
  readonly code: LobbyErrorCode;

  constructor(code: LobbyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Nobody answers at this address. */
export function serverAway(base: URL, cause?: Error): LobbyError {
  return new LobbyError(
    'server-away',
    `No connection to the game server at ${base.origin + base.pathname}. Check the address and your network, and try again in a ` +
      'minute; if it does run, it may not allow pages from this address.',
    { cause },
  );
}

/** The connection ended. */
export function serverLost(): LobbyError {
  return new LobbyError(
    'server-lost',
    'The connection to the game server was lost. Check your network and start the match again.',
  );
}

/** The server and this page do not speak one language. */
export function serverMismatch(event: string): LobbyError {
  return new LobbyError(
    'server-mismatch',
    `The game server's ${event} is not understood: it may run another version. Reload the page and try again.`,
  );
}

/** The server ended the room. */
export function roomClosed(reason: RoomClosedReason): LobbyError {
  switch (reason) {
    case 'expired':
      return new LobbyError('room-expired', 'Nobody joined this match for too long: create a new one.');
    case 'ended':
      return new LobbyError('peer-gone', 'The players left this match: there is nothing more to watch.');
    case 'draining':
      return new LobbyError(
        'server-draining',
        'The game server is stopping for maintenance: create a new match in a minute.',
      );
  }
}

/** The seat is held elsewhere now. */
export function seatTaken(): LobbyError {
  return new LobbyError('seat-taken', 'This match goes on in another tab, where it was opened again: go on there.');
}

/** The seat is free, and nobody new can take it. */
export function peerGone(): LobbyError {
  return new LobbyError('peer-gone', 'The other player left this match: create a new one.');
}

/** The caller's own signal. */
export function aborted(signal: AbortSignal | undefined): LobbyError {
  return new LobbyError('aborted', 'This was cancelled.', { cause: signal?.reason });
}

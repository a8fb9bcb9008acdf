import type { Game } from '@riposte/shared';
import { tell } from '../listeners.js';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import { LobbyError } from '../lobby/lobby-error.js';
import type { Room } from '../lobby/room.js';
import { connectPeer } from '../match/connect.js';
import { withFault } from '../match/fault.js';
import type { Phase } from '../match/match.js';
import { MatchError } from '../match/match-error.js';
import { keepConnected } from '../match/reconnect.js';
import { SeatKeeper } from '../match/seat-keeper.js';
import { blankStatus } from '../match/status.js';
import { AUTHORITY_SEAT, ClientMatch, type ClientMatchOptions } from './client-match.js';

export interface JoinAuthorityOptions<S, I> extends Omit<ClientMatchOptions<S, I>, 'room'> {
  readonly server: string;
  /** The code of a room that an authority made. */
  readonly room: string;
}

/**
 * Joins a room that an authority runs, and plays the game against it. Resolves when the match runs. A page that was
 * loaded again takes its seat back and gets the running match.
 *
 * @throws LobbyError, TransportError or MatchError, each with a `code` and a sentence that says what to do;
 * RiposteError `bad-argument` or `bad-game` for options or a game that cannot be, `not-loaded` when a part of this package
 * cannot be loaded.
 */
export async function joinAuthority<S, I>(
  game: Game<S, I>,
  options: JoinAuthorityOptions<S, I>,
): Promise<ClientMatch<S, I>> {
  const { name, signal, server, fault } = options;
  const keeper = new SeatKeeper(server, game.id);
  const report = (phase: Phase): void => {
    const players = [{ name: name ?? '', me: true, presence: 'here' as const }];
    tell(options.onPhase, phase, { ...blankStatus, phase, room: options.room, players });
  };
  report('connecting');
  const lobby = await connectLobby({ server, name: name || undefined, signal });
  let match: ClientMatch<S, I> | undefined;
  try {
    const joined = new ClientMatch(fault === undefined ? game : withFault(game, fault), options);
    match = joined;
    const room = await sit(lobby, game, options, keeper);
    keeper.save({ ...room.seat, started: true });
    const stopKeeping = room.onSeat((seat) => keeper.save({ ...seat, started: true }));
    report('lobby');
    tell(options.onRoom, { code: room.code, link: room.link });
    keepConnected(authorityIn(room), joined, { connect: (pairing) => connectPeer(pairing, options, room) });
    return await new Promise((resolve, reject) => {
      room.onEnd((error) => joined.status().phase === 'syncing' && reject(error));
      if (options.onPhase !== undefined) joined.on('phase', options.onPhase);
      joined.on('phase', () => {
        // As it is by now: the page may have ended it.
        const { phase, cause, reason } = joined.status();
        if (phase === 'running') resolve(joined);
        if (phase !== 'ended' && phase !== 'failed') return;
        stopKeeping();
        keeper.clear();
        lobby.close();
        reject(new MatchError(cause ?? 'lost', reason ?? 'The match ended before it began.'));
      });
    });
  } catch (error) {
    match?.leave();
    keeper.clear();
    lobby.close();
    throw error;
  }
}

/** Takes the seat back that this tab kept, if it is one of this room; else takes a new one. */
async function sit<S, I>(
  lobby: Lobby,
  game: Game<S, I>,
  { room }: JoinAuthorityOptions<S, I>,
  keeper: SeatKeeper,
): Promise<Room> {
  const kept = keeper.load();
  if (kept?.room === room.toUpperCase()) {
    try {
      return await lobby.resume(kept);
    } catch (error) {
      if (!(error instanceof LobbyError) || error.code !== 'seat-not-found') throw error;
    }
  }
  return lobby.join(room, { game: game.id, version: game.version });
}

/** The room as a match against its authority needs it: the other players are the authority's to connect to. */
function authorityIn(room: Room): Pick<Room, 'onPairing' | 'pairAgain'> {
  return {
    onPairing: (listener) => room.onPairing((pairing) => pairing.peer.player === AUTHORITY_SEAT && listener(pairing)),
    pairAgain: (seat) => room.pairAgain(seat),
  };
}

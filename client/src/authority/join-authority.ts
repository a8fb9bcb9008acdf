import type { Game } from '@riposte/shared';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import { LobbyError, LobbyErrorCode } from '../lobby/lobby-error.js';
import type { Pairing, Room } from '../lobby/room.js';
import { connectPeer } from '../match/connect.js';
import { withFault } from '../match/fault.js';
import type { Phase } from '../match/match.js';
import { MatchError } from '../match/match-error.js';
import { SeatKeeper } from '../match/seat-keeper.js';
import { blankStatus } from '../match/status.js';
import { ClientMatch, type ClientMatchOptions } from './client-match.js';

/** The seat of whoever made the room: an authority makes its own. */
const AUTHORITY_SEAT = 0;
/** A link that is silent for so long is not waited for: a new connection is made beside it. */
const SILENT_MS = 2000;
/** Between two attempts, so that a server or network that is away is not stormed. */
const RETRY_MS = 3500;

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
 * RiposteError `bad-argument` or `bad-game` for options or a game that cannot be.
 */
export async function joinAuthority<S, I>(
  game: Game<S, I>,
  options: JoinAuthorityOptions<S, I>,
): Promise<ClientMatch<S, I>> {
  const { name, signal, server, fault } = options;
  const keeper = new SeatKeeper(server, game.id);
  const report = (phase: Phase): void => {
    const players = [{ name: name ?? '', me: true, presence: 'here' as const }];
    options.onPhase?.(phase, { ...blankStatus, phase, room: options.room, players });
  };
  report('connecting');
  const lobby = await connectLobby({
    server,
    ...(name !== undefined && name !== '' && { name }),
    ...(signal !== undefined && { signal }),
  });
  const match = new ClientMatch(fault === undefined ? game : withFault(game, fault), options);
  try {
    const room = await sit(lobby, game, options, keeper);
    keeper.save({ ...room.seat, started: true });
    const stopKeeping = room.onSeat((seat) => keeper.save({ ...seat, started: true }));
    report('lobby');
    options.onRoom?.({ code: room.code, link: room.link });
    const stopFollowing = followAuthority(room, match, options);
    return await new Promise((resolve, reject) => {
      room.onEnd((error) => match.status().phase === 'syncing' && reject(error));
      match.on('phase', (phase, status) => {
        options.onPhase?.(phase, status);
        if (phase === 'running') resolve(match);
        if (phase !== 'ended' && phase !== 'failed') return;
        stopKeeping();
        stopFollowing();
        keeper.clear();
        lobby.close();
        reject(new MatchError(status.cause ?? 'lost', status.reason ?? 'The match ended before it began.'));
      });
    });
  } catch (error) {
    match.leave();
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
      if (!(error instanceof LobbyError) || error.code !== LobbyErrorCode.SeatNotFound) throw error;
    }
  }
  return lobby.join(room, { game: game.id, version: game.version });
}

/** Makes each connection to the authority that the room pairs, and asks for another while the match waits for one. */
function followAuthority<S, I>(room: Room, match: ClientMatch<S, I>, options: JoinAuthorityOptions<S, I>): () => void {
  let newest: Pairing | undefined;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = (): void => {
    clearTimeout(timer);
    if (isOver || newest === undefined || match.status().phase === 'running') return;
    // What goes wrong here, the next attempt may put right; the match's own time-out ends them.
    room.pairAgain(newest.peer.seat).catch(() => undefined);
    timer = setTimeout(ask, RETRY_MS);
  };
  const follow = async (pairing: Pairing): Promise<void> => {
    // The other players are the authority's to connect to.
    if (isOver || pairing.peer.player !== AUTHORITY_SEAT || pairing.number <= (newest?.number ?? 0)) return;
    newest = pairing;
    clearTimeout(timer);
    try {
      const transport = await connectPeer(pairing, options);
      if (isOver || newest !== pairing) transport.close();
      else match.attach(transport);
    } catch {
      timer = setTimeout(ask, RETRY_MS);
    }
  };
  const stopFollowing = room.onPairing((pairing) => void follow(pairing));
  match.on('phase', (phase) => {
    if (phase === 'interrupted') timer = setTimeout(ask, match.isConnected ? SILENT_MS : 0);
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    stopFollowing();
  };
}

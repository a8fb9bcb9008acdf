import type { Game } from '@riposte/shared';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import { LobbyError, LobbyErrorCode } from '../lobby/lobby-error.js';
import type { Pairing, Room } from '../lobby/room.js';
import type { Transport } from '../transport/transport.js';
import { connectPeer } from './connect.js';
import { withFault } from './fault.js';
import type { JoinOptions, Match, Phase } from './match.js';
import { MatchError } from './match-error.js';
import { PeerMatch } from './peer-match.js';
import { keepConnected } from './reconnect.js';
import { SeatKeeper } from './seat-keeper.js';
import { randomSeed } from './seed.js';
import { blankStatus } from './status.js';

/**
 * Meets another player through the server and plays the game with them, peer to peer. Resolves when the first frame
 * can run. A page that was reloaded in a match takes its seat back and plays on.
 *
 * @throws LobbyError, TransportError or MatchError, each with a `code` and a sentence that says what to do;
 * RiposteError `bad-argument` or `bad-game` for options or a game that cannot be.
 */
export async function joinMatch<S, I>(game: Game<S, I>, options: JoinOptions<S, I>): Promise<Match<S, I>> {
  const { name, signal } = options;
  const keeper = new SeatKeeper(options.server, game.id);
  let code: string | null = options.room ?? null;
  const report = (phase: Phase): void => {
    const players = [{ name: name ?? '', me: true, presence: 'here' as const }];
    options.onPhase?.(phase, { ...blankStatus, phase, room: code, players });
  };

  report('connecting');
  const lobby = await connectLobby({
    server: options.server,
    ...(name !== undefined && name !== '' && { name }),
    ...(signal !== undefined && { signal }),
  });
  try {
    const { room, returning } = await sit(lobby, game, options, keeper);
    keeper.save({ ...room.seat, started: returning });
    const tellRoom = (): void => {
      code = room.code;
      report('lobby');
      options.onRoom?.({ code: room.code, link: room.link });
    };
    const stopKeeping = room.onSeat((seat) => {
      keeper.save({ ...seat, started: keeper.load()?.started === true });
      // A quick match may go on waiting in another room.
      if (seat.room !== code) tellRoom();
    });
    tellRoom();
    const [pairing] = await room.paired;
    report('connecting');
    const transport = await connectPeer(pairing, options);
    return await playOver({ transport, pairing, room, lobby, keeper, stopKeeping, returning }, game, options);
  } catch (error) {
    keeper.clear();
    lobby.close();
    throw error;
  }
}

/**
 * Takes back the seat that this tab kept, if it is one of the room that is asked for: a page that wants to outlive a
 * reload keeps the room in its address. Else takes a new seat.
 */
async function sit<S, I>(
  lobby: Lobby,
  game: Game<S, I>,
  options: JoinOptions<S, I>,
  keeper: SeatKeeper,
): Promise<{ readonly room: Room; readonly returning: boolean }> {
  const kept = keeper.load();
  if (kept !== undefined && options.room?.toUpperCase() === kept.room) {
    try {
      return { room: await lobby.resume(kept), returning: kept.started };
    } catch (error) {
      // Too late, or the match is over: then as if there had been none. A second tab is told so.
      if (!(error instanceof LobbyError) || error.code !== LobbyErrorCode.SeatNotFound) throw error;
    }
  }
  const key = { game: game.id, version: game.version };
  const { transport, relayOnly } = options;
  const roomOptions = { ...(transport !== undefined && { transport }), ...(relayOnly === true && { relayOnly }) };
  if (options.room !== undefined) return { room: await lobby.join(options.room, key), returning: false };
  const room = await (options.quick === true ? lobby.quick(key, roomOptions) : lobby.create(key, roomOptions));
  return { room, returning: false };
}

interface Seated {
  readonly transport: Transport;
  readonly pairing: Pairing;
  readonly room: Room;
  readonly lobby: Lobby;
  readonly keeper: SeatKeeper;
  readonly stopKeeping: () => void;
  readonly returning: boolean;
}

/** Runs the handshake; resolves once the match is running, rejects when it ends before. */
function playOver<S, I>(
  { transport, pairing, room, lobby, keeper, stopKeeping, returning }: Seated,
  game: Game<S, I>,
  options: JoinOptions<S, I>,
): Promise<Match<S, I>> {
  const own = options.name ?? '';
  const me = room.me ?? 0;
  const match = new PeerMatch(options.fault === undefined ? game : withFault(game, options.fault), {
    ...options,
    me,
    room: pairing.room,
    names: me === 0 ? [own, pairing.peer.name] : [pairing.peer.name, own],
    seed: options.seed ?? randomSeed(),
    returning,
  });
  match.attach(pairing.peer.player ?? 0, transport);
  keepConnected(room, match, options);
  options.onPhase?.('syncing', match.status());
  return new Promise((resolve, reject) => {
    match.on('phase', (phase, status) => {
      options.onPhase?.(phase, status);
      if (phase === 'running') {
        keeper.save({ ...room.seat, started: true });
        resolve(match);
      }
      if (phase !== 'ended' && phase !== 'failed') return;
      stopKeeping();
      keeper.clear();
      lobby.close();
      reject(new MatchError(status.cause ?? 'lost', status.reason ?? 'The match ended before it began.'));
    });
  });
}

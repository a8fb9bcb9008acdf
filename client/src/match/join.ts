import { type Game, requireInteger } from '@riposte/shared';
import { parseControl } from '@riposte/shared/protocol';
import { tell } from '../listeners.js';
import { loadPart } from '../load-part.js';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import { aborted, LobbyError } from '../lobby/lobby-error.js';
import type { Pairing, Room } from '../lobby/room.js';
import { helloOf } from '../session/handshake.js';
import type { Transport } from '../transport/transport.js';
import { connectPeer } from './connect.js';
import type { JoinOptions, Match, Phase, PlayerInfo } from './match.js';
import { MatchError } from './match-error.js';
import { loadParts, type MatchParts } from './parts.js';
import { PeerMatch } from './peer-match.js';
import { keepConnected } from './reconnect.js';
import { SeatKeeper } from './seat-keeper.js';
import { randomSeed } from './seed.js';
import { blankStatus } from './status.js';

/**
 * Meets the other players through the server and plays the game with them, peer to peer. Resolves when the first frame
 * can run. A page that was reloaded in a match takes its seat back and plays on.
 *
 * @throws LobbyError, TransportError or MatchError, each with a `code` and a sentence that says what to do;
 * RiposteError `bad-argument` or `bad-game` for options or a game that cannot be, `not-loaded` when a part of this package
 * cannot be loaded.
 */
export async function joinMatch<S, I>(game: Game<S, I>, options: JoinOptions<S, I>): Promise<Match<S, I>> {
  const { name, signal, players = game.players, inputDelay = 'auto' } = options;
  requireInteger('players', players, 2, game.players);
  const hello = helloOf({ ...options, game, me: 0, players, name: name ?? '', seed: 0, inputDelay }, false);
  if (parseControl(JSON.stringify(hello)) === undefined) {
    throw (await loadPart(() => import('./bad-options.js'))).unreadable(hello);
  }
  const keeper = new SeatKeeper(options.server, game.id);
  let room: Room | undefined;
  const report = (phase: Phase): void => {
    const code = room?.code ?? options.room ?? null;
    tell(options.onPhase, phase, { ...blankStatus, phase, room: code, players: playersOf(room, name ?? '') });
  };

  report('connecting');
  const lobby = await connectLobby({ server: options.server, name: name || undefined, signal });
  try {
    const sat = await sit(lobby, game, options, players, keeper);
    const { returning, rematches } = sat;
    room = sat.room;
    if (room.size > game.players) {
      const message = `The room is for ${room.size} players, and ${game.id} takes ${game.players}: open the link that its creator sends.`;
      throw new MatchError('refused', message);
    }
    keeper.save({ ...room.seat, started: returning, rematches });
    const stopKeeping = room.onSeat((seat) => {
      const kept = keeper.load();
      // Between two matches there is none to return to.
      if (kept !== undefined) keeper.save({ ...kept, ...seat });
    });
    const meeting = meet(room, options, returning, () => report('lobby'));
    const [parts] = await Promise.all([loadParts(room.size, options.record !== false), meeting]);
    report('connecting');
    const played =
      options.fault === undefined ? game : (await loadPart(() => import('./fault.js'))).withFault(game, options.fault);
    return await playIn({ room, lobby, keeper, stopKeeping, returning, rematches, parts }, played, options);
  } catch (error) {
    keeper.clear();
    lobby.close();
    throw signal?.aborted === true ? aborted(signal) : error;
  }
}

/** Who is in the room, as a page may show it. */
function playersOf(room: Room | undefined, name: string): PlayerInfo[] {
  if (room === undefined) return [{ name, me: true, presence: 'here' }];
  return room.seats
    .filter(({ role }) => role === 'player')
    .map((seat) => {
      const me = seat.seat === room.seat.seat;
      return { name: me ? name : seat.name, me, presence: 'here' };
    });
}

/**
 * Takes back the seat that this tab kept, if it is one of the room that is asked for: a page that wants to outlive a
 * reload keeps the room in its address. Else takes a new seat.
 */
async function sit<S, I>(
  lobby: Lobby,
  game: Game<S, I>,
  options: JoinOptions<S, I>,
  size: number,
  keeper: SeatKeeper,
): Promise<{ readonly room: Room; readonly returning: boolean; readonly rematches: number }> {
  const kept = keeper.load();
  if (kept !== undefined && options.room?.toUpperCase() === kept.room) {
    try {
      return { room: await lobby.resume(kept), returning: kept.started, rematches: kept.rematches ?? 0 };
    } catch (error) {
      // Too late, or the match is over: then as if there had been none. A second tab is told so.
      if (!(error instanceof LobbyError) || error.code !== 'seat-not-found') throw error;
    }
  }
  const key = { game: game.id, version: game.version };
  const { transport, relayOnly } = options;
  const roomOptions = {
    size,
    ...(transport !== undefined && { transport }),
    ...(relayOnly === true && { relayOnly }),
  };
  const room = await (options.room !== undefined
    ? lobby.join(options.room, key)
    : options.quick === true
      ? lobby.quick(key, roomOptions)
      : lobby.create(key, roomOptions));
  return { room, returning: false, rematches: 0 };
}

/** Waits until all players are there; who returns needs one. Meanwhile tells the page of the room and its seats. */
async function meet<S, I>(
  room: Room,
  { onRoom, onSeats }: JoinOptions<S, I>,
  returning: boolean,
  reportLobby: () => void,
): Promise<void> {
  let code: string | undefined;
  const tellRoom = (): void => {
    code = room.code;
    tell(onRoom, { code, link: room.link });
  };
  const stops = [
    room.onSeats((seats) => {
      // A quick match may go on waiting in another room.
      if (room.code !== code) tellRoom();
      reportLobby();
      tell(
        onSeats,
        seats.filter(({ role }) => role === 'player'),
        room.size,
      );
    }),
  ];
  try {
    const first = new Promise<void>((resolve) => {
      if (returning) stops.push(room.onPairing(({ peer }) => peer.player !== null && resolve()));
    });
    await Promise.race([room.paired, first]);
  } finally {
    for (const stop of stops) stop();
  }
}

interface Seated {
  readonly room: Room;
  readonly lobby: Lobby;
  readonly keeper: SeatKeeper;
  readonly stopKeeping: () => void;
  readonly returning: boolean;
  readonly rematches: number;
  readonly parts: MatchParts;
}

/** Connects all players, for this match and its rematches; resolves once the first is running, rejects when it ends before. */
function playIn<S, I>(
  { room, lobby, keeper, stopKeeping, returning, rematches, parts }: Seated,
  game: Game<S, I>,
  options: JoinOptions<S, I>,
): Promise<Match<S, I>> {
  options.signal?.throwIfAborted();
  const me = room.me ?? 0;
  const names = Array.from({ length: room.size }, (_, player) => {
    if (player === me) return options.name ?? '';
    return room.seats.find((seat) => seat.player === player)?.name;
  });
  if (!returning && names.includes(undefined)) {
    throw new MatchError('peer-left', 'A player left before the match began: create a new match.');
  }
  const match = new PeerMatch(game, {
    ...options,
    me,
    room: room.code,
    names: names.map((name) => name ?? ''),
    seed: options.seed ?? randomSeed(),
    returning,
    rematches,
    ...parts,
  });
  const over = new AbortController();
  const { signal } = over;
  options.signal?.addEventListener('abort', () => match.leave(), { signal });
  const connect = (pairing: Pairing): Promise<Transport> => connectPeer(pairing, { ...options, signal }, room);
  match.showIn(room, connect);
  return new Promise((resolve, reject) => {
    let missing = returning ? 1 : room.size - 1;
    keepConnected(room, match, {
      connect,
      seatOf: (player) => match.seatOf(player),
      connected: () => {
        missing--;
        if (missing === 0) tell(options.onPhase, 'syncing', match.status());
      },
      failed: (error, isLast) => {
        // Before the first frame nobody can be missing; who returns needs one of the others.
        if (match.status().phase !== 'syncing' || (returning && !isLast)) return true;
        reject(error);
        match.leave();
        return false;
      },
    });
    if (options.onPhase !== undefined) match.on('phase', options.onPhase);
    match.on('phase', () => {
      // As it is by now: the page may have ended it.
      const { phase, cause, reason } = match.status();
      if (phase === 'running') {
        keeper.save({ ...room.seat, started: true, rematches: match.rematches });
        resolve(match);
      }
      if (phase !== 'ended' && phase !== 'failed') return;
      keeper.clear();
      reject(new MatchError(cause ?? 'lost', reason ?? 'The match ended before it began.'));
    });
    match.on('closed', () => {
      over.abort();
      stopKeeping();
      lobby.close();
    });
  });
}

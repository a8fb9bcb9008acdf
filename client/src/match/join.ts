import type { Game } from '@riposte/shared';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import type { Pairing, Room } from '../lobby/room.js';
import { ConditionedTransport } from '../transport/conditions.js';
import { connectPeerJs } from '../transport/peerjs.js';
import { connectSimplePeer } from '../transport/simple-peer.js';
import type { Transport } from '../transport/transport.js';
import { withFault } from './fault.js';
import type { JoinOptions, Match, Phase } from './match.js';
import { MatchError } from './match-error.js';
import { PeerMatch } from './peer-match.js';
import { randomSeed } from './seed.js';
import { blankStatus } from './status.js';

/**
 * Meets another player through the server and plays the game with them, peer to peer. Resolves when the first frame
 * can run.
 *
 * @throws LobbyError, TransportError or MatchError, each with a `code` and a sentence that says what to do;
 * RiposteError `bad-argument` or `bad-game` for options or a game that cannot be.
 */
export async function joinMatch<S, I>(game: Game<S, I>, options: JoinOptions<S, I>): Promise<Match<S, I>> {
  const { name, signal } = options;
  let room: string | null = options.room ?? null;
  const report = (phase: Phase): void => {
    const players = [{ name: name ?? '', me: true }];
    options.onPhase?.(phase, { ...blankStatus, phase, room, players });
  };

  report('connecting');
  const lobby = await connectLobby({
    server: options.server,
    ...(name !== undefined && name !== '' && { name }),
    ...(signal !== undefined && { signal }),
  });
  try {
    const seat = await takeSeat(lobby, game, options);
    room = seat.code;
    report('lobby');
    options.onRoom?.({ code: seat.code, link: seat.link });
    const pairing = await seat.paired;
    report('connecting');
    const transport = await connectPeer(pairing, options);
    return await playOver(transport, pairing, game, options, lobby);
  } catch (error) {
    lobby.close();
    throw error;
  }
}

function takeSeat<S, I>(lobby: Lobby, game: Game<S, I>, options: JoinOptions<S, I>): Promise<Room> {
  const key = { game: game.id, version: game.version };
  if (options.room !== undefined) return lobby.join(options.room, key);
  const { transport } = options;
  const roomOptions = transport === undefined ? {} : { transport };
  return options.quick === true ? lobby.quick(key, roomOptions) : lobby.create(key, roomOptions);
}

async function connectPeer<S, I>(pairing: Pairing, options: JoinOptions<S, I>): Promise<Transport> {
  const abandon = new AbortController();
  // The other player's connection to the server may end once the peers are connected; a seat given up may not.
  pairing.onPeerLeft(() =>
    abandon.abort(new MatchError('peer-left', 'The other player left while connecting: create a new match.')),
  );
  const { signal, wrtc, link } = options;
  let transport: Transport;
  try {
    const { initiator, iceServers, signals, relayOnly, peerServer } = pairing;
    const common = {
      initiator,
      iceServers,
      signal: signal === undefined ? abandon.signal : AbortSignal.any([signal, abandon.signal]),
    };
    transport = await (peerServer === undefined
      ? connectSimplePeer({ ...common, signals, ...(wrtc !== undefined && { wrtc }) })
      : connectPeerJs({ ...common, relayOnly, server: options.server, pass: peerServer }));
  } catch (error) {
    throw abandon.signal.aborted ? abandon.signal.reason : error;
  }
  if (link === undefined) return transport;
  return new ConditionedTransport(transport, link, (delayMs, run) => setTimeout(run, delayMs), Math.random);
}

/** Runs the handshake; resolves once the match is running, rejects when it ends before. */
function playOver<S, I>(
  transport: Transport,
  pairing: Pairing,
  game: Game<S, I>,
  options: JoinOptions<S, I>,
  lobby: Lobby,
): Promise<Match<S, I>> {
  const own = options.name ?? '';
  const match = new PeerMatch(
    options.fault === undefined ? game : withFault(game, options.fault),
    {
      ...options,
      me: pairing.me,
      room: pairing.room,
      names: pairing.me === 0 ? [own, pairing.peerName] : [pairing.peerName, own],
      seed: options.seed ?? randomSeed(),
    },
    transport,
  );
  options.onPhase?.('syncing', match.status());
  return new Promise((resolve, reject) => {
    match.on('phase', (phase, status) => {
      options.onPhase?.(phase, status);
      if (phase === 'running') resolve(match);
      if (phase !== 'ended' && phase !== 'failed') return;
      lobby.close();
      reject(new MatchError(status.cause ?? 'lost', status.reason ?? 'The match ended before it began.'));
    });
  });
}

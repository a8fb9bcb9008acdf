import { loadPart } from '../load-part.js';
import type { Pairing, Room } from '../lobby/room.js';
import type { LinkConditions } from '../transport/conditions.js';
import { connectSimplePeer, type WebRtc } from '../transport/simple-peer.js';
import type { Transport } from '../transport/transport.js';
import { MatchError } from './match-error.js';

export interface ConnectOptions {
  readonly server: string;
  readonly signal?: AbortSignal;
  readonly link?: LinkConditions;
  readonly wrtc?: WebRtc;
}

/**
 * Makes the connection that a pairing is for. Rejects with TransportError, MatchError when the other player left, or
 * RiposteError `not-loaded`.
 *
 * @param room where the connection gets fresh ICE servers to restart with; without it, it cannot restart.
 */
export async function connectPeer(
  pairing: Pairing,
  options: ConnectOptions,
  room?: Pick<Room, 'iceServers'>,
): Promise<Transport> {
  const abandon = new AbortController();
  // The other player's connection to the server may end once the peers are connected; a seat given up may not.
  pairing.onPeerLeft(() =>
    abandon.abort(new MatchError('peer-left', 'The other player left while connecting: create a new match.')),
  );
  const { signal, wrtc, link, server } = options;
  const { initiator, iceServers, signals, relayOnly, peerServer } = pairing;
  const common = {
    initiator,
    iceServers,
    relayOnly,
    signal: signal === undefined ? abandon.signal : AbortSignal.any([signal, abandon.signal]),
  };
  let transport: Transport;
  try {
    transport = await (peerServer === undefined
      ? connectSimplePeer({
          ...common,
          signals,
          wrtc,
          freshIceServers: room && (() => room.iceServers(pairing.peer.seat)),
        })
      : (await loadPart(() => import('../transport/peerjs.js'))).connectPeerJs({
          ...common,
          server,
          pass: peerServer,
        }));
  } catch (error) {
    throw abandon.signal.aborted ? abandon.signal.reason : error;
  }
  if (link === undefined) return transport;
  return (await loadPart(() => import('../transport/conditions.js'))).conditioned(transport, link);
}

import { type PeerServerPass, parsePeerServerPass } from '@riposte/shared/protocol';
import type { DataConnection, Peer } from 'peerjs';
import { loadPart } from '../load-part.js';
import type { Lanes } from './lanes.js';
import { connectFailure, type OpenOptions, openLanes, rtcConfiguration, throwIfAborted } from './open-lanes.js';
import type { Transport } from './transport.js';
import { TransportError } from './transport-error.js';

export interface PeerJsOptions extends OpenOptions {
  /** Address of the game server, as for the lobby: its PeerServer lives there, under `peerjs`. */
  server: string | URL;
  /** Ids and token of this pairing, a `PeerServerPass`, as the server told it. */
  pass: unknown;
}

/** PeerJS's own word for "no key of its own": the token is what the server looks at. */
const KEY = 'peerjs';

/**
 * Connects to a peer through PeerJS; resolves when both lanes can send. PeerJS is loaded here, and only then. It takes
 * WebRTC and WebSocket from the globals, so a program outside a browser must put them there first.
 *
 * @throws TransportError with a code and a sentence that says what to do; RiposteError `not-loaded`.
 */
export async function connectPeerJs(options: PeerJsOptions): Promise<Transport> {
  const { signal, server } = options;
  throwIfAborted(signal);
  const pass = parsePeerServerPass(options.pass);
  if (pass === undefined) {
    throw new TransportError(
      'negotiation-failed',
      "The game server's pass for PeerJS is not understood: it may run another version. Reload the page and try again.",
    );
  }
  if (typeof globalThis.RTCPeerConnection !== 'function' || typeof globalThis.WebSocket !== 'function') {
    throw new TransportError(
      'no-webrtc',
      'This match connects its players by PeerJS, which finds no WebRTC here: it is missing or switched off. ' +
        'Try another browser, or a match with transport=simple-peer.',
    );
  }
  const PeerJs = await loadPeerJs();
  throwIfAborted(signal);

  const config = rtcConfiguration(options);
  const peer = new PeerJs(pass.id, { ...placeOf(server), key: KEY, token: pass.token, config });
  const beneath = {
    explain: connectError,
    // What is left goes from peer to peer.
    opened: () => peer.disconnect(),
    release: () => peer.destroy(),
  };
  return openLanes('peerjs', options, beneath, (lanes) => negotiate(peer, lanes, pass, options.initiator));
}

/** Node sees PeerJS's CommonJS file, whose exports it does not name; bundlers see the module. */
function loadPeerJs(): Promise<typeof Peer> {
  return loadPart(async () => {
    // Taken apart where it is loaded: else a bundler keeps all of it.
    const { Peer: named, default: whole } = await import('peerjs');
    return named ?? whole.Peer;
  });
}

function negotiate(peer: Peer, lanes: Lanes, pass: PeerServerPass, initiator: boolean): void {
  let connection: DataConnection | undefined;
  const take = (taken: DataConnection) => {
    connection = taken;
    // While the offer is still being made, so that both channels are there when it is answered.
    lanes.attach(taken.peerConnection);
    taken.on('error', (error) => lanes.ended(error));
    taken.on('close', () => lanes.ended(undefined));
  };

  peer.on('open', () => {
    if (!initiator) return;
    // Raw: PeerJS's other formats wrap messages and cut them into pieces of 16 KB.
    take(peer.connect(pass.peer, { label: 'reliable', reliable: true, serialization: 'raw' }));
    if (connection !== undefined) lanes.adoptReliable(connection.dataChannel);
  });
  peer.on('connection', (offered) => {
    if (!initiator && connection === undefined && offered.peer === pass.peer) take(offered);
    else offered.close();
  });
  peer.on('error', (error) => {
    // A candidate that cannot be used is one path less. A description that cannot is the end.
    if (error.type === 'webrtc' && connection?.peerConnection?.remoteDescription != null) return;
    lanes.connectingFailed(error);
  });
}

/** Where PeerServer is, in PeerJS's words. */
function placeOf(server: string | URL): { host: string; port: number; path: string; secure: boolean } {
  const { protocol, hostname, port, pathname } = new URL(server);
  const secure = protocol === 'https:';
  return {
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    path: `${pathname.endsWith('/') ? pathname : `${pathname}/`}peerjs/`,
    secure,
  };
}

/** @param error PeerJS's, with a `type`, or nothing when the other side went. */
function connectError(error: Error | undefined): TransportError {
  switch (error === undefined ? undefined : Reflect.get(error, 'type')) {
    case undefined:
    case 'connection-closed':
    case 'peer-unavailable':
      return connectFailure('closed', error);
    case 'negotiation-failed':
      return connectFailure('ice-failed', error);
    case 'browser-incompatible':
      return connectFailure('no-webrtc', error);
    case 'webrtc':
      return connectFailure('negotiation-failed', error);
    case 'server-error':
      return new TransportError('negotiation-failed', `The server refused: ${error?.message}`, {
        cause: error,
      });
    default:
      return new TransportError(
        'negotiation-failed',
        'The server over which the players connect was lost. Check your network and start the match again.',
        { cause: error },
      );
  }
}

import type { IceServer, PeerServerPass } from '@riposte/shared/protocol';
import type { DataConnection, Peer } from 'peerjs';
import { Lanes } from './lanes.js';
import type { Transport } from './transport.js';
import { TransportError, TransportErrorCode } from './transport-error.js';

export interface PeerJsOptions {
  /** Address of the game server, as for the lobby: its PeerServer lives there, under `peerjs`. */
  server: string | URL;
  /** Ids and token of this pairing, from the server. */
  pass: PeerServerPass;
  /** Exactly one of the two calls the other; the server says who. */
  initiator: boolean;
  iceServers: readonly IceServer[];
  /** Connects through a relay only, so that the peer does not learn this side's address. */
  relayOnly?: boolean;
  /** Gives up connecting; without effect on a connection that is open. */
  signal?: AbortSignal;
  /** Milliseconds until both lanes must be open. */
  timeoutMs?: number;
}

/** Longer than the 15 s after which browsers give up ICE, so that their verdict, which says more, comes first. */
const CONNECT_MS_MAX = 20_000;

/** PeerJS's own word for "no key of its own": the token is what the server looks at. */
const KEY = 'peerjs';

/**
 * Connects to a peer through PeerJS; resolves when both lanes can send. PeerJS is loaded here, and only then. It takes
 * WebRTC and WebSocket from the globals, so a program outside a browser must put them there first.
 *
 * @throws TransportError with a code of `TransportErrorCode` and a sentence that says what to do.
 */
export async function connectPeerJs(options: PeerJsOptions): Promise<Transport> {
  const { signal, timeoutMs = CONNECT_MS_MAX } = options;
  throwIfAborted(signal);
  if (typeof globalThis.RTCPeerConnection !== 'function' || typeof globalThis.WebSocket !== 'function') {
    throw new TransportError(
      TransportErrorCode.NoWebRtc,
      'This match connects its players by PeerJS, which finds no WebRTC here: it is missing or switched off. ' +
        'Try another browser, or a match with transport=simple-peer.',
    );
  }
  const PeerJs = await loadPeerJs();
  throwIfAborted(signal);

  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: TransportError) => {
      settle();
      lanes.abandon();
      reject(error);
    };
    const onAbort = () => fail(aborted(signal));
    const timer = setTimeout(() => fail(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', onAbort);

    const peer = new PeerJs(options.pass.id, { ...placeOf(options.server), key: KEY, ...settingsOf(options) });
    const lanes = new Lanes('peerjs', {
      open: () => {
        settle();
        // What is left goes from peer to peer.
        peer.disconnect();
        resolve(lanes);
      },
      failed: (cause) => fail(connectError(cause)),
      release: () => peer.destroy(),
    });
    negotiate(peer, lanes, options);
  });
}

/** Node sees PeerJS's CommonJS file, whose exports it does not name; bundlers see the module. */
async function loadPeerJs(): Promise<typeof Peer> {
  const { Peer: named, default: whole } = await import('peerjs');
  return named ?? whole.Peer;
}

function negotiate(peer: Peer, lanes: Lanes, { pass, initiator }: PeerJsOptions): void {
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

/** Without `config`, PeerJS would ask servers of strangers for a path. */
function settingsOf({ pass, iceServers, relayOnly }: PeerJsOptions): { token: string; config: RTCConfiguration } {
  return {
    token: pass.token,
    config: {
      iceServers: iceServers.map((server) => ({ ...server, urls: [...server.urls] })),
      ...(relayOnly === true && { iceTransportPolicy: 'relay' }),
    },
  };
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

function aborted(signal: AbortSignal | undefined): TransportError {
  return new TransportError(TransportErrorCode.Aborted, 'Connecting was cancelled.', { cause: signal?.reason });
}

function timedOut(ms: number): TransportError {
  return new TransportError(
    TransportErrorCode.Timeout,
    `The other player could not be reached within ${Math.round(ms / 1000)} s. ` +
      'A firewall or VPN on either side may be in the way: try again, or another network.',
  );
}

/** @param error PeerJS's, with a `type`, or nothing when the other side went. */
function connectError(error: Error | undefined): TransportError {
  const cause = { cause: error };
  switch (error === undefined ? undefined : Reflect.get(error, 'type')) {
    case undefined:
    case 'connection-closed':
    case 'peer-unavailable':
      return new TransportError(
        TransportErrorCode.Closed,
        'The other player left while connecting: ask for a new match.',
        cause,
      );
    case 'negotiation-failed':
      return new TransportError(
        TransportErrorCode.IceFailed,
        'No network path to the other player was found. ' +
          'A firewall or VPN on either side may be in the way: try another network, or a server with TURN.',
        cause,
      );
    case 'browser-incompatible':
      return new TransportError(
        TransportErrorCode.NoWebRtc,
        'This browser refused to open a connection to other players. Allow WebRTC, or try another browser.',
        cause,
      );
    case 'webrtc':
      return new TransportError(
        TransportErrorCode.NegotiationFailed,
        'The two players could not agree on a connection: reload both pages and try again.',
        cause,
      );
    case 'server-error':
      return new TransportError(TransportErrorCode.NegotiationFailed, `The server refused: ${error?.message}`, cause);
    default:
      return new TransportError(
        TransportErrorCode.NegotiationFailed,
        'The server over which the players connect was lost. Check your network and start the match again.',
        cause,
      );
  }
}

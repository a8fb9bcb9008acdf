import type { SignalData } from '@riposte/shared/protocol';
import type SimplePeer from '#simple-peer';
import { loadPart } from '../load-part.js';
import type { SignalPort } from '../lobby/signal-port.js';
import { type FreshIceServers, IceRestart } from './ice-restart.js';
import type { Lanes } from './lanes.js';
import { connectFailure, type OpenOptions, openLanes, rtcConfiguration, throwIfAborted } from './open-lanes.js';
import type { Transport } from './transport.js';
import { TransportError } from './transport-error.js';

/** The constructors simple-peer needs where the platform has none: what `@roamhq/wrtc` exports. */
export interface WebRtc {
  RTCPeerConnection: typeof RTCPeerConnection;
  RTCSessionDescription: typeof RTCSessionDescription;
  RTCIceCandidate: typeof RTCIceCandidate;
}

export interface SimplePeerOptions extends OpenOptions {
  /** The way to the other side while there is no connection yet. */
  signals: SignalPort;
  /** For an ICE restart; without it there is none. */
  freshIceServers?: FreshIceServers | undefined;
  /** Only outside browsers. */
  wrtc?: WebRtc | undefined;
}

/**
 * Connects to a peer over WebRTC data channels; resolves when both lanes can send.
 *
 * @throws TransportError with a code and a sentence that says what to do; RiposteError `not-loaded`.
 */
export async function connectSimplePeer(options: SimplePeerOptions): Promise<Transport> {
  const { signal, wrtc, initiator, signals, freshIceServers } = options;
  throwIfAborted(signal);
  if (wrtc === undefined && typeof globalThis.RTCPeerConnection !== 'function') {
    throw new TransportError(
      'no-webrtc',
      'This browser cannot connect to other players: WebRTC is missing or switched off. Try another browser.',
    );
  }
  const { default: Peer } = await loadPart(() => import('#simple-peer'));
  throwIfAborted(signal);

  const peer = new Peer({
    initiator,
    trickle: true,
    channelName: 'reliable',
    config: rtcConfiguration(options),
    wrtc,
  });
  const restart = freshIceServers && new IceRestart(peer, options, freshIceServers);
  const beneath = {
    explain: connectError,
    opened: () => restart?.allow(),
    restart: () => restart?.begin() === true,
    release: () => peer.destroy(),
  };
  return openLanes('simple-peer', options, beneath, (lanes) => {
    carry(peer, lanes);
    peer.on('signal', (data) => signals.send(data as SignalData)); // its negotiation steps have exactly these shapes
    signals.listen((data) => {
      if (restart !== undefined) restart.receive(data);
      else if (!peer.destroyed) peer.signal(data);
    });
  });
}

/** Puts the lanes on simple-peer's connection, past its stream: that delivers by timers, which hidden tabs delay. */
function carry(peer: SimplePeer, lanes: Lanes): void {
  let lost: Error | undefined;
  peer.on('error', (error) => {
    lost = error;
  });
  peer.on('close', () => lanes.ended(lost));
  const connection = peer._pc;
  // Absent when the browser refused to make one; the error and the close are on their way then.
  if (connection === null || connection === undefined) return;
  // Before the offer is made, which simple-peer does in a later turn: the negotiated channel is part of it.
  lanes.attach(connection);
  // The initiator has made the reliable channel, the other side is told of it.
  if (peer._channel !== null) lanes.adoptReliable(peer._channel);
}

/** @param error simple-peer's, with a `code`, or nothing when the other side went. */
function connectError(error: (Error & { code?: string }) | undefined): TransportError {
  switch (error?.code) {
    case undefined:
      return connectFailure('closed', error);
    case 'ERR_ICE_CONNECTION_FAILURE':
    case 'ERR_CONNECTION_FAILURE':
      return connectFailure('ice-failed', error);
    case 'ERR_WEBRTC_SUPPORT':
    case 'ERR_PC_CONSTRUCTOR':
      return connectFailure('no-webrtc', error);
    default:
      return connectFailure('negotiation-failed', error);
  }
}

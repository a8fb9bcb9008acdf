import type { IceServer, SignalData } from '@riposte/shared/protocol';
import type SimplePeer from 'simple-peer/simplepeer.min.js';
import type { SignalPort } from '../lobby/signal-port.js';
import type { Channel, Transport, TransportEvents } from './transport.js';
import { TransportError, TransportErrorCode } from './transport-error.js';

/** The constructors simple-peer needs where the platform has none: what `@roamhq/wrtc` exports. */
export interface WebRtc {
  RTCPeerConnection: typeof RTCPeerConnection;
  RTCSessionDescription: typeof RTCSessionDescription;
  RTCIceCandidate: typeof RTCIceCandidate;
}

export interface SimplePeerOptions {
  /** The way to the other side while there is no connection yet. */
  signals: SignalPort;
  /** Exactly one of the two begins; the server says who. */
  initiator: boolean;
  iceServers: readonly IceServer[];
  /** Only outside browsers. */
  wrtc?: WebRtc;
  /** Gives up connecting; without effect on a connection that is open. */
  signal?: AbortSignal;
  /** Milliseconds until both lanes must be open. */
  timeoutMs?: number;
}

/** Longer than the 15 s after which browsers give up ICE, so that their verdict, which says more, comes first. */
const CONNECT_MS_MAX = 20_000;

/** Both sides open this channel by themselves. Free: ids up to 1023 always are, and simple-peer's own gets 0 or 1. */
const UNRELIABLE_ID = 101;

/** Bytes queued on the unreliable lane before it drops: some 40 packets, about as late as is still of use. */
const UNRELIABLE_QUEUE_BYTES_MAX = 4 * 1024;

/** Bytes of one reliable message: what Chromium and libwebrtc announce as their limit, the lowest in use. */
export const RELIABLE_MESSAGE_BYTES_MAX = 256 * 1024;

/** Bytes kept for an owner who does not listen yet; owners listen at once, so only a hostile peer gets here. */
const EARLY_BYTES_MAX = 1024 * 1024;

/** Milliseconds for both channels' closing handshakes, which also deliver what was sent last. */
const CLOSE_MS_MAX = 1_000;

/**
 * Connects to a peer over WebRTC data channels; resolves when both lanes can send.
 *
 * @throws TransportError with a code of `TransportErrorCode` and a sentence that says what to do.
 */
export async function connectSimplePeer(options: SimplePeerOptions): Promise<Transport> {
  const { signal, wrtc, iceServers, initiator, signals, timeoutMs = CONNECT_MS_MAX } = options;
  throwIfAborted(signal);
  if (wrtc === undefined && typeof globalThis.RTCPeerConnection !== 'function') {
    throw new TransportError(
      TransportErrorCode.NoWebRtc,
      'This browser cannot connect to other players: WebRTC is missing or switched off. Try another browser.',
    );
  }
  // The file itself: the package's main entry needs Node shims that bundlers no longer bring.
  const { default: Peer } = await import('simple-peer/simplepeer.min.js');
  throwIfAborted(signal);

  const peer = new Peer({
    initiator,
    trickle: true,
    channelName: 'reliable',
    config: { iceServers: iceServers.map((server) => ({ ...server, urls: [...server.urls] })) },
    ...(wrtc === undefined ? {} : { wrtc }),
  });
  const transport = new SimplePeerTransport(peer);
  peer.on('signal', (data) => signals.send(data as SignalData)); // its negotiation steps have exactly these shapes
  signals.listen((data) => {
    if (!peer.destroyed) peer.signal(data);
  });

  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: TransportError) => {
      settle();
      transport.abandon();
      reject(error);
    };
    const onAbort = () => fail(aborted(signal));
    const timer = setTimeout(() => fail(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', onAbort);
    transport.start(() => {
      settle();
      resolve(transport);
    }, fail);
  });
}

type State = 'connecting' | 'open' | 'closed';

class SimplePeerTransport implements Transport {
  readonly kind = 'simple-peer';
  readonly #peer: SimplePeer;
  #reliable: RTCDataChannel | undefined;
  #unreliable: RTCDataChannel | undefined;
  #state: State = 'connecting';
  #error: (Error & { code?: string }) | undefined;
  #events: TransportEvents | undefined;
  #early: { channel: Channel; bytes: Uint8Array }[] = [];
  #earlyBytes = 0;
  #closeReason: string | undefined;
  #onOpen: () => void = () => {};
  #onFailed: (error: TransportError) => void = () => {};

  constructor(peer: SimplePeer) {
    this.#peer = peer;
    peer.on('error', (error) => {
      this.#error = error;
    });
    peer.on('close', () => this.#ended(this.#error));
    // Its stream must not pile up what is taken from the channel itself.
    peer.resume();
    const connection = peer._pc;
    // Absent when the browser refused to make one; the error and the close are on their way then.
    if (connection === null || connection === undefined) return;
    // Before the offer is made, which simple-peer does in a later turn: the negotiated channel is part of it.
    this.#unreliable = this.#adopt(
      'unreliable',
      connection.createDataChannel('unreliable', {
        negotiated: true,
        id: UNRELIABLE_ID,
        ordered: false,
        maxRetransmits: 0,
      }),
    );
    // The initiator has made the reliable channel, the other side is told of it.
    if (peer._channel !== null) this.#adoptReliable(peer._channel);
    connection.addEventListener('datachannel', ({ channel }) => this.#adoptReliable(channel));
  }

  /** Begins to report; for the one who made the connection. */
  start(onOpen: () => void, onFailed: (error: TransportError) => void): void {
    this.#onOpen = onOpen;
    this.#onFailed = onFailed;
    this.#checkOpen();
  }

  listen(events: TransportEvents): void {
    this.#events = events;
    this.#earlyBytes = 0;
    for (const { channel, bytes } of this.#early.splice(0)) events.message(channel, bytes);
    if (this.#closeReason !== undefined) this.#reportClose(this.#closeReason);
  }

  send(channel: Channel, bytes: Uint8Array): void {
    const lane = channel === 'reliable' ? this.#reliable : this.#unreliable;
    if (this.#state !== 'open' || lane?.readyState !== 'open') return;
    if (bytes.byteLength > RELIABLE_MESSAGE_BYTES_MAX) {
      throw new TransportError(
        TransportErrorCode.TooLarge,
        `message of ${bytes.byteLength} bytes exceeds ${RELIABLE_MESSAGE_BYTES_MAX}: send it in parts`,
      );
    }
    if (channel === 'unreliable' && lane.bufferedAmount > UNRELIABLE_QUEUE_BYTES_MAX) return;
    try {
      // Channels copy what they are given before `send` returns.
      lane.send(hasOwnBuffer(bytes) ? bytes : bytes.slice());
    } catch (error) {
      if (channel === 'reliable') this.#ended(error instanceof Error ? error : undefined);
    }
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    // The channels say goodbye to the other side; ending the connection at once would leave it to notice by itself.
    this.#reliable?.close();
    this.#unreliable?.close();
    const timer = setTimeout(() => this.#peer.destroy(), CLOSE_MS_MAX);
    this.#peer.on('close', () => clearTimeout(timer));
  }

  /** Gives up a connection that is not open. */
  abandon(): void {
    this.#state = 'closed';
    this.#peer.destroy();
  }

  #adopt(name: Channel, channel: RTCDataChannel): RTCDataChannel {
    channel.binaryType = 'arraybuffer';
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      // Text is nothing we send.
      if (data instanceof ArrayBuffer) this.#received(name, new Uint8Array(data));
    });
    channel.addEventListener('open', () => this.#checkOpen());
    if (name === 'unreliable') channel.addEventListener('close', () => this.#unreliableClosed());
    return channel;
  }

  /** Takes messages straight from the channel: simple-peer's stream delivers them by timers, which hidden tabs delay. */
  #adoptReliable(channel: RTCDataChannel): void {
    if (this.#reliable !== undefined) {
      channel.close();
      return;
    }
    this.#reliable = this.#adopt('reliable', channel);
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.#state !== 'connecting') return;
    if (this.#reliable?.readyState !== 'open' || this.#unreliable?.readyState !== 'open') return;
    this.#state = 'open';
    this.#onOpen();
  }

  #received(channel: Channel, bytes: Uint8Array): void {
    if (this.#state === 'closed') return;
    if (this.#events !== undefined) {
      this.#events.message(channel, bytes);
      return;
    }
    if (this.#earlyBytes + bytes.byteLength > EARLY_BYTES_MAX) {
      if (channel === 'reliable') this.#ended(undefined);
      return;
    }
    this.#earlyBytes += bytes.byteLength;
    this.#early.push({ channel, bytes });
  }

  /** The other side closed: its last reliable messages may still be on their way. */
  #unreliableClosed(): void {
    if (this.#state === 'closed') return;
    const timer = setTimeout(() => this.#ended(undefined), CLOSE_MS_MAX);
    this.#peer.on('close', () => clearTimeout(timer));
  }

  #ended(error: (Error & { code?: string }) | undefined): void {
    if (this.#state === 'closed') return;
    const wasConnecting = this.#state === 'connecting';
    this.#state = 'closed';
    this.#peer.destroy();
    if (wasConnecting) {
      this.#onFailed(connectError(error));
      return;
    }
    const reason =
      error === undefined
        ? 'The other player closed the connection.'
        : 'The connection to the other player was lost. Check your network and try again.';
    if (this.#events === undefined) this.#closeReason = reason;
    else this.#reportClose(reason);
  }

  #reportClose(reason: string): void {
    this.#closeReason = undefined;
    this.#events?.close(reason);
  }
}

/** Channels take no shared memory. */
function hasOwnBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
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

function connectError(error: (Error & { code?: string }) | undefined): TransportError {
  const cause = { cause: error };
  switch (error?.code) {
    case undefined:
      return new TransportError(
        TransportErrorCode.Closed,
        'The other player left while connecting: ask for a new match.',
        cause,
      );
    case 'ERR_ICE_CONNECTION_FAILURE':
    case 'ERR_CONNECTION_FAILURE':
      return new TransportError(
        TransportErrorCode.IceFailed,
        'No network path to the other player was found. ' +
          'A firewall or VPN on either side may be in the way: try another network, or a server with TURN.',
        cause,
      );
    case 'ERR_WEBRTC_SUPPORT':
    case 'ERR_PC_CONSTRUCTOR':
      return new TransportError(
        TransportErrorCode.NoWebRtc,
        'This browser refused to open a connection to other players. Allow WebRTC, or try another browser.',
        cause,
      );
    default:
      return new TransportError(
        TransportErrorCode.NegotiationFailed,
        'The two players could not agree on a connection: reload both pages and try again.',
        cause,
      );
  }
}

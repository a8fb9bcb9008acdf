import type { IceServer } from '@riposte/shared/protocol';
import { Lanes } from './lanes.js';
import type { Transport, TransportKind } from './transport.js';
import { TransportError } from './transport-error.js';

/** What every way to a peer is told. */
export interface OpenOptions {
  /** Exactly one of the two begins; the server says who. */
  initiator: boolean;
  iceServers: readonly IceServer[];
  /** Connects through a relay only, so that the peer does not learn this side's address. */
  relayOnly?: boolean;
  /** Gives up connecting; without effect on a connection that is open. */
  signal?: AbortSignal;
  /** Milliseconds until both lanes must be open. */
  timeoutMs?: number;
}

/** The library's part of a connection. */
export interface Beneath {
  /** Both lanes can send, and nothing else is needed of what made the connection. */
  opened?(): void;
  /** Looks for new paths; see `Transport.restart`. */
  restart?(): boolean;
  /** Puts the library's error into words; without one, the other side went. */
  explain(cause: Error | undefined): TransportError;
  /** Frees the connection. */
  release(): void;
}

/** Longer than the 15 s after which browsers give up ICE, so that their verdict, which says more, comes first. */
const CONNECT_MS_MAX = 20_000;

/**
 * Resolves when both lanes can send.
 *
 * @param negotiate attaches the lanes to the connection, and reports to them how it ends.
 * @throws TransportError when that takes too long, is aborted or fails; everything is released then.
 */
export function openLanes(
  kind: TransportKind,
  { signal, timeoutMs = CONNECT_MS_MAX }: OpenOptions,
  beneath: Beneath,
  negotiate: (lanes: Lanes) => void,
): Promise<Transport> {
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

    const lanes = new Lanes(kind, {
      open: () => {
        settle();
        beneath.opened?.();
        resolve(lanes);
      },
      failed: (cause) => fail(beneath.explain(cause)),
      restart: () => beneath.restart?.() === true,
      release: () => beneath.release(),
    });
    negotiate(lanes);
  });
}

/** What the browser is to use. Without one, each library would ask servers of strangers for a path. */
export function rtcConfiguration({ iceServers, relayOnly }: OpenOptions): RTCConfiguration {
  return {
    iceServers: iceServers.map((server) => ({ ...server, urls: [...server.urls] })),
    ...(relayOnly === true && { iceTransportPolicy: 'relay' }),
  };
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

function aborted(signal: AbortSignal | undefined): TransportError {
  return new TransportError('aborted', 'Connecting was cancelled.', { cause: signal?.reason });
}

function timedOut(ms: number): TransportError {
  return new TransportError(
    'timeout',
    `The other player could not be reached within ${Math.round(ms / 1000)} s. ` +
      'A firewall or VPN on either side may be in the way: try again, or another network.',
  );
}

type ConnectFailure = 'closed' | 'ice-failed' | 'no-webrtc' | 'negotiation-failed';

const WORDS: Record<ConnectFailure, string> = {
  ['closed']: 'The other player left while connecting: ask for a new match.',
  ['ice-failed']:
    'No network path to the other player was found. ' +
    'A firewall or VPN on either side may be in the way: try another network, or a server with TURN.',
  ['no-webrtc']: 'This browser refused to open a connection to other players. Allow WebRTC, or try another browser.',
  ['negotiation-failed']: 'The two players could not agree on a connection: reload both pages and try again.',
};

/** A failure that every library knows, in the same words. */
export function connectFailure(code: ConnectFailure, cause: Error | undefined): TransportError {
  return new TransportError(code, WORDS[code], { cause });
}

import { randomBytes } from 'node:crypto';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PeerServerPass } from '@riposte/shared/protocol';
import express, { type RequestHandler } from 'express';
import { ExpressPeerServer } from 'peer';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { addressKey, clientAddress, isOriginAllowed } from './address.js';
import type { ServerConfig } from './config.js';
import type { ConnectionCounter, Limits } from './limits.js';
import type { Metrics } from './metrics.js';
import { type PairedSeat, PeerPasses } from './peer-pass.js';
import { type Admission, type PeerMessage, PeerSocket } from './peer-socket.js';
import { PeerTimers } from './peer-timers.js';

/** Where PeerServer lives; PeerJS adds its own name for the websocket. */
const MOUNT_PATH = '/peerjs';
const SOCKET_PATH = '/peerjs/peerjs';

/** socket.io answers what begins so by itself. */
const SOCKET_IO_PATH = '/socket.io/';

/** PeerJS's own name for everybody's key. The token is what counts. */
const KEY = 'peerjs';

/** Bytes of one message, as on the other websocket. */
const MESSAGE_BYTES_MAX = 32 * 1024;

/** Milliseconds a peer may stay: three times what connecting may take. Peers that are connected have no business here. */
const STAY_MS_MAX = 60_000;

/** Milliseconds PeerServer keeps messages for a peer that has not come yet; longer than both of them try. */
const KEEP_MS = 30_000;

/** Connections beyond the caps that are let in to be refused in words. */
const REFUSAL_SLOTS = 16;

export interface PeerServerOptions {
  http: HttpServer;
  config: ServerConfig;
  /** Whether this pairing lives; if so, its room counts as in use from here on, so that draining waits for it. */
  isLive(paired: PairedSeat): Promise<boolean>;
  limits: Limits;
  /** Shared with the other websockets: a cap is a cap. */
  connections: ConnectionCounter;
  metrics: Metrics;
  log: Logger;
}

/** PeerServer, for pairings whose peers connect by PeerJS. */
export interface MountedPeerServer {
  /** Its plain HTTP side: says what it is, and gives neither ids nor a list of them. */
  readonly handler: RequestHandler;
  /** Lets a seat negotiate with the other side of its pairing, for as long as the pairing lives. */
  passFor(paired: PairedSeat): PeerServerPass;
  /** Ends every connection. */
  close(): void;
}

/**
 * Mounts PeerServer under `/peerjs` beside socket.io: the same Origin rule, addresses, limits and caps. A peer needs an
 * id and a token of ours, and reaches only the other seat of its pairing.
 */
export function createPeerServer(options: PeerServerOptions): MountedPeerServer {
  const { http, config, isLive, limits, connections, metrics, log } = options;
  const passes = new PeerPasses(randomBytes(32));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false });
  const timers = new PeerTimers();
  let serial = 0;

  const peerServer = ExpressPeerServer(http, {
    key: KEY,
    allow_discovery: false,
    corsOptions: { origin: false },
    concurrent_limit: config.connectionsMax,
    expire_timeout: KEEP_MS,
    createWebSocketServer: () => sockets,
  });
  peerServer.on('error', (error) => log.debug({ err: error }, 'PeerServer'));
  const handler = express();
  // Neither has anything to say about other paths; both would, by this header.
  for (const app of [peerServer, handler]) app.disable('x-powered-by');
  handler.use(MOUNT_PATH, (request, response, next) => {
    if (request.path === '/') next();
    else response.status(404).type('text').send('Not found.');
  });
  // It starts as it is mounted.
  timers.capture(() => handler.use(MOUNT_PATH, peerServer));

  const addressOf = (request: IncomingMessage) => addressKey(clientAddress(request, config.trustProxyHops));

  const admit = async (holder: PairedSeat, id: string, address: string, message: PeerMessage): Promise<Admission> => {
    if (limits.message(id, address) !== 'pass') {
      log.warn({ address, room: holder.room, seat: holder.seat }, 'PeerServer: too many messages');
      metrics.refused('rate-limited');
      return { ok: false, message: 'Too many requests from here: wait a minute and try again.' };
    }
    if (message.type === 'HEARTBEAT') return { ok: true };
    if (message.dst !== passes.peerIdOf(holder)) return { ok: false, message: 'This peer is not in your match.' };
    if (await isLive(holder)) {
      metrics.relayed('peerjs');
      return { ok: true };
    }
    return { ok: false, message: 'The other player is not in this match any more.' };
  };

  const accept = async (socket: WebSocket, request: IncomingMessage) => {
    const address = addressOf(request);
    const limitId = `peerjs ${serial++}`;
    const { searchParams } = new URL(request.url ?? '', 'http://peerjs');
    const holder = passes.check(searchParams.get('id') ?? '', searchParams.get('token') ?? '');
    connections.opened(address);
    const leave = setTimeout(() => socket.terminate(), STAY_MS_MAX).unref();
    const peerSocket = new PeerSocket(socket, async (message) =>
      holder === undefined ? NO_PASS : admit(holder, limitId, address, message),
    );
    socket.on('close', () => {
      clearTimeout(leave);
      connections.closed(address);
    });
    if (connections.isOver(address, 0)) {
      metrics.refused('server-full');
      peerSocket.refuse('The server has too many connections: try again in a while.');
      return;
    }
    const live = holder !== undefined && (await isLive(holder));
    if (!live) peerSocket.refuse(NO_PASS.message);
    else if (socket.readyState === socket.OPEN) sockets.emit('connection', peerSocket, request);
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '').split('?')[0];
    if (path.startsWith(SOCKET_IO_PATH)) return;
    socket.on('error', () => undefined);
    if (path !== SOCKET_PATH) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    const { origin, host } = request.headers;
    if (!isOriginAllowed(origin, host, config.allowedOrigins)) {
      log.warn({ origin, host }, 'origin refused');
      metrics.refused('foreign-origin');
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nthis origin may not connect: see ALLOWED_ORIGINS');
      return;
    }
    // The asking connection is not counted yet, hence one less.
    if (connections.isOver(addressOf(request), REFUSAL_SLOTS - 1)) {
      metrics.refused('too-many-connections');
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\ntoo many connections');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      accept(webSocket, request).catch((error: unknown) => {
        log.error({ err: error }, 'PeerServer: connection failed');
        webSocket.terminate();
      });
    });
  };
  http.on('upgrade', onUpgrade);

  return {
    handler,
    passFor: (paired) => passes.issue(paired),
    close: () => {
      http.off('upgrade', onUpgrade);
      timers.stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

const NO_PASS = { ok: false, message: 'This connection belongs to no match: create or join one first.' } as const;

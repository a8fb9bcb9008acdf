import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp, HTTP_CHECK_EVERY_MS, HTTP_HEAD_MS_MAX, HTTP_REQUEST_MS_MAX } from './app.js';
import { connectCluster } from './cluster.js';
import { defaultConfig, type ServerConfig } from './config.js';
import { type Lifecycle, PAIRING_QUIET_MS, settle } from './drain.js';
import { createIceSource } from './ice.js';
import { ConnectionCounter, Limits } from './limits.js';
import { createLogger } from './log.js';
import { Matchmaking } from './matchmaking.js';
import { Metrics } from './metrics.js';
import { createPeerServer } from './peer-server.js';
import { createRandomPool } from './random-pool.js';
import { Rooms } from './rooms.js';
import { boundSilentConnections } from './silent-connections.js';
import { createSocketHub, GOODBYE_MS_MAX } from './sockets.js';
import { createMemoryStore } from './store/memory.js';
import { type RoomStore, StoreAwayError } from './store/store.js';
import { systemTimers, type Timers } from './timers.js';

/** How often idle rooms are looked for. A room lives up to this much longer than its time. */
const EXPIRE_EVERY_MS = 10_000;

/** How often seats are looked for whose owners did not come back: so much longer does the other player wait. */
const EXPIRE_SEATS_EVERY_MS = 1_000;

/** How often servers that share a store say that they are alive. */
const BEAT_EVERY_MS = 1_000;

/** How often those who wait for a quick match are looked at again: whom they accept widens every few seconds. */
const MATCH_EVERY_MS = 1_000;

export interface RunningServer {
  /** Where it is reached from this machine, or `PUBLIC_URL`. */
  readonly url: string;
  readonly port: number;
  /** Refuses new rooms, tells everybody, waits for pairings under way (at most `drainS`), then closes. */
  drain(): Promise<void>;
  /** Closes idle rooms now instead of at the next look; gives how many. */
  expireRooms(): Promise<number>;
  /** Frees seats whose owners did not come back in time, now instead of at the next look. */
  expireSeats(): Promise<void>;
  /** Looks at those who wait for a quick match now instead of at the next look. */
  matchWaiting(): Promise<void>;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/** What the server takes from the machine, so that a test can bring its own. */
export interface ServerParts extends Timers {
  /** Where rooms live; absent: in Redis, or in this process. */
  store?: RoomStore;
  /** Where the log goes; absent: JSON lines on stdout. */
  log?: Logger;
}

/**
 * Starts a signaling server.
 *
 * @param settings what differs from the defaults; `port: 0` takes a free port.
 * @throws the socket's own error, with `code` such as `EADDRINUSE`, when it cannot listen.
 */
export async function startServer(
  settings: Partial<ServerConfig> = {},
  parts: ServerParts = systemTimers,
): Promise<RunningServer> {
  const config: ServerConfig = { ...defaultConfig, ...settings };
  const log = parts.log ?? createLogger(config.logLevel);
  const lifecycle: Lifecycle = { draining: false };
  const cluster =
    config.redisUrl === undefined
      ? undefined
      : connectCluster({
          url: config.redisUrl,
          onRetry: () => metrics.stepRetried(),
          onAway: () => hub.doubtStore(),
        });
  const store = parts.store ?? cluster?.store ?? createMemoryStore();
  // Servers that share a store share the clock of the day, and each has its own of any other kind.
  const now = cluster === undefined ? parts.now : parts.unixMs;
  const rooms = new Rooms({
    store,
    ...(cluster !== undefined && { node: cluster.node }),
    now,
    randomBytes: createRandomPool(),
    ttlMs: config.roomTtlS * 1000,
    seatAwayMs: config.seatAwayS * 1000,
  });
  const limits = new Limits(config.limits, parts.now);
  const connections = new ConnectionCounter(config.connectionsMax, config.connectionsPerAddressMax);
  const metrics = new Metrics({ connections: () => connections.total, rooms: () => rooms.count(PAIRING_QUIET_MS) });
  const http = createServer({
    headersTimeout: HTTP_HEAD_MS_MAX,
    requestTimeout: HTTP_REQUEST_MS_MAX,
    connectionsCheckingInterval: HTTP_CHECK_EVERY_MS,
  });
  boundSilentConnections(http, config, () => metrics.refused('too-many-connections'));
  const peerServer = createPeerServer({
    http,
    config,
    isLive: async ({ seat, peer, pairing }) => {
      const { ok } = await rooms.peerOf(seat, peer, pairing);
      if (ok) hub.negotiates(seat);
      return ok;
    },
    limits,
    connections,
    metrics,
    log,
  });
  http.on(
    'request',
    createApp({ config, lifecycle, checkStore: () => store.check(), peerServer: peerServer.handler, metrics, log }),
  );
  const hub = createSocketHub({
    http,
    config,
    cluster,
    rooms,
    matchmaking: new Matchmaking({ store, rooms, now }),
    ice: createIceSource({ ...config, unixMs: parts.unixMs }),
    limits,
    connections,
    peerServer,
    lifecycle,
    timers: parts,
    metrics,
    log,
  });

  await cluster?.opened();
  // From its first seat on, the others look after this server's players.
  await hub.beat();
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen({ port: config.port, ...(config.host === undefined ? {} : { host: config.host }) }, () => {
      http.off('error', reject);
      resolve();
    });
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no TCP port');
  const { port } = address;

  const every = (ms: number, job: () => Promise<unknown>) =>
    setInterval(() => {
      job().catch((error: unknown) => {
        if (!(error instanceof StoreAwayError)) log.error({ err: error }, 'round failed');
      });
    }, ms).unref();
  const rounds = [
    every(EXPIRE_EVERY_MS, hub.expireRooms),
    every(EXPIRE_SEATS_EVERY_MS, hub.expireSeats),
    every(MATCH_EVERY_MS, hub.matchWaiting),
    every(BEAT_EVERY_MS, hub.beat),
  ];

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      for (const round of rounds) clearInterval(round);
      peerServer.close();
      const closed = hub.close();
      // A browser keeps its HTTP connections; websockets are not among these.
      http.closeAllConnections();
      await closed;
      log.info('closed');
    })();
    return closing;
  };

  log.info({ port, host: config.host, publicUrl: config.publicUrl }, 'listening');
  return {
    url: config.publicUrl ?? `http://${displayHost(config.host)}:${port}`,
    port,
    expireRooms: () => hub.expireRooms(),
    expireSeats: () => hub.expireSeats(),
    matchWaiting: () => hub.matchWaiting(),
    close,
    drain: async () => {
      lifecycle.draining = true;
      // Less the time that closing may take.
      const deadline = parts.now() + Math.max(0, config.drainS * 1000 - GOODBYE_MS_MAX);
      log.info({ withinS: config.drainS }, 'draining');
      await hub.announceDrain();
      await settle({
        deadline,
        pairings: () => hub.pairingsUnderWay(),
        now: parts.now,
        wait: (ms) => wait(ms),
      });
      await close();
    },
  };
}

function displayHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

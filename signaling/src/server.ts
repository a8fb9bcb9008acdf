import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createApp, HTTP_HEAD_MS_MAX, HTTP_REQUEST_MS_MAX } from './app.js';
import { defaultConfig, type ServerConfig } from './config.js';
import { type Lifecycle, settle } from './drain.js';
import { stunSource } from './ice.js';
import { Limits } from './limits.js';
import { createLogger } from './log.js';
import { Rooms } from './rooms.js';
import { createSocketHub, GOODBYE_MS_MAX } from './sockets.js';
import { createMemoryStore } from './store/memory.js';

/** How often idle rooms are looked for. A room lives up to this much longer than its time. */
const EXPIRE_EVERY_MS = 10_000;

export interface RunningServer {
  /** Where it is reached from this machine, or `PUBLIC_URL`. */
  readonly url: string;
  readonly port: number;
  /** Refuses new rooms, tells everybody, waits for pairings under way (at most `drainS`), then closes. */
  drain(): Promise<void>;
  /** Closes idle rooms now instead of at the next look; gives how many. */
  expireRooms(): Promise<number>;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/** What the server takes from the machine, so that a test can bring its own. */
export interface ServerParts {
  /** Milliseconds, any origin, never backwards. */
  now(): number;
}

/**
 * Starts a signaling server.
 *
 * @param settings what differs from the defaults; `port: 0` takes a free port.
 * @throws the socket's own error, with `code` such as `EADDRINUSE`, when it cannot listen.
 */
export async function startServer(
  settings: Partial<ServerConfig> = {},
  parts: ServerParts = { now: () => performance.now() },
): Promise<RunningServer> {
  const config: ServerConfig = { ...defaultConfig, ...settings };
  const log = createLogger(config.logLevel);
  const lifecycle: Lifecycle = { draining: false };
  const store = createMemoryStore();
  const rooms = new Rooms({ store, now: parts.now, randomBytes, ttlMs: config.roomTtlS * 1000 });
  const http = createServer(
    { headersTimeout: HTTP_HEAD_MS_MAX, requestTimeout: HTTP_REQUEST_MS_MAX },
    createApp({ config, lifecycle, log }),
  );
  const hub = createSocketHub({
    http,
    config,
    store,
    rooms,
    ice: stunSource(config.stunUrls),
    limits: new Limits(config.limits),
    lifecycle,
    log,
  });

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

  const expiry = setInterval(() => {
    hub.expireRooms().catch((error: unknown) => log.error({ err: error }, 'rooms could not be expired'));
  }, EXPIRE_EVERY_MS);
  expiry.unref();

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      clearInterval(expiry);
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

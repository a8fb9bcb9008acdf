import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reply, SignalingErrorCode } from '@riposte/shared/protocol';
import type { Logger } from 'pino';
import { Server } from 'socket.io';
import { addressKey, clientAddress, isOriginAllowed } from './address.js';
import type { Cluster } from './cluster.js';
import type { ServerConfig } from './config.js';
import { Connections } from './connections.js';
import { type Lifecycle, PAIRING_QUIET_MS } from './drain.js';
import { dropSlowConsumer, type EngineSocket, keepOrder } from './engine-socket.js';
import { GatheringWebSocketServer } from './gathering-websocket.js';
import { Heartbeat } from './heartbeat.js';
import type { IceSource } from './ice.js';
import type { ConnectionCounter, Limits } from './limits.js';
import type { Matchmaking } from './matchmaking.js';
import type { Metrics } from './metrics.js';
import { Decoder, Encoder } from './packets.js';
import { PairWatch } from './pair-watch.js';
import type { MountedPeerServer } from './peer-server.js';
import { DRAINING_MESSAGE, refuse, storeAway, tooFast } from './refusals.js';
import { createRequests } from './requests.js';
import type { Rooms } from './rooms.js';
import { Seating } from './seating.js';
import type { Answer, PeerSocket, SignalingServer } from './socket-types.js';
import { attempt, type Soon, soon } from './soon.js';
import { StoreAwayError } from './store/store.js';
import type { Timers } from './timers.js';
import { Turns } from './turns.js';

/** Bytes of one message. The largest real one, a description, is below 16 KiB. */
const MESSAGE_BYTES_MAX = 32 * 1024;

/** Milliseconds a websocket may stay open without saying that it speaks socket.io. */
const HANDSHAKE_MS_MAX = 10_000;

/** Requests of one connection that wait for their turn; bounds what a flood can hold in memory. */
const WAITING_REQUESTS_MAX = 64;

/** Requests beyond these that are refused in words; whoever sends more does not wait for answers. */
const OVERFLOW_MAX = 256;

/** Characters of an event's name in the log. */
const EVENT_LENGTH_MAX = 32;

/** Connections beyond the caps that are let in to be refused in words; beyond these the upgrade itself is refused. */
const REFUSAL_SLOTS = 16;

/** Milliseconds that clients have to take the last messages when the server closes. */
export const GOODBYE_MS_MAX = 500;

export interface SocketHubOptions {
  http: HttpServer;
  config: ServerConfig;
  /** The servers that share the store; absent: there are no others. */
  cluster: Cluster | undefined;
  rooms: Rooms;
  matchmaking: Matchmaking;
  ice: IceSource;
  limits: Limits;
  /** Counts every websocket of this server. */
  connections: ConnectionCounter;
  peerServer: MountedPeerServer;
  lifecycle: Lifecycle;
  timers: Timers;
  metrics: Metrics;
  log: Logger;
}

/** The socket.io side of the server. */
export interface SocketHub {
  /** Closes rooms that were idle for too long and tells those in them; gives how many. */
  expireRooms(): Promise<number>;
  /** Frees the seats whose owners did not come back in time. */
  expireSeats(): Promise<void>;
  /** Looks again at everybody who waits for a quick match: whom they accept widens with time. */
  matchWaiting(): Promise<void>;
  /** Says that this server is alive to those that share the store, and sees to the seats of those that are not. */
  beat(): Promise<void>;
  /** A seat negotiates by other means than signals. */
  negotiates(seat: string): void;
  /** What was asked of the store may or may not have been done. */
  doubtStore(): void;
  /**
   * Tells everybody that the server stops. Rooms in which somebody waits alone are closed, unless another server can take
   * them over.
   */
  announceDrain(): Promise<void>;
  /** Players who are negotiating right now. */
  pairingsUnderWay(): number;
  /** Ends every connection, after what was told last; takes at most `GOODBYE_MS_MAX`. */
  close(): Promise<void>;
}

export function createSocketHub(options: SocketHubOptions): SocketHub {
  const { config, cluster, rooms, matchmaking, ice, limits, connections, peerServer, lifecycle, timers, metrics, log } =
    options;
  const addressOf = (request: IncomingMessage) => addressKey(clientAddress(request, config.trustProxyHops));

  const io: SignalingServer = new Server(options.http, {
    ...(cluster !== undefined && { adapter: cluster.adapter }),
    transports: ['websocket'],
    perMessageDeflate: false,
    wsEngine: GatheringWebSocketServer,
    parser: { Encoder, Decoder },
    httpCompression: false,
    serveClient: false,
    // The mounted PeerServer sees to what is not for socket.io.
    destroyUpgrade: false,
    maxHttpBufferSize: MESSAGE_BYTES_MAX,
    connectTimeout: HANDSHAKE_MS_MAX,
    allowRequest: (request, decide) => {
      const { origin, host } = request.headers;
      if (!isOriginAllowed(origin, host, config.allowedOrigins)) {
        log.warn({ origin, host }, 'origin refused');
        metrics.refused('foreign-origin');
        decide('this origin may not connect: see ALLOWED_ORIGINS', false);
        return;
      }
      // The asking connection is not counted yet, hence one less.
      const refused = connections.isOver(addressOf(request), REFUSAL_SLOTS - 1);
      if (refused) metrics.refused('too-many-connections');
      decide(refused ? 'too many connections' : null, !refused);
    },
  });

  io.engine.on('connection', (raw: EngineSocket) => {
    const address = addressOf(raw.request);
    connections.opened(address);
    // Only servers that share a store tell by broadcasts what has an order.
    if (cluster !== undefined) keepOrder(raw);
    dropSlowConsumer(raw, () => {
      log.warn({ address }, 'slow consumer: connection cut');
      metrics.refused('slow-consumer');
    });
    raw.on('close', () => connections.closed(address));
  });

  // A refused upgrade tells a browser nothing; a refused namespace tells it why.
  io.use((socket, next) => {
    const refuseAs = (code: SignalingErrorCode, message: string) => {
      metrics.refused(code);
      next(refusedConnection(code, message));
    };
    if (lifecycle.draining) refuseAs('server-draining', DRAINING_MESSAGE);
    else if (connections.isOver(addressOf(socket.request), 0)) {
      refuseAs('server-full', 'The server has too many connections: try again in a while.');
    } else next();
  });

  const held = new Connections({ io, shared: cluster !== undefined, timers });
  const seating = new Seating({ connections: held, rooms, matchmaking, ice, peerServer, limits, metrics, log });
  const handle = createRequests({
    rooms,
    shared: cluster !== undefined,
    connections: held,
    matchmaking,
    seating,
    ice,
    limits,
    lifecycle,
  });
  const heartbeat =
    cluster &&
    new Heartbeat({
      node: cluster.node,
      registry: cluster.registry,
      now: timers.now,
      held: () => rooms.heldBy(cluster.node),
      isHere: (seat) => held.isHere(seat),
      lose: (node, isLost) => seating.lose(node, isLost),
      cutAll: () => {
        for (const socket of held.here) socket.disconnect(true);
      },
      log,
    });

  const cutFlood = (socket: PeerSocket) => {
    if (!socket.connected) return;
    log.warn(about(socket), 'flood: connection cut');
    metrics.refused('flood');
    socket.disconnect(true);
  };

  const answer = (socket: PeerSocket, event: string, payload: unknown): Soon<Answer> => {
    const verdict = limits.message(socket.id, socket.data.address);
    if (verdict === 'cut') cutFlood(socket);
    if (verdict !== 'pass') return { reply: tooFast() };
    return handle(socket, event, payload);
  };

  io.on('connection', (socket) => {
    socket.data.address = addressOf(socket.request);
    socket.data.seat = undefined;
    const watch = new PairWatch(metrics, timers.now);
    socket.onAnyOutgoing((event: string, message: unknown) => {
      watch.told(event);
      held.told(socket, event, message);
    });
    let overflow = 0;
    const turns = new Turns((error) => {
      // Told already, and once for all.
      if (!(error instanceof StoreAwayError)) log.error({ ...about(socket), err: error }, 'request failed');
    });
    socket.data.enqueue = (job) => turns.take(job);

    // One door for every event, known or not: no handler can be reached unchecked, and none can throw into socket.io, to
    // which nothing is passed on.
    socket.use(([event, ...args]) => {
      const askedAt = timers.now();
      const last = args.at(-1);
      // Without an acknowledgement function there is nobody to answer; the request itself is still a request.
      const reply = (value: Reply, unasked?: () => void) => {
        if (!value.ok) metrics.refused(value.error.code);
        else if (event === 'leave-room') watch.ended();
        if (typeof last === 'function') last(value);
        else unasked?.();
      };
      if (turns.waiting >= WAITING_REQUESTS_MAX) {
        reply(tooFast());
        if (++overflow > OVERFLOW_MAX) cutFlood(socket);
        return;
      }
      const payload = typeof args[0] === 'function' || args.length === 0 ? {} : args[0];
      const give = ({ reply: value, seated, unasked, after }: Answer) => {
        if (seated !== undefined) watch.seated(seated, askedAt);
        reply(value, unasked);
        if (log.isLevelEnabled('debug')) {
          log.debug(
            { ...about(socket), event: nameOf(event), refused: value.ok ? undefined : value.error.code },
            'answered',
          );
        }
        return after?.();
      };
      const fail = (error: unknown) => {
        if (error instanceof StoreAwayError) {
          reply(storeAway());
          return;
        }
        log.error({ ...about(socket), err: error, event: nameOf(event) }, 'request failed');
        reply(refuse('internal-error', 'The server could not do that: try again.'));
      };
      void turns.take(() => attempt(() => soon(answer(socket, event, payload), give), fail));
    });

    socket.on('disconnect', () => {
      // In the queue, so that a seat that is just being taken counts as well.
      void turns.take(async () => {
        watch.ended();
        await limits.forget(socket.id);
        await seating.disconnected(socket);
      });
    });
  });

  return {
    expireRooms: () => seating.expireRooms(),

    expireSeats: () => seating.expireSeats(),

    matchWaiting: () => seating.matchWaiting(),

    beat: async () => heartbeat?.beat(),

    negotiates: (seat) => held.negotiates(seat),

    doubtStore: () => heartbeat?.doubt(),

    announceDrain: async () => {
      io.local.emit('draining', { message: DRAINING_MESSAGE });
      if (cluster !== undefined) return;
      const jobs = held.here.map((socket) =>
        socket.data.enqueue(async () => {
          const { seat } = socket.data;
          const room = seat === undefined ? undefined : await rooms.roomOf(seat.id);
          if (room === undefined || room.started) return;
          await seating.leave(socket);
          socket.emit('room-closed', { room: room.code, reason: 'draining' });
        }),
      );
      await Promise.all(jobs);
    },

    pairingsUnderWay: () => held.negotiatingSince(timers.now() - PAIRING_QUIET_MS),

    close: async () => {
      // `io.close()` alone throws away what was told last: why a room closed, for one.
      const sockets = [...io.sockets.sockets.values()];
      const flushed = sockets.map(({ conn }) => new Promise<void>((resolve) => conn.once('close', () => resolve())));
      io.local.disconnectSockets(true);
      const patience = new AbortController();
      const enough = wait(GOODBYE_MS_MAX, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([Promise.all(flushed), enough]);
      await io.close();
      // Their seats are marked away, so that nobody has to find out that this server is gone.
      const left = sockets.map(({ data }) => data.enqueue(async () => undefined));
      const isComplete = await Promise.race([Promise.all(left).then(() => true), enough]);
      patience.abort();
      if (isComplete === true) await cluster?.registry.forget(cluster.node).catch(() => undefined);
      cluster?.close();
    },
  };
}

/** Which connection a line of the log is about, and which seat of which room it holds. */
function about({ id, data: { address, seat } }: PeerSocket) {
  return { connection: id, address, room: seat?.room, seat: seat?.id };
}

/** An event as the log has it. */
function nameOf(event: unknown): string {
  return String(event).slice(0, EVENT_LENGTH_MAX);
}

/** socket.io sends `data` of a middleware's error to the client. */
function refusedConnection(code: SignalingErrorCode, message: string): Error {
  return Object.assign(new Error(message), { data: { code, message } });
}

import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ClientEvent,
  type ClientRequest,
  type ClientToServerEvents,
  PeerLeftReason,
  parseClientRequest,
  type Reply,
  RoomClosedReason,
  type ServerToClientEvents,
  SignalingErrorCode,
} from '@riposte/shared/protocol';
import type { Logger } from 'pino';
import { Server, type Socket } from 'socket.io';
import { addressKey, clientAddress, isOriginAllowed } from './address.js';
import type { ServerConfig } from './config.js';
import { type Lifecycle, PAIRING_QUIET_MS } from './drain.js';
import type { IceSource } from './ice.js';
import { ConnectionCounter, type Limits } from './limits.js';
import { quickMatch } from './matchmaking.js';
import { type Entry, type Outcome, pairsOf, type Rooms, refuse } from './rooms.js';
import type { Room, RoomStore, Seat } from './store/store.js';

/** Bytes of one message. The largest real one, a description, is below 16 KiB. */
const MESSAGE_BYTES_MAX = 32 * 1024;

/** Milliseconds a websocket may stay open without saying that it speaks socket.io. */
const HANDSHAKE_MS_MAX = 10_000;

/** Requests of one connection that wait for their turn; bounds what a flood can hold in memory. */
const WAITING_REQUESTS_MAX = 64;

/** Connections beyond the caps that are let in to be refused in words; beyond these the upgrade itself is refused. */
const REFUSAL_SLOTS = 16;

/** Milliseconds that clients have to take the last messages when the server closes. */
export const GOODBYE_MS_MAX = 500;

interface SocketData {
  address: string;
  /** The seat this connection holds. */
  seat: { room: string; id: string } | undefined;
  /** Runs jobs of this connection one after the other, so that no two of its requests cross. */
  enqueue: (job: () => Promise<void>) => Promise<void>;
}

// The third parameter is what servers say to each other: nothing.
type SignalingServer = Server<ClientToServerEvents, ServerToClientEvents, Record<never, never>, SocketData>;
type PeerSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<never, never>, SocketData>;

/** `after` runs once the reply is on its way, so that nobody hears of a pairing before their own seat. */
interface Answer {
  reply: Reply;
  after?: () => Promise<void>;
}

export interface SocketHubOptions {
  http: HttpServer;
  config: ServerConfig;
  store: RoomStore;
  rooms: Rooms;
  ice: IceSource;
  limits: Limits;
  lifecycle: Lifecycle;
  log: Logger;
}

/** The socket.io side of the server. */
export interface SocketHub {
  /** Closes rooms that were idle for too long and tells those in them; gives how many. */
  expireRooms(): Promise<number>;
  /** Tells everybody that the server stops, and closes the rooms in which somebody waits alone. */
  announceDrain(): Promise<void>;
  /** Rooms whose peers are negotiating right now. */
  pairingsUnderWay(): Promise<number>;
  /** Ends every connection, after what was told last; takes at most `GOODBYE_MS_MAX`. */
  close(): Promise<void>;
}

export function createSocketHub(options: SocketHubOptions): SocketHub {
  const { config, store, rooms, ice, limits, lifecycle, log } = options;
  const connections = new ConnectionCounter(config.connectionsMax, config.connectionsPerAddressMax);
  const bySeat = new Map<string, PeerSocket>();
  const addressOf = (request: IncomingMessage) => addressKey(clientAddress(request, config.trustProxyHops));

  const io: SignalingServer = new Server(options.http, {
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    serveClient: false,
    maxHttpBufferSize: MESSAGE_BYTES_MAX,
    connectTimeout: HANDSHAKE_MS_MAX,
    allowRequest: (request, decide) => {
      const { origin, host } = request.headers;
      if (!isOriginAllowed(origin, host, config.allowedOrigins)) {
        log.warn({ origin, host }, 'origin refused');
        decide('this origin may not connect: see ALLOWED_ORIGINS', false);
        return;
      }
      // The asking connection is not counted yet, hence one less.
      const refused = connections.isOver(addressOf(request), REFUSAL_SLOTS - 1);
      decide(refused ? 'too many connections' : null, !refused);
    },
  });

  io.engine.on('connection', (raw: { request: IncomingMessage; on(event: 'close', listener: () => void): void }) => {
    const address = addressOf(raw.request);
    connections.opened(address);
    raw.on('close', () => connections.closed(address));
  });

  // A refused upgrade tells a browser nothing; a refused namespace tells it why.
  io.use((socket, next) => {
    if (lifecycle.draining) next(refusedConnection(SignalingErrorCode.ServerDraining, DRAINING_MESSAGE));
    else if (connections.isOver(addressOf(socket.request), 0)) {
      next(
        refusedConnection(SignalingErrorCode.ServerFull, 'The server has too many connections: try again in a while.'),
      );
    } else next();
  });

  const tellPair = (room: Room, seat: Seat, peer: Seat, initiator: boolean) => {
    io.to(seat.id).emit('paired', {
      room: room.code,
      player: seat.player,
      initiator,
      peer: { seat: peer.id, player: peer.player, ...(peer.name === undefined ? {} : { name: peer.name }) },
      iceServers: ice.serversFor(seat.id),
    });
  };

  const tellLeft = (remaining: readonly Seat[], seat: string, reason: PeerLeftReason) => {
    for (const { id } of remaining) io.to(id).emit('peer-left', { seat, reason });
  };

  const announcePairs = async (room: Room) => {
    for (const { initiator, responder } of pairsOf(room)) {
      tellPair(room, initiator, responder, true);
      tellPair(room, responder, initiator, false);
    }
    log.info({ room: room.code, seats: room.seats.map(({ id }) => id) }, 'paired');
    // Somebody may have left while the last seat was being taken, before its owner could be told anything.
    const seats = (await rooms.find(room.code))?.seats ?? [];
    for (const gone of room.seats.filter(({ id }) => !seats.some((seat) => seat.id === id))) {
      tellLeft(seats, gone.id, PeerLeftReason.Disconnected);
    }
  };

  const release = (socket: PeerSocket) => {
    if (socket.data.seat === undefined) return;
    bySeat.delete(socket.data.seat.id);
    void socket.leave(socket.data.seat.id);
    socket.data.seat = undefined;
  };

  const leave = async (socket: PeerSocket, reason: PeerLeftReason) => {
    const { seat } = socket.data;
    if (seat === undefined) return;
    release(socket);
    const room = await rooms.leave(seat.room, seat.id);
    tellLeft(room?.seats ?? [], seat.id, reason);
    log.debug({ room: seat.room, seat: seat.id, reason }, 'seat left');
  };

  const takeSeat = async (socket: PeerSocket, ask: () => Promise<Outcome<Entry>>): Promise<Answer> => {
    if (lifecycle.draining) return { reply: refuse(SignalingErrorCode.ServerDraining, DRAINING_MESSAGE) };
    if (socket.data.seat !== undefined) {
      const { room } = socket.data.seat;
      return { reply: refuse(SignalingErrorCode.AlreadyInRoom, `You are in match ${room} already: leave it first.`) };
    }
    if (!(await limits.admitJoin(socket.data.address))) return { reply: tooFast() };
    const outcome = await ask();
    if (!outcome.ok) return { reply: outcome };
    const { grant, room } = outcome.value;
    socket.data.seat = { room: room.code, id: grant.seat };
    bySeat.set(grant.seat, socket);
    await socket.join(grant.seat);
    log.info({ room: room.code, seat: grant.seat, player: grant.player, access: room.access }, 'seat taken');
    const reply = { ok: true as const, ...grant };
    return room.started ? { reply, after: () => announcePairs(room) } : { reply };
  };

  const handlers = new Map<string, (socket: PeerSocket, payload: unknown) => Promise<Answer>>();
  const handle = <E extends ClientEvent>(
    event: E,
    run: (socket: PeerSocket, request: ClientRequest<E>) => Promise<Answer>,
  ) => {
    handlers.set(event, async (socket, payload) => {
      const parsed = parseClientRequest(event, payload);
      return parsed.ok
        ? run(socket, parsed.value)
        : { reply: refuse(SignalingErrorCode.BadRequest, `${event}: ${parsed.message}`) };
    });
  };

  handle('create-room', (socket, { name, ...key }) => takeSeat(socket, () => rooms.create(key, name)));

  handle('join-room', (socket, { code, game, name }) =>
    takeSeat(socket, async () => {
      const outcome = await rooms.join(code, game, name);
      if (!outcome.ok) await limits.failedJoin(socket.data.address);
      return outcome;
    }),
  );

  handle('quick-match', (socket, { name, ...key }) => takeSeat(socket, () => quickMatch(rooms, store, key, name)));

  handle('leave-room', async (socket) => {
    await leave(socket, PeerLeftReason.Left);
    return { reply: { ok: true } };
  });

  handle('signal', async (socket, { to, data }) => {
    const from = socket.data.seat;
    if (from === undefined) {
      return { reply: refuse(SignalingErrorCode.NotInRoom, 'You are in no match: create or join one first.') };
    }
    const peer = await rooms.peerOf(from.room, from.id, to);
    if (!peer.ok) return { reply: peer };
    io.to(peer.value.id).emit('signal', { from: from.id, data });
    return { reply: { ok: true } };
  });

  const answer = async (socket: PeerSocket, event: string, payload: unknown): Promise<Answer> => {
    const verdict = await limits.message(socket.id, socket.data.address);
    if (verdict === 'cut') {
      log.warn({ address: socket.data.address }, 'flood: connection cut');
      socket.disconnect(true);
    }
    if (verdict !== 'pass') return { reply: tooFast() };
    const handler = handlers.get(event);
    return handler === undefined
      ? { reply: refuse(SignalingErrorCode.BadRequest, 'there is no such event') }
      : handler(socket, payload);
  };

  io.on('connection', (socket) => {
    socket.data.address = addressOf(socket.request);
    socket.data.seat = undefined;
    let waiting = 0;
    let tail = Promise.resolve();
    socket.data.enqueue = (job) => {
      waiting++;
      tail = tail
        .then(job)
        .catch((error: unknown) => log.error({ err: error }, 'request failed'))
        .finally(() => {
          waiting--;
        });
      return tail;
    };

    // One door for every event, known or not: no handler can be reached unchecked, and none can throw into socket.io.
    socket.onAny((event: string, ...args: unknown[]) => {
      const last = args.at(-1);
      // Without an acknowledgement function there is nobody to answer; the request itself is still a request.
      const reply = (value: Reply) => (typeof last === 'function' ? last(value) : undefined);
      const payload = typeof args[0] === 'function' || args.length === 0 ? {} : args[0];
      if (waiting >= WAITING_REQUESTS_MAX) {
        reply(tooFast());
        return;
      }
      void socket.data.enqueue(async () => {
        try {
          const { reply: value, after } = await answer(socket, event, payload);
          reply(value);
          await after?.();
        } catch (error) {
          log.error({ err: error, event }, 'request failed');
          reply(refuse(SignalingErrorCode.InternalError, 'The server could not do that: try again.'));
        }
      });
    });

    socket.on('disconnect', () => {
      // In the queue, so that a seat that is just being taken is freed as well.
      void socket.data.enqueue(async () => {
        await leave(socket, PeerLeftReason.Disconnected);
        await limits.forget(socket.id);
      });
    });
  });

  return {
    expireRooms: async () => {
      const expired = await rooms.expire();
      for (const room of expired) {
        for (const { id } of room.seats) {
          io.to(id).emit('room-closed', { room: room.code, reason: RoomClosedReason.Expired });
          const socket = bySeat.get(id);
          if (socket !== undefined) release(socket);
        }
      }
      return expired.length;
    },

    announceDrain: async () => {
      io.emit('draining', { message: DRAINING_MESSAGE });
      const jobs = [...bySeat.values()].map((socket) =>
        socket.data.enqueue(async () => {
          const { seat } = socket.data;
          const room = seat === undefined ? undefined : await rooms.find(seat.room);
          if (room === undefined || room.started) return;
          await leave(socket, PeerLeftReason.Left);
          socket.emit('room-closed', { room: room.code, reason: RoomClosedReason.Draining });
        }),
      );
      await Promise.all(jobs);
    },

    pairingsUnderWay: async () => (await rooms.count(PAIRING_QUIET_MS)).pairing,

    close: async () => {
      // `io.close()` alone throws away what was told last: why a room closed, for one.
      const sockets = [...io.sockets.sockets.values()];
      const flushed = sockets.map(({ conn }) => new Promise<void>((resolve) => conn.once('close', () => resolve())));
      io.disconnectSockets(true);
      const patience = new AbortController();
      await Promise.race([
        Promise.all(flushed),
        wait(GOODBYE_MS_MAX, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
      await io.close();
    },
  };
}

const DRAINING_MESSAGE = 'The server is stopping for maintenance: try again in a minute.';

function tooFast(): Reply {
  return refuse(SignalingErrorCode.RateLimited, 'Too many requests from here: wait a minute and try again.');
}

/** socket.io sends `data` of a middleware's error to the client. */
function refusedConnection(code: SignalingErrorCode, message: string): Error {
  return Object.assign(new Error(message), { data: { code, message } });
}

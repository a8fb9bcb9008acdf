import {
  type ClientEvent,
  type ClientRequest,
  parseClientRequest,
  parseReply,
  parseServerMessage,
  parseSignalingFailure,
  type ReplyTo,
  RoomClosedReason,
  type SeatGrant,
  type ServerEvent,
  type ServerMessage,
} from '@riposte/shared/protocol';
import { io, type Socket } from 'socket.io-client';
import { LobbyError, LobbyErrorCode } from './lobby-error.js';
import { OpenRoom, type Room } from './room.js';

/** Milliseconds for connecting, and for each answer of the server. */
const ANSWER_MS_MAX = 10_000;

export interface LobbyOptions {
  /** Address of the signaling server, with or without a path before its own: `https://play.example/games`. */
  server: string | URL;
  /** Shown to the other player: 1 to 24 characters. */
  name?: string;
  /** Aborting closes the lobby at any time; what is under way rejects with `aborted`. */
  signal?: AbortSignal;
  /** Milliseconds for connecting, and for each answer. */
  timeoutMs?: number;
}

/** Who may be paired: the same game; the two peers compare versions themselves when one joins by code. */
export interface GameKey {
  game: string;
  version: string;
}

/** One connection to the server; it holds at most one seat. Every method rejects with a LobbyError. */
export interface Lobby {
  /** Opens a room and gives its code. */
  create(key: GameKey): Promise<Room>;
  /** Takes the free seat behind a code, typed in any case. */
  join(code: string, key: GameKey): Promise<Room>;
  /** Pairs with whoever waits for the same game and version, or waits. */
  quick(key: GameKey): Promise<Room>;
  /** Gives the seat up, also to cancel a wait; without a seat it does nothing. */
  leave(): Promise<void>;
  /** Ends the connection, and the seat with it. Idempotent. */
  close(): void;
}

type SeatEvent = 'create-room' | 'join-room' | 'quick-match';
type Granted<E extends ClientEvent> = Extract<ReplyTo<E>, { ok: true }>;

/**
 * Connects to a signaling server.
 *
 * @throws LobbyError `bad-server`, `server-away`, `server-full`, `server-draining`, `timeout` or `aborted`.
 */
export async function connectLobby(options: LobbyOptions): Promise<Lobby> {
  const { name, signal, timeoutMs = ANSWER_MS_MAX } = options;
  const base = serverUrl(options.server);
  if (signal?.aborted === true) throw aborted(signal);
  const socket = io(base.origin, {
    path: `${base.pathname}socket.io`,
    transports: ['websocket'],
    forceNew: true,
    // A new connection would hold no seat: whoever wants one asks for it.
    reconnection: false,
    timeout: timeoutMs,
  });
  const lobby = new SocketLobby(socket, base, name, timeoutMs);

  return new Promise((resolve, reject) => {
    const fail = (error: LobbyError) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      lobby.end(error);
      // Without effect once connected: then only the lobby ends.
      reject(error);
    };
    const timer = setTimeout(() => fail(serverAway(base)), timeoutMs);
    const onAbort = () => fail(aborted(signal));
    signal?.addEventListener('abort', onAbort);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(lobby);
    });
    socket.once('connect_error', (error) => fail(connectError(error, base)));
    socket.once('disconnect', () => signal?.removeEventListener('abort', onAbort));
  });
}

class SocketLobby implements Lobby {
  /** Without event types on purpose: what arrives is checked, not believed. */
  readonly #socket: Socket;
  readonly #base: URL;
  readonly #name: string | undefined;
  readonly #timeoutMs: number;
  #room: OpenRoom | undefined;
  /** Why this lobby is of no use any more. */
  #ended: LobbyError | undefined;
  /** Requests under way, to be told when the lobby ends. */
  readonly #underWay = new Set<(error: LobbyError) => void>();

  constructor(socket: Socket, base: URL, name: string | undefined, timeoutMs: number) {
    this.#socket = socket;
    this.#base = base;
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#on('paired', (message) => this.#room?.pair(message));
    this.#on('signal', (message) => this.#room?.signal(message));
    this.#on('peer-left', (message) => this.#room?.peerLeft(message));
    this.#on('room-closed', ({ room, reason }) => {
      if (this.#room?.code !== room) return;
      this.#room.fail(roomClosed(reason));
      this.#room = undefined;
    });
    socket.on('disconnect', () => this.end(serverLost()));
  }

  create(key: GameKey): Promise<Room> {
    return this.#takeSeat('create-room', { game: key.game, version: key.version, ...this.#named() });
  }

  join(code: string, { game }: GameKey): Promise<Room> {
    return this.#takeSeat('join-room', { code, game, ...this.#named() });
  }

  quick(key: GameKey): Promise<Room> {
    return this.#takeSeat('quick-match', { game: key.game, version: key.version, ...this.#named() });
  }

  async leave(): Promise<void> {
    this.#room?.fail(new LobbyError(LobbyErrorCode.Left, 'You left the match.'));
    this.#room = undefined;
    // A lobby that ended holds no seat.
    if (this.#ended === undefined) await this.#request('leave-room', {}, () => undefined);
  }

  close(): void {
    this.end(new LobbyError(LobbyErrorCode.Left, 'The connection to the server was closed here.'));
  }

  /** Ends everything with one reason. */
  end(error: LobbyError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#room?.fail(error);
    this.#room = undefined;
    for (const reject of this.#underWay) reject(error);
    this.#underWay.clear();
    this.#socket.disconnect();
  }

  #named(): { name?: string } {
    return this.#name === undefined ? {} : { name: this.#name };
  }

  #takeSeat<E extends SeatEvent>(event: E, request: ClientRequest<E>): Promise<Room> {
    return this.#request<SeatEvent, Room>(event, request, (grant) => this.#enter(grant));
  }

  #enter(grant: SeatGrant): Room {
    const link = new URL(this.#base);
    link.searchParams.set('room', grant.room);
    this.#room = new OpenRoom(grant, link.href, (to, data) => {
      // Best effort by contract: a refusal means that the peer is gone, which is told by its own event.
      if (this.#socket.connected) this.#socket.emit('signal', { to, data }, () => undefined);
    });
    return this.#room;
  }

  /** `take` runs as the answer arrives, before any message that the server sent after it. */
  #request<E extends ClientEvent, R>(event: E, request: ClientRequest<E>, take: (reply: Granted<E>) => R): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const checked = parseClientRequest(event, request);
      if (!checked.ok) {
        reject(new LobbyError(LobbyErrorCode.BadRequest, `${event}: ${checked.message}`));
        return;
      }
      this.#underWay.add(reject);
      this.#socket.timeout(this.#timeoutMs).emit(event, checked.value, (error: Error | null, answer: unknown) => {
        // A lobby that ended has told everybody already.
        if (!this.#underWay.delete(reject)) return;
        if (error !== null) {
          // Whether the server did it is unknown, so this connection cannot be trusted with a seat any more.
          const noAnswer = new LobbyError(
            LobbyErrorCode.Timeout,
            `The game server did not answer within ${this.#timeoutMs} ms: try again in a minute.`,
          );
          this.end(noAnswer);
          reject(noAnswer);
          return;
        }
        const reply = parseReply(event, answer);
        if (!reply.ok) {
          this.end(serverMismatch(event));
          reject(serverMismatch(event));
        } else if (isGranted(reply.value)) resolve(take(reply.value));
        else reject(refused(reply.value));
      });
    });
  }

  #on<E extends ServerEvent>(event: E, listener: (message: ServerMessage<E>) => void): void {
    const name: string = event;
    this.#socket.on(name, (payload: unknown) => {
      const parsed = parseServerMessage(event, payload);
      if (parsed.ok) listener(parsed.value);
      else this.end(serverMismatch(event));
    });
  }
}

/** The address with a path that ends in `/`, below which socket.io and the pages live. */
function serverUrl(server: string | URL): URL {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new LobbyError(
      LobbyErrorCode.BadServer,
      `${JSON.stringify(String(server))} is no address of a game server: it must begin with http:// or https://.`,
    );
  }
  const url = new URL(server);
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function connectError(error: Error, base: URL): LobbyError {
  // A refusal in words carries them as `data`; anything else is a connection that did not come about.
  const refusal = parseSignalingFailure('data' in error ? error.data : undefined);
  return refusal.ok ? new LobbyError(refusal.value.code, refusal.value.message) : serverAway(base, error);
}

function serverAway(base: URL, cause?: Error): LobbyError {
  return new LobbyError(
    LobbyErrorCode.ServerAway,
    `No connection to the game server at ${base.origin}. Check the address and your network, and try again in a ` +
      'minute; if it does run, it may not allow pages from this address.',
    { cause },
  );
}

function serverLost(): LobbyError {
  return new LobbyError(
    LobbyErrorCode.ServerLost,
    'The connection to the game server was lost. Check your network and start the match again.',
  );
}

function serverMismatch(event: string): LobbyError {
  return new LobbyError(
    LobbyErrorCode.ServerMismatch,
    `The game server's ${event} is not understood: it may run another version. Reload the page and try again.`,
  );
}

function roomClosed(reason: RoomClosedReason): LobbyError {
  return reason === RoomClosedReason.Expired
    ? new LobbyError(LobbyErrorCode.RoomExpired, 'Nobody joined this match for too long: create a new one.')
    : new LobbyError(
        LobbyErrorCode.ServerDraining,
        'The game server is stopping for maintenance: create a new match in a minute.',
      );
}

function aborted(signal: AbortSignal | undefined): LobbyError {
  return new LobbyError(LobbyErrorCode.Aborted, 'This was cancelled.', { cause: signal?.reason });
}

function refused(reply: ReplyTo<ClientEvent>): LobbyError {
  return reply.ok ? serverMismatch('refusal') : new LobbyError(reply.error.code, reply.error.message);
}

/** TypeScript does not narrow a union that still depends on a type parameter. */
function isGranted<E extends ClientEvent>(reply: ReplyTo<E>): reply is Granted<E> {
  return reply.ok;
}

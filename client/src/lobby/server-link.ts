import {
  type ClientEvent,
  type ClientRequest,
  parseReply,
  parseServerMessage,
  parseSignalingFailure,
  type ReplyTo,
  type SeatRequest,
  type ServerEvent,
  type ServerMessage,
} from '@riposte/shared/protocol';
import { io, type Socket } from 'socket.io-client';
import type { LobbyClock } from './clock.js';
import { LobbyError, serverAway, serverLost, serverMismatch } from './lobby-error.js';

/** A reply that is no refusal. */
export type Granted<E extends ClientEvent> = Extract<ReplyTo<E>, { ok: true }>;

export interface ServerLinkEvents {
  /** The connection ended, by whatever cause but `close`. */
  lost(): void;
  /** The server said what this version does not understand. */
  mismatch(error: LobbyError): void;
}

/** A connection to the signaling server that can be opened again after it ended. */
export class ServerLink {
  /** Without event types on purpose: what arrives is checked, not believed. */
  readonly #socket: Socket;
  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #clock: LobbyClock;
  readonly #events: ServerLinkEvents;
  /** Requests under way, to be told when the connection ends. */
  readonly #underWay = new Set<(error: LobbyError) => void>();
  #open = false;

  /** Does not connect yet. */
  constructor(base: URL, timeoutMs: number, clock: LobbyClock, events: ServerLinkEvents) {
    this.#base = base;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#events = events;
    this.#socket = io(base.origin, {
      path: `${base.pathname}socket.io`,
      transports: ['websocket'],
      forceNew: true,
      autoConnect: false,
      // A new connection holds no seat: whoever opens one takes the seat back as well.
      reconnection: false,
      timeout: timeoutMs,
    });
    this.#socket.on('disconnect', () => {
      if (!this.#open) return;
      this.close();
      this.#events.lost();
    });
    // The server asks before it gives this seat to another connection that knows its secret.
    this.#socket.on('still-there', (_message: unknown, reply: unknown) => {
      if (typeof reply === 'function') reply({});
    });
  }

  get connected(): boolean {
    return this.#socket.connected;
  }

  /**
   * Opens the connection.
   *
   * @throws LobbyError `server-away`, or the server's own refusal.
   */
  open(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const settle = (error?: LobbyError) => {
        callOff();
        socket.off('connect', onConnect);
        socket.off('connect_error', onError);
        this.#abandonOpen = undefined;
        if (error === undefined) {
          this.#open = true;
          resolve();
        } else {
          socket.disconnect();
          reject(error);
        }
      };
      const onConnect = () => settle();
      const onError = (error: Error) => settle(connectError(error, this.#base));
      const callOff = this.#clock.after(this.#timeoutMs, () => settle(serverAway(this.#base)));
      this.#abandonOpen = () => settle(serverLost());
      socket.on('connect', onConnect);
      socket.on('connect_error', onError);
      socket.connect();
    });
  }

  #abandonOpen: (() => void) | undefined;

  /** Ends the connection, and with `server-lost` the requests under way. It may be opened again. */
  close(): void {
    this.#open = false;
    this.#abandonOpen?.();
    this.#socket.disconnect();
    for (const fail of [...this.#underWay]) fail(serverLost());
  }

  /** Ends the connection as the network would: `lost` is told. */
  drop(): void {
    if (!this.#open) return;
    this.close();
    this.#events.lost();
  }

  on<E extends ServerEvent>(event: E, listener: (message: ServerMessage<E>) => void): void {
    const name: string = event;
    this.#socket.on(name, (payload: unknown) => {
      const parsed = parseServerMessage(event, payload);
      if (parsed !== undefined) listener(parsed);
      else this.#events.mismatch(serverMismatch(event));
    });
  }

  /** Sends a request whose answer does not matter. Without a connection it is lost. */
  send<E extends ClientEvent>(event: E, request: ClientRequest<E>): void {
    if (this.#socket.connected) this.#socket.emit(event, request);
  }

  /**
   * Asks the server. `take` runs as the answer arrives, before any message that the server sent after it.
   *
   * @throws LobbyError `timeout`, `server-lost`, `server-mismatch` or the refusal.
   */
  request<E extends SeatRequest, R>(
    event: E,
    request: ClientRequest<E>,
    take: (reply: Granted<E>) => R,
    timeoutMs?: number,
  ): Promise<R> {
    return this.ask<E, R>(event, request, (answer) => parseReply(event, answer), take, timeoutMs);
  }

  /** `request` for any event; `parse` checks the answer. */
  ask<E extends ClientEvent, R>(
    event: E,
    request: ClientRequest<E>,
    parse: (answer: unknown) => ReplyTo<E> | undefined,
    take: (reply: Granted<E>) => R,
    timeoutMs = this.#timeoutMs,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      // Without a connection socket.io would keep the request for the next one, which holds no seat.
      if (!this.#socket.connected) {
        reject(serverLost());
        return;
      }
      const fail = (error: LobbyError) => {
        callOff();
        this.#underWay.delete(fail);
        reject(error);
      };
      const callOff = this.#clock.after(timeoutMs, () => fail(noAnswer(timeoutMs)));
      this.#underWay.add(fail);
      this.#socket.emit(event, request, (answer: unknown) => {
        callOff();
        // Too late, or on a connection that was closed: the caller has been told already.
        if (!this.#underWay.delete(fail)) return;
        const reply = parse(answer);
        if (reply === undefined) {
          reject(serverMismatch(event));
          this.#events.mismatch(serverMismatch(event));
        } else if (isGranted(reply)) resolve(take(reply));
        else reject(refused(reply));
      });
    });
  }
}

function connectError(error: Error, base: URL): LobbyError {
  // A refusal in words carries them as `data`; anything else is a connection that did not come about.
  const refusal = parseSignalingFailure('data' in error ? error.data : undefined);
  return refusal === undefined ? serverAway(base, error) : new LobbyError(refusal.code, refusal.message);
}

function noAnswer(timeoutMs: number): LobbyError {
  return new LobbyError('timeout', `The game server did not answer within ${timeoutMs} ms: try again in a minute.`);
}

function refused(reply: ReplyTo<ClientEvent>): LobbyError {
  return reply.ok ? serverMismatch('refusal') : new LobbyError(reply.error.code, reply.error.message);
}

/** TypeScript does not narrow a union that still depends on a type parameter. */
function isGranted<E extends ClientEvent>(reply: ReplyTo<E>): reply is Granted<E> {
  return reply.ok;
}

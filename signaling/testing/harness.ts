/** A real server on a free port and socket.io clients that remember what they were told. Tests only. */
import {
  type ClientEvent,
  type ClientRequest,
  type ClientToServerEvents,
  parseReply,
  parseRoomList,
  parseServerMessage,
  type ReplyTo,
  type ServerEvent,
  type ServerMessage,
  type ServerToClientEvents,
} from '@riposte/shared/protocol';
import { io, type Socket } from 'socket.io-client';
import type { ServerConfig } from '../src/config.js';
import { type RunningServer, type ServerParts, startServer } from '../src/server.js';

const WAIT_MS_MAX = 15_000;

export interface PeerOptions {
  headers?: Record<string, string>;
  /** Whether it answers when the server asks if it is still there; a dead connection does not. */
  alive?: boolean;
}

export class TestPeer {
  readonly socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly #arrived: { event: string; payload: unknown }[] = [];
  #wake: () => void = () => {};

  constructor(url: string, { headers, alive = true }: PeerOptions = {}) {
    this.socket = io(url, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      ...(headers === undefined ? {} : { extraHeaders: headers }),
    });
    if (alive) this.socket.on('still-there', (_message, reply) => reply({}));
    this.socket.onAny((event: string, payload: unknown) => {
      this.#arrived.push({ event, payload });
      this.#wake();
    });
  }

  /** Resolves when connected, rejects with the refusal. */
  async connected(): Promise<this> {
    if (this.socket.connected) return this;
    await new Promise<void>((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
    });
    return this;
  }

  async request<E extends ClientEvent>(event: E, payload: ClientRequest<E>): Promise<ReplyTo<E>> {
    const answer = await this.raw(event, payload);
    const reply = event === 'list-rooms' ? parseRoomList(answer) : parseReply(event, answer);
    if (reply === undefined) throw new Error(`malformed reply to ${event}: ${JSON.stringify(answer)}`);
    // The parser of this event gave it, which TypeScript cannot see.
    return reply as ReplyTo<E>;
  }

  /** Any event with any arguments; gives whatever was acknowledged. */
  raw(event: string, ...args: unknown[]): Promise<unknown> {
    // The typed maps rule out exactly what hostile tests must send.
    const untyped = this.socket as unknown as Socket;
    return untyped.timeout(WAIT_MS_MAX).emitWithAck(event, ...args);
  }

  /** A request without asking for an answer. */
  say<E extends ClientEvent>(event: E, payload: ClientRequest<E>): void {
    const untyped = this.socket as unknown as Socket;
    untyped.emit(event, payload);
  }

  /** The next message of this kind, arrived or still to come; messages of other kinds stay. */
  async next<E extends ServerEvent>(event: E, waitMsMax = WAIT_MS_MAX): Promise<ServerMessage<E>> {
    const deadline = AbortSignal.timeout(waitMsMax);
    for (;;) {
      const index = this.#arrived.findIndex((message) => message.event === event);
      if (index >= 0) {
        const { payload } = this.#arrived.splice(index, 1)[0];
        const parsed = parseServerMessage(event, payload);
        if (parsed === undefined) throw new Error(`malformed ${event}: ${JSON.stringify(payload)}`);
        return parsed;
      }
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        deadline.addEventListener('abort', () => reject(new Error(`no ${event} within ${waitMsMax} ms`)));
      });
    }
  }

  /** How many messages of this kind wait to be read. */
  pending(event: ServerEvent): number {
    return this.#arrived.filter((message) => message.event === event).length;
  }

  disconnected(): Promise<string> {
    return new Promise((resolve) => this.socket.once('disconnect', resolve));
  }
}

export interface Harness {
  server: RunningServer;
  /** The server's address as an IP, so that it does not hang on how `localhost` resolves. */
  url: string;
  peer(options?: PeerOptions): TestPeer;
  close(): Promise<void>;
}

export async function startHarness(settings: Partial<ServerConfig> = {}, parts?: ServerParts): Promise<Harness> {
  const server = await startServer(
    { port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [], ...settings },
    ...(parts === undefined ? [] : [parts]),
  );
  const peers: TestPeer[] = [];
  const url = `http://127.0.0.1:${server.port}`;
  return {
    server,
    url,
    peer: (options) => {
      const peer = new TestPeer(url, options);
      peers.push(peer);
      return peer;
    },
    close: async () => {
      for (const { socket } of peers) socket.disconnect();
      await server.close();
    },
  };
}

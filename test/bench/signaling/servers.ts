/**
 * The servers that are measured, each in a process of its own: ours as a host runs it, PeerServer, and the least that a
 * relay of two can be: a map of rooms and nothing checked, over websockets, and the same over socket.io, which shows how
 * much of ours is socket.io's.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultConfig, startServer } from '@riposte/signaling';
import express from 'express';
import { ExpressPeerServer } from 'peer';
import { Server, type Socket } from 'socket.io';
import { type WebSocket, WebSocketServer } from 'ws';

const FLAG = '--server=';

/** Far beyond what is measured: one address asks for everything here. */
const PLENTY = { points: 1_000_000_000, seconds: 60 };
const CONNECTIONS_MAX = 100_000;

const starts = {
  async riposte() {
    const limits = Object.fromEntries(Object.keys(defaultConfig.limits).map((name) => [name, PLENTY]));
    const { port } = await startServer({
      port: 0,
      host: '127.0.0.1',
      logLevel: 'warn',
      stunUrls: [],
      servePages: false,
      redisUrl: process.env['REDIS_URL'],
      connectionsMax: CONNECTIONS_MAX,
      connectionsPerAddressMax: CONNECTIONS_MAX,
      limits: { ...defaultConfig.limits, ...limits },
    });
    return port;
  },

  async ws() {
    const http = createServer();
    relayPairs(new WebSocketServer({ server: http, perMessageDeflate: false }));
    return listen(http);
  },

  async 'socket.io'() {
    const http = createServer();
    relayBySocketIo(new Server(http, { transports: ['websocket'], perMessageDeflate: false, serveClient: false }));
    return listen(http);
  },

  async peerjs() {
    const http = createServer();
    // It begins as it is mounted.
    http.on('request', express().use(ExpressPeerServer(http, { concurrent_limit: CONNECTIONS_MAX })));
    return listen(http);
  },
} as const;
export type ServerName = keyof typeof starts;

async function listen(http: HttpServer): Promise<number> {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo; // a TCP server's address is never text
  return port;
}

/** `create` and `join` a room of two, `leave` it; everything else goes to the other one as it is. */
function relayPairs(server: WebSocketServer): void {
  const rooms = new Map<string, WebSocket[]>();
  let serial = 0;
  server.on('connection', (socket) => {
    let room = '';
    socket.on('message', (data) => {
      const text = data.toString();
      const message = JSON.parse(text);
      if (message.type === 'create') {
        room = String(serial++);
        rooms.set(room, [socket]);
        socket.send(JSON.stringify({ type: 'created', room }));
      } else if (message.type === 'join') {
        room = message.room;
        rooms.get(room)?.push(socket);
        for (const each of rooms.get(room) ?? []) each.send('{"type":"paired"}');
      } else if (message.type === 'leave') {
        rooms.delete(room);
        socket.send('{"type":"left"}');
      } else {
        for (const each of rooms.get(room) ?? []) if (each !== socket) each.send(text);
      }
    });
  });
}

/** The same by socket.io, in the words of ours: what it costs before anything is checked, kept or told. */
function relayBySocketIo(io: Server): void {
  const rooms = new Map<string, Socket[]>();
  let serial = 0;
  io.on('connection', (socket) => {
    let room = '';
    socket.on('create-room', (_, reply) => {
      room = String(serial++);
      rooms.set(room, [socket]);
      reply({ ok: true, room });
    });
    socket.on('join-room', ({ code }, reply) => {
      room = code;
      rooms.get(room)?.push(socket);
      reply({ ok: true });
      for (const each of rooms.get(room) ?? []) each.emit('paired', { pairing: 1, peer: { seat: room } });
    });
    socket.on('leave-room', (_, reply) => {
      rooms.delete(room);
      reply({ ok: true });
    });
    socket.on('signal', (message, reply) => {
      for (const each of rooms.get(room) ?? []) if (each !== socket) each.emit('signal', message);
      reply?.({ ok: true });
    });
  });
}

/** In a process that was started for one server: runs it and returns true, at once. In the first process: false. */
export function servesServer(): boolean {
  const name = process.argv.find((argument) => argument.startsWith(FLAG))?.slice(FLAG.length);
  const start = Object.entries(starts).find(([each]) => each === name)?.[1];
  if (start === undefined) return false;
  process.on('message', (question) => process.send?.(question === 'memory' ? memoryNow() : processorMsNow()));
  process.on('disconnect', () => process.exit(0));
  void start().then((port) => process.send?.(port));
  return true;
}

/** Bytes in use after a collection. */
function memoryNow(): number {
  if (globalThis.gc === undefined) throw new Error('run Node with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage.rss();
}

/** Milliseconds of processor time that this process has taken. */
function processorMsNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A server's process, seen from the one that measures. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param redisUrl where ours keeps its rooms; absent: in memory. */
  static async start(name: ServerName, redisUrl?: string): Promise<ServerProcess> {
    const { REDIS_URL: _, ...surroundings } = process.env;
    const env = redisUrl === undefined ? surroundings : { ...surroundings, REDIS_URL: redisUrl };
    const child = fork(process.argv[1] ?? '', [`${FLAG}${name}`], {
      execArgv: ['--expose-gc'],
      env,
    });
    return new ServerProcess(child, await numberFrom(child));
  }

  /** Its resident bytes after a collection. */
  memory(): Promise<number> {
    this.#child.send('memory');
    return numberFrom(this.#child);
  }

  /** Milliseconds of processor time that it has taken so far. */
  processorMs(): Promise<number> {
    this.#child.send('processor');
    return numberFrom(this.#child);
  }

  async stop(): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

/** The next number that a child tells; rejects when it ends instead. */
async function numberFrom(child: ChildProcess): Promise<number> {
  const ended = new AbortController();
  const exit = once(child, 'exit', ended).then(() => {
    throw new Error('a server ended before its time');
  });
  const message = once(child, 'message', ended).then(([value]: unknown[]) => Number(value));
  exit.catch(() => undefined);
  message.catch(() => undefined);
  return Promise.race([message, exit]).finally(() => ended.abort());
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PeerServerPass } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { defaultConfig, type ServerConfig } from './config.js';
import { ConnectionCounter, Limits } from './limits.js';
import { createLogger } from './log.js';
import { Metrics } from './metrics.js';
import { createPeerServer, type MountedPeerServer } from './peer-server.js';

const seats = { ann: 'A'.repeat(22), bob: 'B'.repeat(22), eve: 'E'.repeat(22) };

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

interface Bench {
  http: Server;
  port: number;
  peers: MountedPeerServer;
  connections: ConnectionCounter;
  /** Pairings that are over, by room. */
  over: Set<string>;
  pass(seat: keyof typeof seats, peer: keyof typeof seats, room?: string): PeerServerPass;
}

async function bench(settings: Partial<ServerConfig> = {}): Promise<Bench> {
  const config = { ...defaultConfig, ...settings };
  const http = createServer();
  const over = new Set<string>();
  const connections = new ConnectionCounter(config.connectionsMax, config.connectionsPerAddressMax);
  const peers = createPeerServer({
    http,
    config,
    isLive: async ({ room }) => !over.has(room),
    limits: new Limits(config.limits),
    connections,
    metrics: new Metrics({ connections: () => 0, rooms: async () => ({ rooms: 0, pairing: 0 }) }),
    log: createLogger('silent'),
  });
  http.on('request', peers.handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // a TCP server's address is never text
  open.push(() => {
    peers.close();
    http.close();
  });
  const pass: Bench['pass'] = (seat, peer, room = 'K7M2QX') =>
    peers.passFor({ room, pairing: 1, seat: seats[seat], peer: seats[peer] });
  return { http, port, peers, connections, over, pass };
}

/** A websocket that speaks PeerJS's protocol, and everything that it was told. */
class Client {
  readonly socket: WebSocket;
  readonly #messages: { type: string; src?: string; payload?: { msg?: string } }[] = [];
  #wake: () => void = () => {};
  readonly closed: Promise<void>;

  constructor(port: number, query: Record<string, string>, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/peerjs/peerjs?${new URLSearchParams(query)}`, { headers });
    this.socket.on('message', (data) => {
      this.#messages.push(JSON.parse(String(data)));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        resolve();
        this.#wake();
      });
    });
    this.socket.on('error', () => undefined);
    open.push(() => this.socket.terminate());
  }

  /** The next message, or `undefined` once the connection is closed. */
  async next() {
    while (this.#messages.length === 0 && this.socket.readyState !== WebSocket.CLOSED) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift();
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }
}

const connect = (port: number, { id, token }: PeerServerPass, headers?: Record<string, string>) =>
  new Client(port, { key: 'peerjs', id, token }, headers);

const offer = (dst: string, changes: object = {}) => ({
  type: 'OFFER',
  dst,
  payload: {
    type: 'data',
    sdp: { type: 'offer', sdp: 'v=0' },
    connectionId: 'dc_1',
    label: 'reliable',
    reliable: true,
    serialization: 'raw',
    ...changes,
  },
});

describe('PeerServer in our server', () => {
  it('passes a negotiation between the two seats of a pairing, in order, stamped by the server', async () => {
    const { port, pass } = await bench();
    const [ann, bob] = [connect(port, pass('ann', 'bob')), connect(port, pass('bob', 'ann'))];
    expect([await ann.next(), await bob.next()]).toEqual([{ type: 'OPEN' }, { type: 'OPEN' }]);
    ann.send({ ...offer(pass('bob', 'ann').id), src: 'somebody else' });
    const candidate = { candidate: 'candidate:1', sdpMid: '0', sdpMLineIndex: 0, usernameFragment: null };
    ann.send({
      type: 'CANDIDATE',
      dst: pass('bob', 'ann').id,
      payload: { type: 'data', candidate, connectionId: 'dc_1' },
    });
    expect(await bob.next()).toMatchObject({ type: 'OFFER', src: pass('ann', 'bob').id });
    expect(await bob.next()).toMatchObject({ type: 'CANDIDATE', payload: { candidate } });
  });

  it('keeps what is sent to a peer that has not come yet', async () => {
    const { port, pass } = await bench();
    const ann = connect(port, pass('ann', 'bob'));
    await ann.next();
    ann.send(offer(pass('bob', 'ann').id));
    ann.send({ type: 'HEARTBEAT' });
    const bob = connect(port, pass('bob', 'ann'));
    const types = [(await bob.next())?.type, (await bob.next())?.type];
    expect(types).toEqual(['OPEN', 'OFFER']);
  });

  it.each([
    ['nothing at all', {}],
    ['an id of its own', { key: 'peerjs', id: 'mallory', token: 'secret' }],
    [
      'a token that is nearly one',
      { key: 'peerjs', id: 'f'.repeat(32), token: `K7M2QX.1.${seats.ann}.${seats.bob}.${'m'.repeat(43)}` },
    ],
  ])('refuses in words somebody with %s', async (_what, query: Record<string, string>) => {
    const { port } = await bench();
    const client = new Client(port, query);
    expect(await client.next()).toEqual({
      type: 'ERROR',
      payload: { msg: expect.stringMatching(/belongs to no match/) },
    });
    await client.closed;
  });

  it('refuses a token with the id of another pairing, and a pass of another server', async () => {
    const { port, pass } = await bench();
    const mixed = { ...pass('ann', 'bob'), id: pass('ann', 'bob', 'WXYZ23').id };
    expect((await connect(port, mixed).next())?.type).toBe('ERROR');
    const foreign = (await bench()).pass('ann', 'bob');
    expect((await connect(port, foreign).next())?.type).toBe('ERROR');
  });

  it('refuses a pass of a pairing that is over, also on a connection that is open', async () => {
    const { port, pass, over } = await bench();
    const ann = connect(port, pass('ann', 'bob'));
    await ann.next();
    over.add('K7M2QX');
    ann.send(offer(pass('bob', 'ann').id));
    expect(await ann.next()).toMatchObject({ type: 'ERROR', payload: { msg: expect.stringMatching(/any more/) } });
    await ann.closed;
    expect((await connect(port, pass('ann', 'bob')).next())?.type).toBe('ERROR');
  });

  it('reaches nobody but the other seat of the pairing', async () => {
    const { port, pass } = await bench();
    const eve = connect(port, pass('eve', 'bob', 'WXYZ23'));
    const bob = connect(port, pass('bob', 'ann'));
    await eve.next();
    await bob.next();
    eve.send(offer(pass('bob', 'ann').id));
    expect(await eve.next()).toMatchObject({
      type: 'ERROR',
      payload: { msg: expect.stringMatching(/not in your match/) },
    });
    const ann = connect(port, pass('ann', 'bob'));
    await ann.next();
    ann.send(offer(pass('bob', 'ann').id));
    expect((await bob.next())?.src).toBe(pass('ann', 'bob').id);
  });

  it.each([
    ['no JSON', () => 'hello'],
    ['an unknown type', () => ({ type: 'LEAVE' })],
    ['a serialization that throws on the other page', (dst: string) => offer(dst, { serialization: 'pigeon' })],
    ['a call with a camera', (dst: string) => offer(dst, { type: 'media' })],
    [
      'a description that is too long',
      (dst: string) => offer(dst, { sdp: { type: 'offer', sdp: 'v'.repeat(15_001) } }),
    ],
    ['text in place of a payload', (dst: string) => ({ type: 'OFFER', dst, payload: '__proto__' })],
  ])('ends a connection that sends %s', async (_what, message: (dst: string) => unknown) => {
    const { port, pass } = await bench();
    const ann = connect(port, pass('ann', 'bob'));
    await ann.next();
    ann.send(message(pass('bob', 'ann').id));
    expect((await ann.next())?.type).toBe('ERROR');
    await ann.closed;
  });

  it('ends a connection that sends more than 32 KiB at once, or floods', async () => {
    const { port, pass, connections } = await bench({
      limits: { ...defaultConfig.limits, messagesPerSocket: { points: 5, seconds: 60 } },
    });
    const [ann, bob] = [connect(port, pass('ann', 'bob')), connect(port, pass('bob', 'ann'))];
    await ann.next();
    await bob.next();
    ann.send('x'.repeat(32 * 1024 + 1));
    await ann.closed;
    for (let sent = 0; sent < 6; sent++) bob.send({ type: 'HEARTBEAT' });
    expect(await bob.next()).toMatchObject({
      type: 'ERROR',
      payload: { msg: expect.stringMatching(/Too many requests/) },
    });
    await bob.closed;
    await expect.poll(() => connections.total).toBe(0);
  });

  it('counts its connections with all others, and refuses in words beyond the cap', async () => {
    const { port, pass, connections } = await bench({ connectionsPerAddressMax: 1 });
    const ann = connect(port, pass('ann', 'bob'));
    expect((await ann.next())?.type).toBe('OPEN');
    const bob = connect(port, pass('bob', 'ann'));
    expect(await bob.next()).toMatchObject({
      type: 'ERROR',
      payload: { msg: expect.stringMatching(/too many connections/) },
    });
    await bob.closed;
    ann.socket.close();
    await expect.poll(() => connections.total).toBe(0);
    expect((await connect(port, pass('bob', 'ann')).next())?.type).toBe('OPEN');
  });

  it('lets in pages of its own host, and no foreign ones', async () => {
    const { port, pass } = await bench();
    const own = connect(port, pass('ann', 'bob'), { origin: `http://127.0.0.1:${port}` });
    expect((await own.next())?.type).toBe('OPEN');
    const foreign = connect(port, pass('bob', 'ann'), { origin: 'https://evil.example' });
    const status = await new Promise((resolve) =>
      foreign.socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode)),
    );
    expect(status).toBe(403);
  });

  it('says over plain HTTP what it is, and hands out neither ids nor a list of them', async () => {
    const { port } = await bench();
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { origin: 'https://evil.example' } });
    const about = await get('/peerjs/');
    expect(await about.json()).toMatchObject({ name: 'PeerJS Server' });
    expect(about.headers.get('access-control-allow-origin')).toBeNull();
    for (const path of ['/peerjs/peerjs/id', '/peerjs/peerjs/peers']) expect((await get(path)).status).toBe(404);
  });

  it('answers an upgrade that is nobody’s at once', async () => {
    const { port } = await bench();
    const stray = new WebSocket(`ws://127.0.0.1:${port}/elsewhere`);
    const status = await new Promise((resolve) => {
      stray.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      stray.on('error', () => undefined);
    });
    expect(status).toBe(404);
  });

  it('ends its connections and its timers when it closes', async () => {
    const { port, pass, peers } = await bench();
    const timersBefore = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const ann = connect(port, pass('ann', 'bob'));
    await ann.next();
    peers.close();
    await ann.closed;
    const timersAfter = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(timersAfter).toBeLessThanOrEqual(timersBefore);
  });
});

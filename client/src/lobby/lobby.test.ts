import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningServer, startServer } from '@riposte/signaling';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../testing/lobby-world.js';
import { connectLobby, type Lobby, type LobbyOptions } from './lobby.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };

let server: RunningServer;
let url: string;
let lobbies: Lobby[];

beforeEach(async () => {
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: ['stun:stun.example.org'] });
  url = `http://127.0.0.1:${server.port}`;
  lobbies = [];
});
afterEach(async () => {
  for (const lobby of lobbies) lobby.close();
  await server.close();
});

async function connect(options: Partial<LobbyOptions> = {}): Promise<Lobby> {
  const lobby = await connectLobby({ server: url, ...options });
  lobbies.push(lobby);
  return lobby;
}

describe('a pairing', () => {
  it('by code gives both sides what they need, and their signals reach each other in order, early ones too', async () => {
    const [ann, bob] = [await connect({ name: 'Ann' }), await connect()];
    const room = await ann.create(duel);
    expect(room).toMatchObject({ me: 0, link: `${url}/?room=${room.code}` });
    const joined = await bob.join(` ${room.code.toLowerCase()}`, duel);
    expect(joined).toMatchObject({ code: room.code, me: 1, size: 2, role: 'player' });
    const [[toAnn], [toBob]] = [await room.paired, await joined.paired];
    expect(toAnn).toMatchObject({ room: room.code, peer: { seat: joined.seat.seat, player: 1, name: 'Player 2' } });
    expect(toBob).toMatchObject({ room: room.code, peer: { seat: room.seat.seat, player: 0, name: 'Ann' } });
    expect(toAnn.initiator).not.toBe(toBob.initiator);
    expect(toAnn.iceServers).toEqual([{ urls: ['stun:stun.example.org'] }]);

    const lines = ['v=0', 'v=1', 'v=2', 'v=3'];
    for (const sdp of lines) toAnn.signals.send({ type: 'offer', sdp });
    const got: unknown[] = [];
    await new Promise<void>((resolve) => {
      toBob.signals.listen((data) => {
        got.push(data);
        if (got.length === lines.length) resolve();
      });
    });
    expect(got).toEqual(lines.map((sdp) => ({ type: 'offer', sdp })));
  });

  it('keeps signals that came before anybody listened', async () => {
    const [ann, bob] = [await connect(), await connect()];
    const room = await ann.create(duel);
    const joined = await bob.join(room.code, duel);
    const [[toAnn], [toBob]] = [await room.paired, await joined.paired];
    toAnn.signals.send(offer);
    // The server keeps the order: when Bob hears that Ann left, her signal has arrived.
    const left = new Promise<string>((resolve) => toBob.onPeerLeft(resolve));
    await ann.leave();
    expect(await left).toBe('left');
    const early: unknown[] = [];
    toBob.signals.listen((data) => early.push(data));
    expect(early).toEqual([offer]);
    expect(await new Promise((resolve) => toBob.onPeerLeft(resolve))).toBe('left');
  });

  it('by quick match', async () => {
    const [ann, bob] = [await connect(), await connect()];
    const [room, other] = [await ann.quick(duel), await bob.quick(duel)];
    expect([room.me, other.me, other.code]).toEqual([0, 1, room.code]);
    expect((await room.paired)[0].initiator).not.toBe((await other.paired)[0].initiator);
  });

  it('survives the loss of the server', async () => {
    const [ann, bob] = [await connect(), await connect()];
    const room = await ann.create(duel);
    await bob.join(room.code, duel);
    const [pairing] = await room.paired;
    await server.close();
    pairing.signals.send(offer);
    expect(await room.paired).toEqual([pairing]);
    expect(await failure(ann.create(duel))).toBe('server-lost');
    await ann.leave();
  });
});

describe('a refusal', () => {
  it('has the server’s code and sentence, and the lobby stays of use', async () => {
    const lobby = await connect();
    const missing = lobby.join('222222', duel);
    await expect(missing).rejects.toThrow('There is no open match with that code: check it, or ask for a new link.');
    expect(await failure(missing)).toBe('room-not-found');
    await lobby.create(duel);
    expect(await failure(lobby.create(duel))).toBe('already-in-room');
    await lobby.leave();
    expect((await lobby.create(duel)).me).toBe(0);
  });

  it('of what could never be names the field', async () => {
    const lobby = await connect({ name: 'x'.repeat(25) });
    await expect(lobby.create(duel)).rejects.toThrow('create-room: name: must have at most 24 characters');
    expect(await failure(lobby.quick({ game: '', version: '1' }))).toBe('bad-request');
  });
});

describe('waiting', () => {
  it('ends by leaving, closing, aborting and losing the server, each with its reason', async () => {
    const controller = new AbortController();
    const [left, closed, aborted, lost] = [
      await connect(),
      await connect(),
      await connect({ signal: controller.signal }),
      await connect({ resumeMsMax: 0 }),
    ];
    const rooms = await Promise.all([left, closed, aborted, lost].map((lobby) => lobby.create(duel)));
    await left.leave();
    expect(await failure(rooms[0].paired)).toBe('left');
    closed.close();
    expect(await failure(rooms[1].paired)).toBe('left');
    controller.abort();
    expect(await failure(rooms[2].paired)).toBe('aborted');
    await server.close();
    expect(await failure(rooms[3].paired)).toBe('server-lost');
  });

  it('ends when the server drains', async () => {
    const lobby = await connect();
    const room = await lobby.create(duel);
    await server.drain();
    expect(await failure(room.paired)).toBe('server-draining');
  });
});

describe('connecting', () => {
  it('takes an address with a path, as behind a proxy with a prefix', async () => {
    const seen: string[] = [];
    const proxy: Server = createServer();
    proxy.on('upgrade', (request, socket) => {
      seen.push(request.url ?? '');
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo; // listening on TCP
    const attempt = connectLobby({ server: `http://127.0.0.1:${port}/games?x=1` });
    expect(await failure(attempt)).toBe('server-away');
    await expect(attempt).rejects.toThrow(`at http://127.0.0.1:${port}/games/. Check`);
    expect(seen).toEqual([expect.stringMatching(/^\/games\/socket\.io\/\?EIO=4&transport=websocket/)]);
    proxy.close();
  });

  it('says that nobody is there, and what to do', async () => {
    await server.close();
    const attempt = connectLobby({ server: url });
    expect(await failure(attempt)).toBe('server-away');
    await expect(attempt).rejects.toThrow(url);
  });

  it('gives up on a server that takes the connection and says nothing', async () => {
    const silent = createServer();
    silent.on('upgrade', () => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo; // listening on TCP
    expect(await failure(connectLobby({ server: `http://127.0.0.1:${port}`, timeoutMs: 50 }))).toBe('server-away');
    silent.closeAllConnections();
    silent.close();
  });

  it('passes on a refusal in words', async () => {
    await server.close();
    server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', connectionsPerAddressMax: 1 });
    url = `http://127.0.0.1:${server.port}`;
    await connect();
    expect(await failure(connectLobby({ server: url }))).toBe('server-full');
  });

  it('is refused without a usable address, and ends when aborted', async () => {
    expect(await failure(connectLobby({ server: 'localhost:8080' }))).toBe('bad-server');
    expect(await failure(connectLobby({ server: url, signal: AbortSignal.abort() }))).toBe('aborted');
    const controller = new AbortController();
    const attempt = connectLobby({ server: url, signal: controller.signal });
    controller.abort();
    expect(await failure(attempt)).toBe('aborted');
  });
});

import { ROOM_SIZE_MAX } from '@riposte/shared/protocol';
import { startServer } from '@riposte/signaling';
import { expect, it } from 'vitest';
import { loadNodeWebRtc } from '../cli/node-webrtc.js';
import { connectSimplePeer } from '../transport/simple-peer.js';
import type { Transport } from '../transport/transport.js';
import { connectLobby, type Lobby } from './lobby.js';
import type { Room } from './room.js';

const duel = { game: 'duel', version: '1' };

it('eight players who begin at once are all connected, each with each, and no signal is refused', async () => {
  const wrtc = await loadNodeWebRtc();
  const server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] });
  const url = `http://127.0.0.1:${server.port}`;
  const lobbies: Lobby[] = [];
  const connecting: Promise<Transport>[] = [];
  const enter = async (take: (lobby: Lobby) => Promise<Room>): Promise<Room> => {
    const lobby = await connectLobby({ server: url });
    lobbies.push(lobby);
    const room = await take(lobby);
    room.onPairing(({ signals, initiator, iceServers }) => {
      connecting.push(connectSimplePeer({ signals, initiator, iceServers, wrtc }));
    });
    return room;
  };

  const created = await enter((lobby) => lobby.create(duel, { size: ROOM_SIZE_MAX }));
  const rooms = [created];
  while (rooms.length < ROOM_SIZE_MAX) rooms.push(await enter((lobby) => lobby.join(created.code, duel)));
  const paired = await Promise.all(rooms.map((room) => room.paired));
  expect(paired.map(({ length }) => length)).toEqual(Array(ROOM_SIZE_MAX).fill(ROOM_SIZE_MAX - 1));
  expect(connecting).toHaveLength(ROOM_SIZE_MAX * (ROOM_SIZE_MAX - 1));
  const transports = await Promise.all(connecting);
  expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('reason="rate-limited"');

  for (const thing of [...transports, ...lobbies]) thing.close();
  await server.close();
}, 60_000);

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { io as connect } from 'socket.io-client';
import { expect, it } from 'vitest';
import { type EngineSocket, keepOrder } from './engine-socket.js';
import { GatheringWebSocketServer } from './gathering-websocket.js';

/** What a client hears that is told, by itself and together with all others, in one round. */
async function heard(prepare: (raw: EngineSocket) => void): Promise<string[]> {
  const http = createServer();
  const io = new Server(http, { transports: ['websocket'], wsEngine: GatheringWebSocketServer });
  io.engine.on('connection', prepare);
  io.on('connection', (socket) => {
    socket.emit('one');
    io.emit('two');
    socket.emit('three');
    io.emit('four');
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const { port } = http.address() as AddressInfo; // a TCP server's address is never text
  const client = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'] });
  const words: string[] = [];
  client.onAny((word: string) => words.push(word));
  await expect.poll(() => words.length).toBe(4);
  client.disconnect();
  await io.close();
  return words;
}

it('what is told to many keeps its place among what is told to one, which it has not by itself', async () => {
  const order = ['one', 'two', 'three', 'four'];
  expect(await heard(keepOrder)).toEqual(order);
  expect(await heard(() => undefined)).not.toEqual(order);
});

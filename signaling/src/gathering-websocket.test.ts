import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type GatheringWebSocket, GatheringWebSocketServer } from './gathering-websocket.js';

const http = createServer();
let ours: GatheringWebSocket;
let theirs: WebSocket;
let heard: string[];
/** Called with what is handed to the network, piece by piece. */
let write: MockInstance;

beforeEach(async () => {
  const server = new GatheringWebSocketServer({ noServer: true });
  http.removeAllListeners('upgrade').on('upgrade', (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (websocket) => server.emit('connection', websocket, request));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const { port } = http.address() as AddressInfo; // a TCP server's address is never text
  const connected = once(server, 'connection');
  theirs = new WebSocket(`ws://127.0.0.1:${port}`);
  heard = [];
  theirs.on('message', (data) => heard.push(String(data)));
  [ours] = await connected;
  await once(theirs, 'open');
  if (ours.wire === undefined) throw new Error('no connection to write to');
  write = vi.spyOn(ours.wire, 'write');
});

afterEach(async () => {
  theirs.terminate();
  ours.terminate();
  await once(http.close(), 'close');
});

/** What the other side has heard once `count` texts have arrived. */
async function hears(count: number): Promise<string[]> {
  await expect.poll(() => heard.length).toBe(count);
  return heard;
}

it('what is told in one round goes out in one piece, in its order', async () => {
  const texts = ['one', 'x'.repeat(125), 'x'.repeat(126), 'x'.repeat(300), ''];
  for (const text of texts) ours.send(text);
  expect(write).not.toHaveBeenCalled();
  expect(await hears(5)).toEqual(texts);
  expect(write).toHaveBeenCalledTimes(1);
  ours.send('more');
  expect((await hears(6)).at(-1)).toBe('more');
  expect(write).toHaveBeenCalledTimes(2);
});

it('what is too much for a round goes out before its end', async () => {
  const texts = Array.from({ length: 40 }, (_, index) => String.fromCharCode(65 + index).repeat(5_000));
  for (const text of texts) ours.send(text);
  expect(write).toHaveBeenCalledTimes(2);
  expect(await hears(40)).toEqual(texts);
  expect(write).toHaveBeenCalledTimes(3);
});

it('any letter arrives as it was, and any length', async () => {
  const texts = [
    'Zoë',
    '王芳 👩‍🚀',
    '\u0080\u00ff',
    'é'.repeat(63),
    'é'.repeat(40_000),
    'x'.repeat(65_535),
    'x'.repeat(65_536),
  ];
  for (const text of texts) ours.send(text);
  expect(await hears(texts.length)).toEqual(texts);
});

it('bytes, and texts with wishes of their own, keep their place among the others', async () => {
  ours.send('one');
  ours.send(Buffer.from('two'));
  ours.send('three');
  ours.send('four', { fin: true });
  ours.send('five');
  expect(await hears(5)).toEqual(['one', 'two', 'three', 'four', 'five']);
});

it('a text counts as done at once, and is heard before the end', async () => {
  const done = vi.fn();
  ours.send('last words', done);
  expect(done).toHaveBeenCalledOnce();
  ours.close();
  await once(theirs, 'close');
  expect(heard).toEqual(['last words']);
});

it('after the end nothing is sent, and whoever sends is told so', async () => {
  ours.close();
  const failed = await new Promise((resolve) => ours.send('too late', resolve));
  expect(String(failed)).toContain('not open');
});

it('a connection that goes in the midst of a round takes nothing with it', async () => {
  ours.send('into the void');
  ours.wire?.destroy();
  await once(ours, 'close');
  expect(write).not.toHaveBeenCalled();
});

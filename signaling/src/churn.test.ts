import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness, TestPeer } from '../testing/harness.js';
import { duel, granted } from '../testing/members.js';
import { defaultConfig, type RateLimits } from './config.js';

const HOURS = 24;
const ROUNDS_PER_HOUR = 4;

/** Before the first hour: code that is compiled and buffers that stay are no growth. */
const ROUNDS_BEFORE = 30;
const HOUR_MS = 3_600_000;
const GROWTH_BYTES_MAX = 2 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes in use once nothing is left that is not. */
async function bytesInUse(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    // What a closed connection holds is let go of a little later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Those who come, meet, watch, wait in vain, vanish and leave, each in their own way. */
async function visit({ url, server }: Harness): Promise<void> {
  const peers = Array.from({ length: 8 }, () => new TestPeer(url));
  const [ann, bob, cat, dan, eve, finn, gus, hal] = peers;
  const { room } = granted(await ann.request('create-room', { ...duel, listed: true, title: 'Docks' }));
  await eve.request('watch-room', { code: room, game: 'duel' });
  await bob.request('join-room', { code: room, game: 'duel' });
  const { peer, pairing } = await ann.next('paired');
  for (let index = 0; index < 20; index++) {
    ann.say('signal', { to: peer.seat, pairing, data: { type: 'offer', sdp: 'v=0 '.repeat(200) } });
  }
  for (let index = 0; index < 20; index++) await bob.next('signal');
  await ann.request('pair-again', { to: peer.seat, pairing });
  await Promise.all([cat.request('quick-match', duel), dan.request('quick-match', duel)]);
  const seat = granted(await finn.request('create-room', duel));
  finn.socket.disconnect();
  await gus.request('resume-seat', { seat: seat.seat, secret: seat.secret, pairings: [] });
  await hal.request('quick-match', { ...duel, version: '2' });
  await hal.request('join-room', { code: 'no code', game: 'duel' });
  await bob.request('leave-room', {});
  await fetch(`${url}/readyz`).then((response) => response.text());
  for (const { socket } of peers) socket.disconnect();
  await server.matchWaiting();
}

it('a day of coming and going leaves nothing behind', { timeout: 120_000 }, async () => {
  const clock = new TestClock();
  // The limits count in the machine's own time, and forget after a second.
  const plenty = { points: 1_000_000_000, seconds: 1 };
  const limits = Object.fromEntries(Object.keys(defaultConfig.limits).map((name) => [name, plenty]));
  const { now, unixMs, after } = clock;
  const harness = await startHarness(
    { limits: { ...defaultConfig.limits, ...(limits as Partial<RateLimits>) } }, // the same keys
    { now, unixMs, after },
  );
  const { server } = harness;
  for (let round = 0; round < ROUNDS_BEFORE; round++) await visit(harness);
  const hourly: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) {
    for (let round = 0; round < ROUNDS_PER_HOUR; round++) {
      await visit(harness);
      clock.advance(HOUR_MS / ROUNDS_PER_HOUR);
    }
    // The server hears of the last ones' going.
    await expect
      .poll(async () => figure(await (await fetch(`${harness.url}/metrics`)).text(), 'riposte_connections'))
      .toBe(0);
    await server.expireSeats();
    clock.advance(HOUR_MS);
    await server.expireSeats();
    await server.expireRooms();
    hourly.push(await bytesInUse());
  }
  const text = await (await fetch(`${harness.url}/metrics`)).text();
  expect(figure(text, 'riposte_rooms{state="open"}')).toBe(0);
  expect(figure(text, 'riposte_spectators')).toBe(0);
  expect(figure(text, 'riposte_time_to_pair_seconds_count{by="quick",size="2"}')).toBe(
    2 * (ROUNDS_BEFORE + HOURS * ROUNDS_PER_HOUR),
  );
  const last = hourly.slice(-3).sort((a, b) => a - b)[1];
  expect(
    last - hourly[0],
    `MiB by hour: ${hourly.map((bytes) => (bytes / 2 ** 20).toFixed(2)).join(' ')}`,
  ).toBeLessThan(GROWTH_BYTES_MAX);
  await harness.close();
});

function figure(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `)) ?? '';
  return Number(line.slice(name.length));
}

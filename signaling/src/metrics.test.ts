import { EventEmitter, once } from 'node:events';
import type { SeatGrant } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness, type TestPeer } from '../testing/harness.js';
import { granted } from '../testing/members.js';
import { createMemoryStore } from './store/memory.js';
import type { Room, SeenPairing } from './store/room.js';
import { systemTimers } from './timers.js';

let harness: Harness;
afterEach(() => harness.close());

const TOKEN = 'a-token-of-some-length';
const duel = { game: 'duel', version: '1' };

async function scrape(headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(`${harness.url}/metrics`, { headers });
  return { status: response.status, text: await response.text() };
}

/** The figure of one line, as `riposte_rooms{state="open"}`. */
async function figure(name: string): Promise<number> {
  const { text } = await scrape();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`no ${name} in:\n${text}`);
  return Number(line.slice(name.length));
}

describe('metrics', () => {
  it('count connections, rooms, who waits, the time to pair, and what was passed on', async () => {
    harness = await startHarness();
    const [ann, bob] = await Promise.all([harness.peer().connected(), harness.peer().connected()]);
    expect(await figure('riposte_connections')).toBe(2);
    await ann.request('quick-match', duel);
    expect(await figure('riposte_waiting{by="quick"}')).toBe(1);
    expect(await figure('riposte_rooms{state="open"}')).toBe(1);
    await bob.request('quick-match', duel);
    const { peer, pairing } = await ann.next('paired');
    await bob.next('paired');
    expect(await figure('riposte_waiting{by="quick"}')).toBe(0);
    expect(await figure('riposte_rooms{state="pairing"}')).toBe(1);
    expect(await figure('riposte_time_to_pair_seconds_count{by="quick",size="2"}')).toBe(2);
    expect(await figure('riposte_matches_total{size="2"}')).toBe(1);
    await ann.request('signal', { to: peer.seat, pairing, data: { type: 'offer', sdp: 'v=0' } });
    await bob.next('signal');
    expect(await figure('riposte_relayed_messages_total{way="socket.io"}')).toBe(1);
  });

  it('forget somebody who waits and goes', async () => {
    harness = await startHarness();
    const [leaves, vanishes, stays] = [harness.peer(), harness.peer(), harness.peer()];
    await leaves.request('create-room', duel);
    await vanishes.request('create-room', duel);
    await stays.request('create-room', duel);
    expect(await figure('riposte_waiting{by="code"}')).toBe(3);
    await leaves.request('leave-room', {});
    vanishes.socket.disconnect();
    await expect.poll(() => figure('riposte_waiting{by="code"}')).toBe(1);
    expect(await figure('riposte_time_to_pair_seconds_count{by="code",size="2"}')).toBe(0);
  });

  it('forget somebody who vanishes while the seat is being taken', async () => {
    const store = createMemoryStore();
    const door = new EventEmitter();
    const add = async (room: Room) => {
      const opened = once(door, 'open');
      door.emit('knock');
      await opened;
      return store.add(room);
    };
    const knocked = once(door, 'knock');
    harness = await startHarness({}, { ...systemTimers, store: { ...store, add } });
    const ann = harness.peer();
    ann.say('create-room', duel);
    await knocked;
    ann.socket.disconnect();
    await expect.poll(() => figure('riposte_connections')).toBe(0);
    door.emit('open');
    await expect.poll(() => figure('riposte_rooms{state="open"}')).toBe(1);
    expect(await figure('riposte_waiting{by="code"}')).toBe(0);
  });

  it.each([
    ['code', 'create-room'],
    ['quick', 'quick-match'],
  ] as const)('keep somebody who waits by %s and loads the page again', async (by, event) => {
    harness = await startHarness();
    const reload = async (peer: TestPeer, { seat, secret }: SeatGrant, pairings: SeenPairing[]) => {
      peer.socket.disconnect();
      await expect.poll(() => figure('riposte_connections')).toBe(0);
      const page = harness.peer();
      return { page, grant: granted(await page.request('resume-seat', { seat, secret, pairings })) };
    };
    const ann = harness.peer();
    const first = granted(await ann.request(event, duel));
    const { page, grant } = await reload(ann, first, []);
    expect(await figure(`riposte_waiting{by="${by}"}`)).toBe(1);
    const bob = harness.peer();
    if (by === 'code') await bob.request('join-room', { code: grant.room, game: 'duel' });
    else await bob.request('quick-match', duel);
    const { pairing, peer } = await page.next('paired');
    expect(await figure(`riposte_waiting{by="${by}"}`)).toBe(0);
    // In a match that has begun nobody waits.
    bob.socket.disconnect();
    await reload(page, grant, [{ seat: peer.seat, pairing }]);
    expect(await figure(`riposte_waiting{by="${by}"}`)).toBe(0);
  });

  it('count who watches', async () => {
    harness = await startHarness();
    const host = harness.peer();
    const reply = await host.request('create-room', duel);
    const code = reply.ok ? reply.room : '';
    const [eve, mallory] = [harness.peer(), harness.peer()];
    for (const peer of [eve, mallory]) await peer.request('watch-room', { code, game: 'duel' });
    expect(await figure('riposte_spectators')).toBe(2);
    eve.socket.disconnect();
    await expect.poll(() => figure('riposte_spectators')).toBe(1);
    await host.request('leave-room', {});
    await mallory.next('room-closed');
    expect(await figure('riposte_spectators')).toBe(0);
  });

  it('count refusals by their reason, and what was too much', async () => {
    const rate = { points: 1, seconds: 60 };
    const { defaultConfig } = await import('./config.js');
    harness = await startHarness({ limits: { ...defaultConfig.limits, joinsPerAddress: rate } });
    const peer = harness.peer();
    await peer.request('join-room', { code: 'AAAAAA', game: 'duel' });
    await peer.request('join-room', { code: 'AAAAAA', game: 'duel' });
    await harness
      .peer({ headers: { origin: 'https://evil.example' } })
      .connected()
      .catch(() => undefined);
    expect(await figure('riposte_refusals_total{reason="room-not-found"}')).toBe(1);
    expect(await figure('riposte_refusals_total{reason="rate-limited"}')).toBe(1);
    expect(await figure('riposte_refusals_total{reason="foreign-origin"}')).toBe(1);
    expect(await figure('riposte_rate_limited_total')).toBe(1);
  });

  it('tell of the process: memory and the delay of its event loop', async () => {
    harness = await startHarness();
    const { text } = await scrape();
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('without a token are for this machine alone: what came through a proxy finds nothing', async () => {
    harness = await startHarness();
    expect((await scrape()).status).toBe(200);
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host']) {
      expect(await scrape({ [name]: '127.0.0.1' })).toEqual({ status: 404, text: 'Not found.' });
    }
  });

  it('with a token are for whoever shows it', async () => {
    harness = await startHarness({ metricsToken: TOKEN });
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
      expect((await scrape({ authorization })).status).toBe(401);
    }
    expect((await scrape({ authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.7' })).status).toBe(200);
  });
});

import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness } from '../testing/harness.js';
import { defaultConfig, type ServerConfig } from './config.js';
import { createIceSource } from './ice.js';

const duel = { game: 'duel', version: '1' };
const stun = { urls: ['stun:stun.example.org'] };
const turn = {
  stunUrls: stun.urls,
  turnUrls: ['turn:turn.example.org:3478', 'turns:turn.example.org:5349'],
  turnSecret: 's3cret',
  turnTtlS: 600,
};

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

describe('ICE servers', () => {
  it('carry credentials by coturn’s scheme that expire', () => {
    const source = createIceSource({ ...turn, unixMs: () => 1_700_000_000_999 });
    const credential = createHmac('sha1', 's3cret').update('1700000600:seat').digest('base64');
    const relay = { urls: turn.turnUrls, username: '1700000600:seat', credential };
    expect(source.serversFor('seat', false)).toEqual([stun, relay]);
    expect(source.serversFor('seat', true), 'nothing that finds the own address').toEqual([relay]);
    expect(source.hasRelay).toBe(true);
  });

  it('are STUN alone, or none, where there is no relay', () => {
    const none = { turnUrls: [], turnSecret: undefined, turnTtlS: 600, unixMs: () => 0 };
    expect(createIceSource({ ...none, stunUrls: stun.urls }).serversFor('seat', false)).toEqual([stun]);
    expect(createIceSource({ ...none, stunUrls: [] })).toMatchObject({ hasRelay: false });
  });

  it('come with each pairing and on request, fresh each time, and to nobody who is alone', async () => {
    const clock = new TestClock();
    harness = await startHarness(turn, clock);
    const [host, guest] = [harness.peer(), harness.peer()];
    const nobody = { to: 'A'.repeat(22) };
    expect(await host.request('ice-servers', nobody)).toMatchObject({ error: { code: 'not-in-room' } });
    const created = await host.request('create-room', duel);
    if (!created.ok) throw new Error('refused');
    expect(await host.request('ice-servers', nobody)).toMatchObject({ error: { code: 'peer-gone' } });
    expect(await host.request('ice-servers', { to: created.seat })).toMatchObject({ error: { code: 'peer-gone' } });
    const joined = await guest.request('join-room', { code: created.room, game: 'duel' });
    if (!joined.ok) throw new Error('refused');
    const first = (await host.next('paired')).iceServers[1].username;
    expect(first).toBe(`1700000600:${created.seat}`);
    expect((await guest.next('paired')).iceServers[1].username).not.toBe(first);

    clock.advance(300_000);
    const fresh = { ok: true, iceServers: [stun, { username: `1700000900:${created.seat}` }] };
    expect(await host.request('ice-servers', { to: joined.seat })).toMatchObject(fresh);
    await guest.request('pair-again', { to: created.seat, pairing: 1 });
    expect((await host.next('paired')).iceServers).toMatchObject(fresh.iceServers);
  });

  it('are limited by seat', async () => {
    const limits: ServerConfig['limits'] = { ...defaultConfig.limits, iceServersPerSeat: { points: 1, seconds: 60 } };
    harness = await startHarness({ ...turn, limits });
    const [host, guest] = [harness.peer(), harness.peer()];
    await host.request('quick-match', duel);
    await guest.request('quick-match', duel);
    const to = (await host.next('paired')).peer.seat;
    expect(await host.request('ice-servers', { to })).toMatchObject({ ok: true });
    expect(await host.request('ice-servers', { to })).toMatchObject({ error: { code: 'rate-limited' } });
    const back = { to: (await guest.next('paired')).peer.seat };
    expect(await guest.request('ice-servers', back)).toMatchObject({ ok: true });
  });
});

describe('relay only', () => {
  it('holds for both when one of them asks for it', async () => {
    harness = await startHarness(turn);
    const [host, guest] = [harness.peer(), harness.peer()];
    await host.request('quick-match', duel);
    await guest.request('quick-match', { ...duel, relayOnly: true });
    for (const peer of [host, guest]) {
      expect(await peer.next('paired')).toMatchObject({ relayOnly: true, iceServers: [{ urls: turn.turnUrls }] });
    }
  });

  it('is refused in words where there is no relay', async () => {
    harness = await startHarness();
    for (const event of ['create-room', 'quick-match'] as const) {
      expect(await harness.peer().request(event, { ...duel, relayOnly: true })).toMatchObject({
        error: { code: 'relay-unavailable', message: expect.stringContaining('no relay') },
      });
    }
  });
});

import type { ReplyTo, SeatGrant } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness, type TestPeer } from '../testing/harness.js';
import { defaultConfig, type ServerConfig } from './config.js';
import { createMemoryStore } from './store/memory.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };
const notFound = { ok: false, error: { code: 'seat-not-found' } };
const inUse = { ok: false, error: { code: 'seat-in-use' } };

const clock = { current: new TestClock() };
const store = { current: createMemoryStore() };
let harness: Harness;
afterEach(() => harness.close());

async function start(settings: Partial<ServerConfig> = {}): Promise<void> {
  clock.current = new TestClock();
  store.current = createMemoryStore();
  const { now, unixMs, after } = clock.current;
  harness = await startHarness(settings, { now, unixMs, after, store: store.current });
}

function granted(reply: { ok: boolean }): SeatGrant {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
  return reply as unknown as SeatGrant; // the harness parsed it as this reply
}

interface Player {
  peer: TestPeer;
  grant: SeatGrant;
}

/** Two players who heard of their first pairing. */
async function pair(options: { alive?: boolean } = {}): Promise<{ host: Player; guest: Player }> {
  const host = harness.peer(options);
  const guest = harness.peer(options);
  const hostGrant = granted(await host.request('create-room', { ...duel, name: 'Ann' }));
  const guestGrant = granted(await guest.request('join-room', { code: hostGrant.room, game: 'duel', name: 'Bob' }));
  expect([(await host.next('paired')).pairing, (await guest.next('paired')).pairing]).toEqual([1, 1]);
  return { host: { peer: host, grant: hostGrant }, guest: { peer: guest, grant: guestGrant } };
}

/** Takes a seat back that knows of this pairing with the other one. */
async function resume(peer: TestPeer, grant: SeatGrant, pairing = 1): Promise<ReplyTo<'resume-seat'>> {
  const { seat, secret } = grant;
  const room = await store.current.find(grant.room);
  const others = room?.seats.filter(({ id }) => id !== seat) ?? [];
  return peer.request('resume-seat', { seat, secret, pairings: others.map(({ id }) => ({ seat: id, pairing })) });
}

/** Asks for a new pairing. */
function again(player: Player, other: Player, pairing: number): Promise<ReplyTo<'pair-again'>> {
  return player.peer.request('pair-again', { to: other.grant.seat, pairing });
}

/** Cuts the player's connection; resolves when the server has told the other one. */
async function cut(player: Player, other: Player): Promise<void> {
  player.peer.socket.disconnect();
  expect(await other.peer.next('peer-away')).toEqual({ seat: player.grant.seat });
}

describe('a seat whose connection ended', () => {
  it('is kept, and the other one is told of its going and its coming', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    clock.current.advance(59_999);
    await harness.server.expireSeats();
    const back = harness.peer();
    const reply = await resume(back, guest.grant);
    expect(reply).toMatchObject({ ok: true, room: guest.grant.room, seat: guest.grant.seat, player: 1, started: true });
    expect(reply).toMatchObject({ peers: [{ seat: host.grant.seat, player: 0, name: 'Ann', away: false }] });
    expect(await host.peer.next('peer-back')).toEqual({ seat: guest.grant.seat });
    await back.request('signal', { to: host.grant.seat, pairing: 1, data: offer });
    expect(await host.peer.next('signal')).toEqual({ from: guest.grant.seat, pairing: 1, data: offer });
    expect(host.peer.pending('paired') + back.pending('paired') + host.peer.pending('peer-left')).toBe(0);
  });

  it('is free after its time: the other one is told, nobody gets it back, and nothing of it stays', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    clock.current.advance(60_000);
    await harness.server.expireSeats();
    expect(host.peer.pending('peer-left')).toBe(0);
    clock.current.advance(1);
    expect(await resume(harness.peer(), guest.grant), 'late, although nobody has looked yet').toMatchObject(notFound);
    await harness.server.expireSeats();
    expect(await host.peer.next('peer-left')).toEqual({ seat: guest.grant.seat, reason: 'disconnected' });
    expect(await resume(harness.peer(), guest.grant)).toMatchObject(notFound);
    const to = guest.grant.seat;
    expect(await host.peer.request('pair-again', { to, pairing: 1 })).toMatchObject({ error: { code: 'peer-gone' } });
    expect(await host.peer.request('ice-servers', { to })).toMatchObject({ error: { code: 'peer-gone' } });
    expect((await store.current.count(0)).rooms).toBe(1);
    await host.peer.request('leave-room', {});
    expect((await store.current.count(0)).rooms).toBe(0);
  });

  it('frees the room when nobody comes back', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    host.peer.socket.disconnect();
    await expect.poll(async () => (await store.current.find(host.grant.room))?.seats[0].awaySince).toBe(0);
    clock.current.advance(60_001);
    await harness.server.expireSeats();
    expect(await store.current.count(0)).toEqual({ rooms: 0, pairing: 0 });
    expect(clock.current.waiting).toBe(0);
  });

  it('keeps the code of a room where somebody waits; who joins meanwhile is paired when its owner is back', async () => {
    await start();
    const host = harness.peer();
    const grant = granted(await host.request('create-room', duel));
    host.socket.disconnect();
    await expect.poll(async () => (await store.current.find(grant.room))?.seats[0].awaySince).toBe(0);
    const guest = harness.peer();
    granted(await guest.request('join-room', { code: grant.room, game: 'duel' }));
    const back = harness.peer();
    granted(await resume(back, grant, 0));
    expect((await guest.next('paired')).pairing).toBe(1);
    expect((await back.next('paired')).pairing).toBe(1);
  });

  it('is no partner in a quick match until it is back', async () => {
    await start();
    const [ann, bob, cat] = [harness.peer(), harness.peer(), harness.peer()];
    const grant = granted(await ann.request('quick-match', duel));
    ann.socket.disconnect();
    await expect.poll(async () => (await store.current.find(grant.room))?.seats[0].awaySince).toBe(0);
    expect(granted(await bob.request('quick-match', duel)).player).toBe(0);
    await bob.request('leave-room', {});
    const back = harness.peer();
    granted(await resume(back, grant, 0));
    expect(granted(await cat.request('quick-match', duel)).room).toBe(grant.room);
    expect((await back.next('paired')).pairing).toBe(1);
  });

  it('of a running match outlives the time of an idle room', async () => {
    await start({ roomTtlS: 60 });
    const { host, guest } = await pair();
    clock.current.advance(3_600_000);
    expect(await harness.server.expireRooms()).toBe(0);
    await cut(guest, host);
    expect(await harness.server.expireRooms()).toBe(0);
    expect(await resume(harness.peer(), guest.grant)).toMatchObject({ ok: true });
  });
});

describe('the secret of a seat', () => {
  it('changes with each resume; the one before is void once the new one is confirmed', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    const back = harness.peer();
    const second = granted(await resume(back, guest.grant));
    expect(second.secret).not.toBe(guest.grant.secret);
    expect(await back.request('confirm-seat', { secret: second.secret })).toEqual({ ok: true });
    await cut({ peer: back, grant: second }, host);
    expect(await resume(harness.peer(), guest.grant)).toMatchObject(notFound);
    expect(await resume(harness.peer(), second)).toMatchObject({ ok: true });
  });

  it('may be lost on its way: the one before opens the seat until the new one was used', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    const lost = harness.peer();
    const neverSeen = granted(await resume(lost, guest.grant));
    await cut({ peer: lost, grant: neverSeen }, host);
    const again = harness.peer();
    const third = granted(await resume(again, guest.grant));
    await cut({ peer: again, grant: third }, host);
    expect(await resume(harness.peer(), neverSeen), 'replaced').toMatchObject(notFound);
    const used = harness.peer();
    const fourth = granted(await resume(used, third));
    await cut({ peer: used, grant: fourth }, host);
    expect(await resume(harness.peer(), guest.grant), 'stale').toMatchObject(notFound);
    expect(await resume(harness.peer(), third), 'newest that was used').toMatchObject({ ok: true });
  });

  it('is not confirmed by another one, nor by somebody without a seat', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    const back = harness.peer();
    const second = granted(await resume(back, guest.grant));
    expect(await back.request('confirm-seat', { secret: guest.grant.secret })).toEqual({ ok: true });
    expect(await harness.peer().request('confirm-seat', { secret: second.secret })).toMatchObject({
      error: { code: 'not-in-room' },
    });
    await cut({ peer: back, grant: second }, host);
    expect(await resume(harness.peer(), guest.grant)).toMatchObject({ ok: true });
  });

  it('that is wrong, of another seat or room, or for nothing at all has one and the same answer', async () => {
    await start();
    const { host, guest } = await pair();
    const { guest: other } = await pair();
    await cut(guest, host);
    const thief = harness.peer();
    const wrong = await resume(thief, { ...guest.grant, secret: 'A'.repeat(22) });
    expect(wrong).toMatchObject(notFound);
    for (const guess of [
      { ...guest.grant, secret: host.grant.secret },
      { ...guest.grant, seat: host.grant.seat },
      { ...guest.grant, seat: 'A'.repeat(22) },
      { ...guest.grant, seat: other.grant.seat },
    ]) {
      expect(await resume(thief, guess)).toEqual(wrong);
    }
    expect(host.peer.pending('peer-back')).toBe(0);
    expect(await resume(harness.peer(), guest.grant)).toMatchObject({ ok: true });
  });

  it('is of no use to a connection that has a seat', async () => {
    await start();
    const { host, guest } = await pair();
    expect(await resume(host.peer, guest.grant)).toMatchObject({ error: { code: 'already-in-room' } });
  });
});

describe('a seat that has a connection', () => {
  it('stays with it when it answers: a second tab is refused in words', async () => {
    await start();
    const { host, guest } = await pair();
    const tab = harness.peer();
    const refusal = await resume(tab, guest.grant);
    expect(refusal).toMatchObject(inUse);
    expect(refusal).toMatchObject({ error: { message: expect.stringContaining('open in another tab') } });
    await guest.peer.request('signal', { to: host.grant.seat, pairing: 1, data: offer });
    expect(await host.peer.next('signal')).toMatchObject({ from: guest.grant.seat });
    expect(host.peer.pending('peer-away')).toBe(0);
    expect(clock.current.waiting).toBe(0);
    expect(await tab.request('create-room', duel), 'that tab may play another match').toMatchObject({ ok: true });
  });

  it('goes over when it does not answer within two seconds, and the old connection is closed', async () => {
    await start();
    const { host, guest } = await pair({ alive: false });
    const closed = guest.peer.disconnected();
    const back = harness.peer();
    const reply = resume(back, guest.grant);
    await expect.poll(() => clock.current.waiting).toBe(1);
    clock.current.advance(1_999);
    expect(clock.current.waiting).toBe(1);
    clock.current.advance(1);
    expect(await reply).toMatchObject({ ok: true });
    expect(await guest.peer.next('seat-taken')).toEqual({ room: guest.grant.room });
    expect(await closed).toBe('io server disconnect');
    await back.request('signal', { to: host.grant.seat, pairing: 1, data: offer });
    expect(await host.peer.next('signal')).toMatchObject({ from: guest.grant.seat });
    expect(host.peer.pending('peer-away') + host.peer.pending('peer-back'), 'nobody missed it').toBe(0);
  });

  it('goes over at once when the old connection ends while it is asked', async () => {
    await start();
    const { guest } = await pair({ alive: false });
    const reply = resume(harness.peer(), guest.grant);
    await expect.poll(() => clock.current.waiting).toBe(1);
    guest.peer.socket.disconnect();
    expect(await reply).toMatchObject({ ok: true });
    expect(clock.current.waiting).toBe(0);
  });

  it('goes to exactly one of two tabs that take it back at once', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    const replies = await Promise.all([resume(harness.peer(), guest.grant), resume(harness.peer(), guest.grant)]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    expect(replies.find(({ ok }) => !ok)).toMatchObject(inUse);
  });
});

describe('pairing again', () => {
  it('gives both a new pairing with one initiator, however many ask, and old signals go nowhere', async () => {
    await start({ stunUrls: ['stun:stun.example.org'] });
    const { host, guest } = await pair();
    const asked = await Promise.all(
      [host, guest, host].map((player) => again(player, player === host ? guest : host, 1)),
    );
    expect(asked).toEqual(Array(3).fill({ ok: true, waiting: false }));
    const [toHost, toGuest] = [await host.peer.next('paired'), await guest.peer.next('paired')];
    expect([toHost.pairing, toGuest.pairing]).toEqual([2, 2]);
    expect([toHost.initiator, toGuest.initiator].filter(Boolean)).toHaveLength(1);
    expect(toHost.iceServers).toEqual([{ urls: ['stun:stun.example.org'] }]);
    expect(toHost.peer).toMatchObject({ seat: guest.grant.seat, name: 'Bob' });

    const stale = await guest.peer.request('signal', { to: host.grant.seat, pairing: 1, data: offer });
    expect(stale).toMatchObject({ ok: false, error: { code: 'stale-pairing' } });
    await guest.peer.request('signal', { to: host.grant.seat, pairing: 2, data: offer });
    expect((await host.peer.next('signal')).pairing).toBe(2);
    expect(host.peer.pending('signal') + host.peer.pending('paired') + guest.peer.pending('paired')).toBe(0);
  });

  it('waits for the one who is away', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    expect(await again(host, guest, 1)).toEqual({ ok: true, waiting: true });
    expect(await host.peer.request('signal', { to: guest.grant.seat, pairing: 1, data: offer })).toMatchObject({
      error: { code: 'peer-away' },
    });
    const back = harness.peer();
    granted(await resume(back, guest.grant));
    expect([(await host.peer.next('paired')).pairing, (await back.next('paired')).pairing]).toEqual([2, 2]);
    expect(host.peer.pending('paired') + back.pending('paired')).toBe(0);
  });

  it('is what a signal waits for that comes back undelivered; one that is of no use any more does not', async () => {
    await start();
    const { host, guest } = await pair();
    await cut(guest, host);
    const signal = { to: guest.grant.seat, pairing: 1, data: offer };
    host.peer.say('signal', { ...signal, pairing: 2 });
    host.peer.say('signal', signal);
    expect(await host.peer.next('signal-undelivered')).toEqual(signal);
    expect(host.peer.pending('signal-undelivered')).toBe(0);
  });

  it('comes by itself to a page that was loaded again, and to one that missed a pairing', async () => {
    await start();
    const { host, guest } = await pair({ alive: false });
    await cut(guest, host);
    const reloaded = harness.peer({ alive: false });
    const second = granted(await resume(reloaded, guest.grant, 0));
    expect([(await host.peer.next('paired')).pairing, (await reloaded.next('paired')).pairing]).toEqual([2, 2]);
    await reloaded.request('confirm-seat', { secret: second.secret });

    // Its network is cut without a word: what the server tells it is lost.
    await again(host, guest, 2);
    expect((await host.peer.next('paired')).pairing).toBe(3);
    const back = harness.peer();
    const reply = resume(back, second, 2);
    await expect.poll(() => clock.current.waiting).toBe(1);
    clock.current.advance(2_000);
    granted(await reply);
    expect([(await host.peer.next('paired')).pairing, (await back.next('paired')).pairing]).toEqual([4, 4]);
  });

  it('is for those in a room with somebody else', async () => {
    await start();
    const peer = harness.peer();
    const to = 'A'.repeat(22);
    const ask = () => peer.request('pair-again', { to, pairing: 0 });
    expect(await ask()).toMatchObject({ error: { code: 'not-in-room' } });
    await peer.request('create-room', duel);
    expect(await ask()).toMatchObject({ error: { code: 'peer-gone' } });
  });

  it('is limited by pair, and resuming by seat and address', async () => {
    const once = { points: 1, seconds: 60 };
    await start({ limits: { ...defaultConfig.limits, pairingsPerPair: once, resumesPerSeat: once } });
    const { host, guest } = await pair();
    const refusal = { ok: false, error: { code: 'rate-limited' } };
    expect(await again(host, guest, 1)).toMatchObject({ ok: true });
    expect((await guest.peer.next('paired')).pairing).toBe(2);
    expect(await again(guest, host, 1), 'that one is made').toMatchObject({ ok: true });
    expect(await again(guest, host, 2)).toMatchObject(refusal);
    await cut(guest, host);
    const back = harness.peer();
    const second = granted(await resume(back, guest.grant, 2));
    await cut({ peer: back, grant: second }, host);
    expect(await resume(harness.peer(), second, 2)).toMatchObject(refusal);
    await harness.close();

    await start({ limits: { ...defaultConfig.limits, resumesPerAddress: once } });
    const thief = harness.peer();
    expect(await resume(thief, guest.grant)).toMatchObject(notFound);
    expect(await resume(thief, guest.grant)).toMatchObject(refusal);
  });
});

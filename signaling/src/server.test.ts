import type { ClientEvent, SeatGrant } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness, type TestPeer } from '../testing/harness.js';
import { defaultConfig, type ServerConfig } from './config.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };

let harness: Harness;
afterEach(() => harness.close());

async function start(settings: Partial<ServerConfig> = {}, clock?: TestClock): Promise<void> {
  harness = await startHarness(settings, clock);
}

function granted(reply: { ok: boolean }): SeatGrant {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
  return reply as unknown as SeatGrant; // the harness parsed it as this reply
}

async function pair(): Promise<{ host: TestPeer; guest: TestPeer; hostSeat: SeatGrant; guestSeat: SeatGrant }> {
  const host = harness.peer();
  const guest = harness.peer();
  const hostSeat = granted(await host.request('create-room', { ...duel, name: 'Ann' }));
  const guestSeat = granted(await guest.request('join-room', { code: hostSeat.room, game: 'duel', name: 'Bob' }));
  return { host, guest, hostSeat, guestSeat };
}

describe('pairing', () => {
  it('by code: the creator is player 0, the joiner 1, each hears of the other, exactly one initiates', async () => {
    await start({ stunUrls: ['stun:stun.example.org'] });
    const { host, guest, hostSeat, guestSeat } = await pair();
    const [toHost, toGuest] = [await host.next('paired'), await guest.next('paired')];
    expect(toHost).toMatchObject({
      room: hostSeat.room,
      pairing: 1,
      player: 0,
      peer: { seat: guestSeat.seat, name: 'Bob' },
    });
    expect(toGuest).toMatchObject({ room: hostSeat.room, player: 1, peer: { seat: hostSeat.seat, name: 'Ann' } });
    expect([toHost.initiator, toGuest.initiator].filter(Boolean)).toHaveLength(1);
    expect(toHost.iceServers).toEqual([{ urls: ['stun:stun.example.org'] }]);
  });

  it('takes a code in lower case with spaces', async () => {
    await start();
    const { room } = granted(await harness.peer().request('create-room', duel));
    const typed = ` ${room.slice(0, 3).toLowerCase()} ${room.slice(3)}`;
    expect(await harness.peer().request('join-room', { code: typed, game: 'duel' })).toMatchObject({ ok: true, room });
  });

  it('by quick match: only the same game in the same version', async () => {
    await start();
    const [ann, bob, cat, dan] = [harness.peer(), harness.peer(), harness.peer(), harness.peer()];
    const first = granted(await ann.request('quick-match', duel));
    const older = granted(await bob.request('quick-match', { ...duel, version: '0' }));
    const other = granted(await cat.request('quick-match', { game: 'race', version: '1' }));
    const second = granted(await dan.request('quick-match', duel));
    expect([first.player, second.player]).toEqual([0, 1]);
    expect(second.room).toBe(first.room);
    expect(new Set([first.room, older.room, other.room]).size).toBe(3);
    expect((await ann.next('paired')).peer.seat).toBe(second.seat);
    expect((await dan.next('paired')).peer.seat).toBe(first.seat);
    expect(bob.pending('paired') + cat.pending('paired')).toBe(0);
  });

  it('of many quick matches at once leaves nobody alone and nobody in two pairs', async () => {
    await start();
    const peers = Array.from({ length: 20 }, () => harness.peer());
    const grants = await Promise.all(peers.map(async (peer) => granted(await peer.request('quick-match', duel))));
    const pairings = await Promise.all(peers.map((peer) => peer.next('paired')));
    expect(new Set(grants.map(({ room }) => room)).size).toBe(10);
    expect(pairings.filter(({ initiator }) => initiator)).toHaveLength(10);
    expect(new Set(pairings.map(({ peer }) => peer.seat)).size).toBe(20);
  });

  it('answers missing, full, started-and-left, foreign and malformed codes with one and the same error', async () => {
    await start();
    const { host, guest, hostSeat } = await pair();
    const waiting = granted(await harness.peer().request('create-room', duel));
    const quick = granted(await harness.peer().request('quick-match', duel));
    const stranger = harness.peer();
    const join = (code: string, game = 'duel') => stranger.request('join-room', { code, game });
    const missing = await join('222222');
    expect(missing).toMatchObject({ ok: false, error: { code: 'room-not-found' } });
    expect(await join(hostSeat.room)).toEqual(missing);
    expect(await join(waiting.room, 'race')).toEqual(missing);
    expect(await join(quick.room)).toEqual(missing);
    expect(await join('no code')).toEqual(missing);
    await guest.request('leave-room', {});
    expect(await join(hostSeat.room)).toEqual(missing);
    expect(host.pending('paired')).toBe(1);
    expect(await join(waiting.room)).toMatchObject({ ok: true });
  });

  it('refuses a second seat to one connection', async () => {
    await start();
    const peer = harness.peer();
    const requests = [peer.request('create-room', duel), peer.request('create-room', duel)];
    const [first, second] = await Promise.all(requests);
    const { room } = granted(first);
    const refusal = { ok: false, error: { code: 'already-in-room' } };
    expect(second).toMatchObject(refusal);
    expect(await peer.request('join-room', { code: room, game: 'duel' })).toMatchObject(refusal);
    expect(await peer.request('quick-match', duel)).toMatchObject(refusal);
  });
});

describe('relaying', () => {
  it('stamps the sender and keeps the order', async () => {
    await start();
    const { host, guest, hostSeat, guestSeat } = await pair();
    const lines = Array.from({ length: 30 }, (_, index) => `v=${index}`);
    const forged = { to: guestSeat.seat, pairing: 1, from: 'Z'.repeat(22) };
    await Promise.all(lines.map((sdp) => host.raw('signal', { ...forged, data: { type: 'offer', sdp } })));
    for (const sdp of lines) {
      expect(await guest.next('signal')).toEqual({ from: hostSeat.seat, pairing: 1, data: { type: 'offer', sdp } });
    }
  });

  it('goes nowhere but to a seat of the own room', async () => {
    await start();
    const { host, guest, hostSeat, guestSeat } = await pair();
    const { host: otherHost, guestSeat: otherGuestSeat } = await pair();
    const outsider = harness.peer();
    const refusal = (code: string) => ({ ok: false, error: { code } });
    expect(await otherHost.request('signal', { to: guestSeat.seat, pairing: 1, data: offer })).toMatchObject(
      refusal('peer-gone'),
    );
    expect(await host.request('signal', { to: otherGuestSeat.seat, pairing: 1, data: offer })).toMatchObject(
      refusal('peer-gone'),
    );
    expect(await host.request('signal', { to: hostSeat.seat, pairing: 1, data: offer })).toMatchObject(
      refusal('peer-gone'),
    );
    expect(await outsider.request('signal', { to: guestSeat.seat, pairing: 1, data: offer })).toMatchObject(
      refusal('not-in-room'),
    );
    // Had any of these gone through, it would have arrived before this one.
    await host.request('signal', { to: guestSeat.seat, pairing: 1, data: { type: 'answer', sdp: 'v=1' } });
    expect(await guest.next('signal')).toEqual({
      from: hostSeat.seat,
      pairing: 1,
      data: { type: 'answer', sdp: 'v=1' },
    });
    expect(guest.pending('signal') + host.pending('signal')).toBe(0);
  });
});

describe('leaving', () => {
  it('tells the other one', async () => {
    await start();
    const { host, guest, guestSeat } = await pair();
    await guest.request('leave-room', {});
    expect(await host.next('peer-left')).toEqual({ seat: guestSeat.seat, reason: 'left' });
  });

  it('of a host who waits closes the room, and the connection may open another', async () => {
    await start();
    const host = harness.peer();
    const { room } = granted(await host.request('create-room', duel));
    await host.request('leave-room', {});
    expect(await harness.peer().request('join-room', { code: room, game: 'duel' })).toMatchObject({ ok: false });
    expect(granted(await host.request('create-room', duel)).room).not.toBe(room);
  });

  it('of somebody in the quick queue leaves the queue', async () => {
    await start();
    const [ann, bob] = [harness.peer(), harness.peer()];
    await ann.request('quick-match', duel);
    await ann.request('leave-room', {});
    expect(await bob.request('quick-match', duel)).toMatchObject({ player: 0 });
  });

  it('is forced when a waiting room was idle for its whole time', async () => {
    const clock = new TestClock();
    await start({ roomTtlS: 60 }, clock);
    const host = harness.peer();
    const { room } = granted(await host.request('create-room', duel));
    const running = await pair();
    clock.advance(60_000);
    expect(await harness.server.expireRooms()).toBe(0);
    clock.advance(1);
    expect(await harness.server.expireRooms()).toBe(1);
    expect(await host.next('room-closed')).toEqual({ room, reason: 'expired' });
    expect(await host.request('create-room', duel)).toMatchObject({ ok: true });
    expect(await running.host.request('signal', { to: running.guestSeat.seat, pairing: 1, data: offer })).toEqual({
      ok: true,
    });
  });
});

describe('bad input', () => {
  const events: ClientEvent[] = [
    'create-room',
    'list-rooms',
    'join-room',
    'watch-room',
    'quick-match',
    'resume-seat',
    'confirm-seat',
    'pair-again',
    'ice-servers',
    'signal',
  ];
  const bare: ClientEvent[] = ['leave-room'];
  const deep = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown;
  const payloads = [null, 7, 'text', [], {}, deep, { game: {} }, { code: 'x'.repeat(1000) }, Buffer.from([1, 2]), true];

  it('is refused with the event and the field, and the connection goes on', async () => {
    await start();
    const peer = harness.peer();
    for (const event of events) {
      for (const payload of payloads) {
        expect(await peer.raw(event, payload), event).toMatchObject({ ok: false, error: { code: 'bad-request' } });
      }
      expect(await peer.raw(event)).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    }
    for (const event of bare) {
      expect(await peer.raw(event, 7), event).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    }
    expect(await peer.raw('no-such-event', {})).toMatchObject({ ok: false, error: { code: 'bad-request' } });
    expect(await peer.raw('create-room', { game: 'duel' })).toMatchObject({
      error: { message: expect.stringMatching(/^create-room: version: /) },
    });
    expect(await peer.request('create-room', duel)).toMatchObject({ ok: true });
  });

  it('without an acknowledgement, or with one in the wrong place, harms nothing', async () => {
    await start();
    const peer = await harness.peer().connected();
    const untyped = peer.socket as unknown as { emit(event: string, ...args: unknown[]): void }; // hostile on purpose
    for (const event of [...events, ...bare, '__proto__', 'constructor']) {
      untyped.emit(event);
      untyped.emit(event, { game: 'duel' });
      untyped.emit(event, 1, 2, 3);
    }
    expect(await peer.request('create-room', duel)).toMatchObject({ ok: true });
  });

  it('that is oversized ends that connection alone', async () => {
    await start();
    const [hostile, bystander] = [await harness.peer().connected(), await harness.peer().connected()];
    const cut = hostile.disconnected();
    hostile.raw('create-room', { ...duel, name: 'x'.repeat(40_000) }).catch(() => 'never answered');
    await cut;
    expect(await bystander.request('create-room', duel)).toMatchObject({ ok: true });
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
  });
});

describe('the Origin rule', () => {
  it('lets in a page of the asked host and a program without an Origin, and no foreign page', async () => {
    await start();
    await harness.peer().connected();
    await harness.peer({ headers: { origin: harness.url } }).connected();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', 'nonsense']) {
      await expect(harness.peer({ headers: { origin } }).connected(), origin).rejects.toThrow();
    }
  });

  it('goes by ALLOWED_ORIGINS where that is set', async () => {
    await start({ allowedOrigins: ['https://game.example'] });
    await harness.peer({ headers: { origin: 'https://game.example' } }).connected();
    await expect(harness.peer({ headers: { origin: 'https://evil.example' } }).connected()).rejects.toThrow();
  });
});

describe('limits', () => {
  const withLimits = (limits: Partial<ServerConfig['limits']>) => ({ limits: { ...defaultConfig.limits, ...limits } });

  it('stop somebody who guesses codes, in words', async () => {
    await start(withLimits({ failedJoinsPerAddress: { points: 3, seconds: 60 } }));
    const guesser = harness.peer();
    const codes = ['222222', '333333', '444444', '555555'];
    const answers: unknown[] = [];
    for (const code of codes) answers.push(await guesser.request('join-room', { code, game: 'duel' }));
    expect(answers.map((answer) => (answer as { error: { code: string } }).error.code)).toEqual([
      ...Array(3).fill('room-not-found'),
      'rate-limited',
    ]);
  });

  it('slow a chatterbox down and cut a flood', async () => {
    await start(withLimits({ messagesPerSocket: { points: 5, seconds: 60 } }));
    const peer = await harness.peer().connected();
    const cut = peer.disconnected();
    for (let index = 0; index < 5; index++) expect(await peer.raw('leave-room', {})).toEqual({ ok: true });
    for (let index = 5; index < 15; index++) {
      expect(await peer.raw('leave-room', {})).toMatchObject({ error: { code: 'rate-limited' } });
    }
    peer.raw('leave-room', {}).catch(() => 'never answered');
    expect(await cut).toBe('io server disconnect');
  });

  it('refuse a connection beyond the cap in words, and free its place when one ends', async () => {
    await start({ connectionsPerAddressMax: 1 });
    const first = await harness.peer().connected();
    await expect(harness.peer().connected()).rejects.toMatchObject({ data: { code: 'server-full' } });
    first.socket.disconnect();
    const tryAgain = () =>
      harness
        .peer()
        .connected()
        .then(() => true)
        .catch(() => false);
    await expect.poll(tryAgain, { timeout: 5000 }).toBe(true);
  });

  it('refuse the upgrade itself far beyond the cap', async () => {
    await start({ connectionsMax: 1 });
    const address = `${harness.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    // Half-open on purpose: a websocket that never says that it speaks socket.io.
    const sockets = Array.from({ length: 30 }, () => new WebSocket(address));
    const opened = await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<boolean>((resolve) => {
            socket.on('open', () => resolve(true));
            socket.on('error', () => resolve(false));
          }),
      ),
    );
    expect(opened.filter(Boolean)).toHaveLength(17);
    for (const socket of sockets) socket.terminate();
  });
});

describe('draining', () => {
  it('with nothing open ends at once', async () => {
    await start({ drainS: 600 });
    await harness.server.drain();
    await expect(fetch(`${harness.url}/healthz`)).rejects.toThrow();
  });

  it('tells everybody, closes waiting rooms, opens none, and lets a pairing finish', async () => {
    const clock = new TestClock();
    await start({ drainS: 600 }, clock);
    const { host, guest, guestSeat, hostSeat } = await pair();
    const waiting = harness.peer();
    await waiting.request('create-room', duel);
    const ended = harness.server.drain();

    expect((await waiting.next('draining')).message).toMatch(/try again/);
    expect((await waiting.next('room-closed')).reason).toBe('draining');
    const ready = await fetch(`${harness.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: 'draining' }]);
    const refusal = { ok: false, error: { code: 'server-draining' } };
    expect(await waiting.request('create-room', duel)).toMatchObject(refusal);
    expect(await waiting.request('quick-match', duel)).toMatchObject(refusal);
    await expect(harness.peer().connected()).rejects.toMatchObject({ data: { code: 'server-draining' } });

    expect(await host.request('signal', { to: guestSeat.seat, pairing: 1, data: offer })).toEqual({ ok: true });
    expect(await guest.next('signal')).toEqual({ from: hostSeat.seat, pairing: 1, data: offer });
    clock.advance(5_000); // the pair has been quiet for long enough: connected
    await ended;
  });

  it('ends when its time is up although a pairing is still under way', async () => {
    const clock = new TestClock();
    await start({ drainS: 1 }, clock);
    await pair();
    const ended = harness.server.drain();
    clock.advance(1_000);
    await ended;
    await expect(fetch(`${harness.url}/healthz`)).rejects.toThrow();
  });
});

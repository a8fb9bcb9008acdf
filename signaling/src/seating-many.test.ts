import { SPECTATORS_MAX } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness } from '../testing/harness.js';
import { create, duel, granted, join, type Member, pairings, refusal, watch } from '../testing/members.js';
import { defaultConfig, type ServerConfig } from './config.js';
import { createMemoryStore } from './store/memory.js';
import { sit } from './store/room.js';
import type { RoomStore } from './store/store.js';

const offer = { type: 'offer' as const, sdp: 'v=0' };

let harness: Harness;
let clock: TestClock;
afterEach(() => harness.close());

async function start(settings: Partial<ServerConfig> = {}): Promise<void> {
  clock = new TestClock();
  harness = await startHarness(settings, clock);
}

/** A full room of so many players. */
async function full(size: number): Promise<Member[]> {
  const members = [await create(harness, { size })];
  while (members.length < size) members.push(await join(harness, members[0].grant.room));
  return members;
}

describe('a room of several players', () => {
  it('tells those in it who comes, and pairs every two of them when it is full', async () => {
    await start();
    const ann = await create(harness, { size: 3, name: 'Ann' });
    expect(ann.grant).toMatchObject({ size: 3, player: 0, started: false, peers: [] });
    const bob = await join(harness, ann.grant.room, 'Bob');
    expect(bob.grant.peers).toEqual([{ seat: ann.grant.seat, player: 0, name: 'Ann', away: false }]);
    expect(await ann.peer.next('peer-joined')).toEqual({ seat: bob.grant.seat, player: 1, name: 'Bob' });
    expect(ann.peer.pending('paired') + bob.peer.pending('paired')).toBe(0);
    const cat = await join(harness, ann.grant.room);
    expect(cat.grant).toMatchObject({ player: 2, started: true, peers: { length: 2 } });
    expect(await bob.peer.next('peer-joined')).toEqual({ seat: cat.grant.seat, player: 2 });
    const first = (initiator: boolean) => ({ pairing: 1, initiator });
    expect(await pairings(ann, 2)).toEqual(
      new Map([
        [bob.grant.seat, first(true)],
        [cat.grant.seat, first(true)],
      ]),
    );
    expect(await pairings(bob, 2)).toEqual(
      new Map([
        [ann.grant.seat, first(false)],
        [cat.grant.seat, first(true)],
      ]),
    );
    expect([...(await pairings(cat, 2)).values()]).toEqual([first(false), first(false)]);
  });

  it('of eight pairs all 28', async () => {
    await start();
    const members = await full(8);
    const told = await Promise.all(members.map((member) => pairings(member, 7)));
    expect(told.map(({ size }) => size)).toEqual(Array(8).fill(7));
    expect(told.flatMap((each) => [...each.values()]).filter(({ initiator }) => initiator)).toHaveLength(28);
  });

  it('gives the seat of somebody who left before the start to the next', async () => {
    await start();
    const ann = await create(harness, { size: 3 });
    const bob = await join(harness, ann.grant.room);
    await ann.peer.request('leave-room', {});
    expect(await bob.peer.next('peer-left')).toEqual({ seat: ann.grant.seat, reason: 'left' });
    const cat = await join(harness, ann.grant.room);
    expect(cat.grant).toMatchObject({ player: 0, peers: [{ seat: bob.grant.seat, player: 1 }] });
  });

  it('makes one pair anew without disturbing the others, and refuses what belongs to the old one', async () => {
    await start();
    const [ann, bob, cat] = await full(3);
    await Promise.all([ann, bob, cat].map((member) => pairings(member, 2)));
    const again = { to: bob.grant.seat, pairing: 1 };
    expect(await ann.peer.request('pair-again', again)).toEqual({ ok: true, waiting: false });
    expect(await pairings(ann, 1)).toEqual(new Map([[bob.grant.seat, { pairing: 2, initiator: true }]]));
    expect((await pairings(bob, 1)).get(ann.grant.seat)).toEqual({ pairing: 2, initiator: false });
    const send = (from: Member, to: Member, pairing: number) =>
      from.peer.request('signal', { to: to.grant.seat, pairing, data: offer });
    expect(await send(ann, bob, 1)).toMatchObject(refusal('stale-pairing'));
    expect(await send(ann, bob, 2)).toEqual({ ok: true });
    expect(await send(ann, cat, 1)).toEqual({ ok: true });
    expect(await cat.peer.next('signal')).toEqual({ from: ann.grant.seat, pairing: 1, data: offer });
    expect(await bob.peer.next('signal')).toEqual({ from: ann.grant.seat, pairing: 2, data: offer });
    expect(cat.peer.pending('paired')).toBe(0);
  });

  it('goes on without somebody whose time is up, who does not get back; in time they do', async () => {
    await start();
    const [ann, bob, cat] = await full(3);
    await Promise.all([ann, bob, cat].map((member) => pairings(member, 2)));
    cat.peer.socket.disconnect();
    expect(await ann.peer.next('peer-away')).toEqual({ seat: cat.grant.seat });
    const resume = ({ grant: { seat, secret } }: Member) =>
      harness.peer().request('resume-seat', { seat, secret, pairings: [] });
    clock.advance(60_000);
    await harness.server.expireSeats();
    const back = harness.peer();
    const { seat, secret } = cat.grant;
    const returned = granted(await back.request('resume-seat', { seat, secret, pairings: [] }));
    expect(returned).toMatchObject({ player: 2, started: true, peers: { length: 2 } });
    expect(await pairings(bob, 1)).toEqual(new Map([[cat.grant.seat, { pairing: 2, initiator: true }]]));
    back.socket.disconnect();
    expect(await bob.peer.next('peer-away')).toEqual({ seat });
    expect(await bob.peer.next('peer-back')).toEqual({ seat });
    expect(await bob.peer.next('peer-away')).toEqual({ seat });
    clock.advance(60_001);
    await harness.server.expireSeats();
    expect(await bob.peer.next('peer-left')).toEqual({ seat, reason: 'disconnected' });
    expect(await resume({ peer: back, grant: returned })).toMatchObject(refusal('seat-not-found'));
    const again = { to: bob.grant.seat, pairing: 1 };
    expect(await ann.peer.request('pair-again', again), 'the others play on').toMatchObject({ ok: true });
    expect((await pairings(bob, 1)).get(ann.grant.seat)?.pairing).toBe(2);
  });

  it('relays and pairs nothing for strangers, nor with a seat of another room', async () => {
    await start();
    const [ann] = await full(3);
    const [other] = await full(2);
    const to = other.grant.seat;
    for (const [event, request] of [
      ['pair-again', { to, pairing: 0 }],
      ['ice-servers', { to }],
      ['signal', { to, pairing: 1, data: offer }],
    ] as const) {
      expect(await ann.peer.raw(event, request), event).toMatchObject(refusal('peer-gone'));
      expect(await ann.peer.raw(event, { ...request, to: ann.grant.seat }), event).toMatchObject(refusal('peer-gone'));
      expect(await harness.peer().raw(event, request), event).toMatchObject(refusal('not-in-room'));
    }
  });
});

describe('a seat', () => {
  it('whose room changes in the moment in which it is taken hears where it is by then', async () => {
    clock = new TestClock();
    const store = createMemoryStore();
    const { now, unixMs, after } = clock;
    let arrivals = 0;
    /** Somebody on another server sits down between the guest's taking of its seat and its knowing of it. */
    const busy: RoomStore = {
      ...store,
      updateRoomOf: async (seat, step) => {
        // The first is the host's arrival, the second the guest's.
        const room = ++arrivals === 2 ? await store.roomOf(seat) : undefined;
        const late = { id: 'L'.repeat(22), secretHash: 'hash', name: 'Late' };
        if (room !== undefined) await store.update([room.code], ([each]) => [sit(each, late, 0) ?? each]);
        return store.updateRoomOf(seat, step);
      },
    };
    harness = await startHarness({}, { now, unixMs, after, store: busy });
    const host = await create(harness, { size: 3 });
    const guest = await join(harness, host.grant.room);
    expect(guest.grant).toMatchObject({ started: false, peers: [{ player: 0 }] });
    expect(await guest.peer.next('seat-place')).toMatchObject({
      room: host.grant.room,
      player: 1,
      started: true,
      peers: [{ player: 0 }, { player: 2, name: 'Late' }],
    });
    expect((await guest.peer.next('paired')).peer.seat).toBe(host.grant.seat);
  });
});

describe('a spectator', () => {
  it('waits for the start, is then connected with its source alone, and seen by all', async () => {
    await start();
    const ann = await create(harness, { name: 'Ann' });
    const eve = await watch(harness, ann.grant.room);
    expect(eve.grant).toMatchObject({ player: null, size: 2, started: false, peers: [{ seat: ann.grant.seat }] });
    expect(await ann.peer.next('peer-joined')).toEqual({ seat: eve.grant.seat, player: null });
    const bob = await join(harness, ann.grant.room);
    expect(bob.grant.player).toBe(1);
    expect(await pairings(eve, 1)).toEqual(new Map([[ann.grant.seat, { pairing: 1, initiator: false }]]));
    expect((await pairings(ann, 2)).get(eve.grant.seat)).toEqual({ pairing: 1, initiator: true });
    const send = (to: Member) => eve.peer.request('signal', { to: to.grant.seat, pairing: 1, data: offer });
    expect(await send(bob)).toMatchObject(refusal('peer-gone'));
    expect(await send(ann)).toEqual({ ok: true });
  });

  it('comes while the match runs, gets another source when its own leaves, and is told when the match is over', async () => {
    await start();
    const [ann, bob] = await full(2);
    const eve = await watch(harness, ann.grant.room);
    expect([...(await pairings(eve, 1)).keys()]).toEqual([ann.grant.seat]);
    await ann.peer.request('leave-room', {});
    expect(await eve.peer.next('peer-left')).toEqual({ seat: ann.grant.seat, reason: 'left' });
    expect(await pairings(eve, 1)).toEqual(new Map([[bob.grant.seat, { pairing: 2, initiator: false }]]));
    await bob.peer.request('leave-room', {});
    expect(await eve.peer.next('room-closed')).toEqual({ room: ann.grant.room, reason: 'ended' });
    expect(await eve.peer.request('create-room', duel)).toMatchObject({ ok: true });
  });

  it('gets another source when it asks, and its seat back like a player', async () => {
    await start();
    const [ann, bob] = await full(2);
    const eve = await watch(harness, ann.grant.room);
    await pairings(eve, 1);
    expect(await eve.peer.request('pair-again', { to: ann.grant.seat, pairing: 1 })).toMatchObject({ ok: true });
    expect(await pairings(eve, 1)).toEqual(new Map([[bob.grant.seat, { pairing: 2, initiator: false }]]));
    eve.peer.socket.disconnect();
    expect(await ann.peer.next('peer-away')).toEqual({ seat: eve.grant.seat });
    const { seat, secret } = eve.grant;
    const back = harness.peer();
    expect(await back.request('resume-seat', { seat, secret, pairings: [] })).toMatchObject({ ok: true, player: null });
    expect((await back.next('paired')).pairing).toBe(3);
  });

  it('cannot trouble one source after the other', async () => {
    await start({ limits: { ...defaultConfig.limits, pairingsPerPair: { points: 1, seconds: 60 } } });
    const [ann, bob] = await full(2);
    const eve = await watch(harness, ann.grant.room);
    await pairings(eve, 1);
    expect(await eve.peer.request('pair-again', { to: ann.grant.seat, pairing: 1 })).toMatchObject({ ok: true });
    await pairings(eve, 1);
    expect(await eve.peer.request('pair-again', { to: bob.grant.seat, pairing: 2 })).toMatchObject(
      refusal('rate-limited'),
    );
  });

  it('is refused like a wrong code where there is no place or nothing to watch, and guesses count', async () => {
    await start({ limits: { ...defaultConfig.limits, failedJoinsPerAddress: { points: 5, seconds: 60 } } });
    const closed = await create(harness, { spectators: false });
    const waiting = granted(await harness.peer().request('quick-match', duel));
    const stranger = harness.peer();
    const ask = (code: string, game = 'duel') => stranger.request('watch-room', { code, game });
    const missing = await ask('222222');
    expect(missing).toMatchObject(refusal('room-not-found'));
    expect(await ask(closed.grant.room)).toEqual(missing);
    expect(await ask(waiting.room)).toEqual(missing);
    expect(await ask((await create(harness)).grant.room, 'race')).toEqual(missing);
    expect(await ask('no code')).toEqual(missing);
    expect(await ask('333333')).toMatchObject(refusal('rate-limited'));
  });

  it('is one of 32 at most, each with a source, nobody with more than four', async () => {
    await start();
    const [ann] = await full(2);
    const spectators: Member[] = [];
    for (let index = 0; index < SPECTATORS_MAX; index++) spectators.push(await watch(harness, ann.grant.room));
    const late = await harness.peer().request('watch-room', { code: ann.grant.room, game: 'duel' });
    expect(late).toMatchObject(refusal('room-not-found'));
    const sources = new Map<string, number>();
    for (const { peer } of spectators) {
      let source = (await peer.next('paired')).peer.seat;
      // It may be a source itself.
      while (
        spectators.findIndex(({ grant }) => grant.seat === source) > spectators.findIndex((one) => one.peer === peer)
      ) {
        source = (await peer.next('paired')).peer.seat;
      }
      sources.set(source, (sources.get(source) ?? 0) + 1);
    }
    expect(Math.max(...sources.values())).toBe(4);
    expect(sources.get(ann.grant.seat)).toBe(4);
  });
});

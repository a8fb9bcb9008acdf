import { type ClientRequest, ROOM_LIST_MAX, type SeatGrant, SPECTATORS_MAX } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness, type TestPeer } from '../testing/harness.js';
import { defaultConfig, type ServerConfig } from './config.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };

let harness: Harness;
let clock: TestClock;
afterEach(() => harness.close());

async function start(settings: Partial<ServerConfig> = {}): Promise<void> {
  clock = new TestClock();
  harness = await startHarness(settings, clock);
}

interface Member {
  peer: TestPeer;
  grant: SeatGrant;
}

function granted(reply: { ok: boolean }): SeatGrant {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
  return reply as unknown as SeatGrant; // the harness parsed it as this reply
}

const refusal = (code: string) => ({ ok: false, error: { code } });

async function create(options: Partial<ClientRequest<'create-room'>> = {}): Promise<Member> {
  const peer = harness.peer();
  return { peer, grant: granted(await peer.request('create-room', { ...duel, ...options })) };
}

async function join(code: string, name?: string): Promise<Member> {
  const peer = harness.peer();
  const named = name === undefined ? {} : { name };
  return { peer, grant: granted(await peer.request('join-room', { code, game: 'duel', ...named })) };
}

async function watch(code: string): Promise<Member> {
  const peer = harness.peer();
  return { peer, grant: granted(await peer.request('watch-room', { code, game: 'duel' })) };
}

/** A full room of so many players. */
async function full(size: number): Promise<Member[]> {
  const members = [await create({ size })];
  while (members.length < size) members.push(await join(members[0].grant.room));
  return members;
}

/** The pairings that somebody is told of, by the seat of the other. */
async function pairings(
  { peer }: Member,
  count: number,
): Promise<Map<string, { pairing: number; initiator: boolean }>> {
  const told = new Map<string, { pairing: number; initiator: boolean }>();
  for (let index = 0; index < count; index++) {
    const { peer: other, pairing, initiator } = await peer.next('paired');
    told.set(other.seat, { pairing, initiator });
  }
  return told;
}

describe('a room of several players', () => {
  it('tells those in it who comes, and pairs every two of them when it is full', async () => {
    await start();
    const ann = await create({ size: 3, name: 'Ann' });
    expect(ann.grant).toMatchObject({ size: 3, player: 0, started: false, peers: [] });
    const bob = await join(ann.grant.room, 'Bob');
    expect(bob.grant.peers).toEqual([{ seat: ann.grant.seat, player: 0, name: 'Ann', away: false }]);
    expect(await ann.peer.next('peer-joined')).toEqual({ seat: bob.grant.seat, player: 1, name: 'Bob' });
    expect(ann.peer.pending('paired') + bob.peer.pending('paired')).toBe(0);
    const cat = await join(ann.grant.room);
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
    const ann = await create({ size: 3 });
    const bob = await join(ann.grant.room);
    await ann.peer.request('leave-room', {});
    expect(await bob.peer.next('peer-left')).toEqual({ seat: ann.grant.seat, reason: 'left' });
    const cat = await join(ann.grant.room);
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

describe('a spectator', () => {
  it('waits for the start, is then connected with its source alone, and seen by all', async () => {
    await start();
    const ann = await create({ name: 'Ann' });
    const eve = await watch(ann.grant.room);
    expect(eve.grant).toMatchObject({ player: null, size: 2, started: false, peers: [{ seat: ann.grant.seat }] });
    expect(await ann.peer.next('peer-joined')).toEqual({ seat: eve.grant.seat, player: null });
    const bob = await join(ann.grant.room);
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
    const eve = await watch(ann.grant.room);
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
    const eve = await watch(ann.grant.room);
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
    await start({ limits: { ...defaultConfig.limits, pairingsPerRoom: { points: 1, seconds: 60 } } });
    const [ann, bob] = await full(2);
    const eve = await watch(ann.grant.room);
    await pairings(eve, 1);
    expect(await eve.peer.request('pair-again', { to: ann.grant.seat, pairing: 1 })).toMatchObject({ ok: true });
    await pairings(eve, 1);
    expect(await eve.peer.request('pair-again', { to: bob.grant.seat, pairing: 2 })).toMatchObject(
      refusal('rate-limited'),
    );
  });

  it('is refused like a wrong code where there is no place or nothing to watch, and guesses count', async () => {
    await start({ limits: { ...defaultConfig.limits, failedJoinsPerAddress: { points: 5, seconds: 60 } } });
    const closed = await create({ spectators: false });
    const waiting = granted(await harness.peer().request('quick-match', duel));
    const stranger = harness.peer();
    const ask = (code: string, game = 'duel') => stranger.request('watch-room', { code, game });
    const missing = await ask('222222');
    expect(missing).toMatchObject(refusal('room-not-found'));
    expect(await ask(closed.grant.room)).toEqual(missing);
    expect(await ask(waiting.room)).toEqual(missing);
    expect(await ask((await create()).grant.room, 'race')).toEqual(missing);
    expect(await ask('no code')).toEqual(missing);
    expect(await ask('333333')).toMatchObject(refusal('rate-limited'));
  });

  it('is one of 32 at most, each with a source, nobody with more than four', async () => {
    await start();
    const [ann] = await full(2);
    const spectators: Member[] = [];
    for (let index = 0; index < SPECTATORS_MAX; index++) spectators.push(await watch(ann.grant.room));
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

describe('the list', () => {
  it('shows open rooms that want it, with what they say of themselves, and no others', async () => {
    await start();
    const data = { map: 'docks', ranked: true, round: 3 };
    const ann = await create({ size: 3, listed: true, title: ' Docks  ', data });
    await create();
    await create({ listed: true, game: 'race' });
    await watch(ann.grant.room);
    clock.advance(7_900);
    const list = (request: ClientRequest<'list-rooms'>) => harness.peer().request('list-rooms', request);
    expect(await list({ game: 'duel' })).toEqual({
      ok: true,
      rooms: [
        {
          code: ann.grant.room,
          version: '1',
          title: 'Docks',
          size: 3,
          players: 1,
          spectators: 1,
          data,
          ageS: 7,
        },
      ],
    });
    expect(await list({ game: 'duel', version: '2' })).toEqual({ ok: true, rooms: [] });
    await join(ann.grant.room);
    expect(await list({ game: 'duel', version: '1' })).toMatchObject({ rooms: [{ players: 2 }] });
    await join(ann.grant.room);
    expect(await list({ game: 'duel' }), 'full').toEqual({ ok: true, rooms: [] });
  });

  it('has fifty rooms at most, the newest first, and is limited by connection', async () => {
    await start({
      connectionsPerAddressMax: 1000,
      limits: { ...defaultConfig.limits, joinsPerAddress: { points: 1000, seconds: 60 } },
    });
    const codes: string[] = [];
    for (let index = 0; index < ROOM_LIST_MAX + 5; index++) {
      clock.advance(1_000);
      codes.push((await create({ listed: true })).grant.room);
    }
    const reader = harness.peer();
    const reply = await reader.request('list-rooms', { game: 'duel' });
    if (!reply.ok) throw new Error(reply.error.message);
    expect(reply.rooms.map(({ code }) => code)).toEqual(codes.reverse().slice(0, ROOM_LIST_MAX));
    const replies = await Promise.all(Array.from({ length: 20 }, () => reader.raw('list-rooms', { game: 'duel' })));
    expect(replies.at(-1)).toMatchObject(refusal('rate-limited'));
    expect(await harness.peer().request('list-rooms', { game: 'duel' })).toMatchObject({ ok: true });
  });

  it('takes no titles and data that would forge or flood it', async () => {
    await start();
    const peer = harness.peer();
    const flood = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`field${index}`, 1]));
    for (const wrong of [
      { title: 'a\u202Eb' },
      { title: 'x'.repeat(49) },
      { data: flood },
      { data: { map: 'x'.repeat(65) } },
      { data: { map: { deep: [] } } },
      { size: 9 },
      { listed: 'yes' },
    ]) {
      const reply = await peer.raw('create-room', { ...duel, ...wrong });
      expect(reply, JSON.stringify(wrong)).toMatchObject(refusal('bad-request'));
    }
    const hostile: unknown = JSON.parse('{"game":"duel","version":"1","listed":true,"data":{"__proto__":1,"map":"x"}}');
    expect(await peer.raw('create-room', hostile)).toMatchObject({ ok: true });
    expect(await peer.request('list-rooms', { game: 'duel' })).toMatchObject({ rooms: [{ data: { map: 'x' } }] });
  });
});

describe('a quick match that waits', () => {
  const quick = async (request: Partial<ClientRequest<'quick-match'>>): Promise<Member> => {
    const peer = harness.peer();
    return { peer, grant: granted(await peer.request('quick-match', { ...duel, ...request })) };
  };

  it('is moved to somebody who will do by now, who hears of it, and both are paired', async () => {
    await start();
    const [ann, bob] = [await quick({ rating: 1000, name: 'Ann' }), await quick({ rating: 1150, name: 'Bob' })];
    expect([ann.grant.player, bob.grant.player]).toEqual([0, 0]);
    clock.advance(5_000);
    await harness.server.matchWaiting();
    const [stayed, moved] = ann.peer.pending('seat-place') === 0 ? [ann, bob] : [bob, ann];
    expect(await moved.peer.next('seat-place')).toMatchObject({
      room: stayed.grant.room,
      player: 1,
      started: true,
      peers: [{ seat: stayed.grant.seat, player: 0, away: false }],
    });
    expect(await stayed.peer.next('peer-joined')).toMatchObject({ seat: moved.grant.seat, player: 1 });
    expect((await moved.peer.next('paired')).room).toBe(stayed.grant.room);
    expect(await stayed.peer.next('paired')).toMatchObject({ peer: { seat: moved.grant.seat }, initiator: true });
    await moved.peer.request('leave-room', {});
    expect(await stayed.peer.next('peer-left'), 'it sits where it was moved').toMatchObject({ seat: moved.grant.seat });
  });

  it('fills a room of four from several that waited', async () => {
    await start();
    const members: Member[] = [];
    for (const rating of [0, 150, 300, 450]) members.push(await quick({ size: 4, rating }));
    for (let round = 0; round < 7; round++) {
      clock.advance(5_000);
      await harness.server.matchWaiting();
    }
    const told = await Promise.all(members.map((member) => pairings(member, 3)));
    expect(told.flatMap((each) => [...each.values()]).every(({ pairing }) => pairing === 1)).toBe(true);
  });

  it('is called off by leaving', async () => {
    await start();
    const ann = await quick({ size: 3 });
    const bob = await quick({ size: 3 });
    expect(bob.grant.room).toBe(ann.grant.room);
    await ann.peer.request('leave-room', {});
    expect(await bob.peer.next('peer-left')).toEqual({ seat: ann.grant.seat, reason: 'left' });
    expect((await quick({ size: 3 })).grant).toMatchObject({ room: bob.grant.room, player: 0 });
  });
});

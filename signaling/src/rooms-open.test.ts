import { type ClientRequest, ROOM_LIST_MAX } from '@riposte/shared/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { type Harness, startHarness } from '../testing/harness.js';
import { create, duel, granted, join, type Member, pairings, refusal, watch } from '../testing/members.js';
import { defaultConfig, type ServerConfig } from './config.js';

let harness: Harness;
let clock: TestClock;
afterEach(() => harness.close());

async function start(settings: Partial<ServerConfig> = {}): Promise<void> {
  clock = new TestClock();
  harness = await startHarness(settings, clock);
}

describe('the list', () => {
  it('shows open rooms that want it, with what they say of themselves, and no others', async () => {
    await start();
    const data = { map: 'docks', ranked: true, round: 3 };
    const ann = await create(harness, { size: 3, listed: true, title: ' Docks  ', data });
    await create(harness);
    await create(harness, { listed: true, game: 'race' });
    await watch(harness, ann.grant.room);
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
    await join(harness, ann.grant.room);
    expect(await list({ game: 'duel', version: '1' })).toMatchObject({ rooms: [{ players: 2 }] });
    await join(harness, ann.grant.room);
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
      codes.push((await create(harness, { listed: true })).grant.room);
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

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../testing/clock.js';
import { fits, Matchmaking } from './matchmaking.js';
import { Rooms } from './rooms.js';
import { createMemoryStore } from './store/memory.js';
import { openRoom, type Room, type RoomKind, type Search } from './store/room.js';

const kind: RoomKind = {
  game: 'duel',
  version: '1',
  size: 2,
  access: 'quick',
  listed: false,
  data: {},
  spectators: true,
  relayOnly: false,
};

function make() {
  const store = createMemoryStore();
  const clock = new TestClock();
  const rooms = new Rooms({ store, now: clock.now, randomBytes, ttlMs: 3_600_000, seatAwayMs: 60_000 });
  const matchmaking = new Matchmaking({ store, rooms, now: clock.now });
  const enter = async (search: Omit<Search, 'since'> = {}, changes: Partial<RoomKind> = {}) => {
    const { outcome } = await matchmaking.enter({ ...kind, ...changes }, undefined, search);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value.grant;
  };
  return { store, clock, rooms, matchmaking, enter };
}

/** Whether two who came at these times fit at another. */
function fit(one: Search, two: Search, now: number): boolean {
  const room = (search: Search): Room =>
    openRoom(kind, 'A', { id: 'a', secretHash: '', name: undefined, search }, search.since);
  return fits(room(one), room(two), now);
}

describe('whom a player accepts', () => {
  it('is anybody, where one of the two states no rating or region', () => {
    expect(fit({ since: 0 }, { since: 0, rating: 5000, region: 'eu' }, 0)).toBe(true);
  });

  it.each([
    [0, 100],
    [4_999, 100],
    [5_000, 200],
    [12_000, 300],
    [29_999, 600],
    [30_000, 1_000_000],
  ])('after %i ms is a rating at most %i apart, as both see it', (now, distance) => {
    const one = { since: 0, rating: 0 };
    expect(fit(one, { since: 0, rating: distance }, now)).toBe(true);
    if (now < 30_000) expect(fit(one, { since: 0, rating: -distance - 1 }, now)).toBe(false);
    // Who has just come does not have to take whoever has waited for long.
    expect(fit(one, { since: now, rating: 101 }, now)).toBe(false);
  });

  it('is of the same region for ten seconds, then of any', () => {
    const [one, two] = [
      { since: 0, region: 'eu' },
      { since: 0, region: 'us' },
    ];
    expect(fit(one, { since: 0, region: 'eu' }, 0)).toBe(true);
    expect([fit(one, two, 9_999), fit(one, two, 10_000), fit(one, { ...two, since: 5_000 }, 10_000)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('a quick match', () => {
  it('seats those who come one after the other in one room, in the order of their coming', async () => {
    const { enter } = make();
    const grants = [await enter(), await enter(), await enter()];
    expect(grants.map(({ player }) => player)).toEqual([0, 1, 0]);
    expect(grants[1].room).toBe(grants[0].room);
    expect(grants[2].room).not.toBe(grants[0].room);
  });

  it.each([2, 3, 8])('of %i seats all of many who come at once, each in a seat of their own', async (size) => {
    const { store, matchmaking, enter, rooms } = make();
    const grants = await Promise.all(Array.from({ length: size * 8 }, () => enter({}, { size })));
    // Who came at the very same moment may have missed each other; the next look finds them.
    while ((await matchmaking.look()).length > 0);
    expect(await store.count(0)).toEqual({ rooms: 8, pairing: 8 });
    const seats = await Promise.all(
      grants.map(async ({ seat }) => {
        const room = await rooms.roomOf(seat);
        return `${room?.code} ${room?.seats.find(({ id }) => id === seat)?.player}`;
      }),
    );
    expect(new Set(seats).size).toBe(size * 8);
  });

  it('keeps games, versions and sizes apart', async () => {
    const { enter, matchmaking, store } = make();
    await Promise.all([enter(), enter({}, { size: 3 }), enter({}, { version: '2' }), enter({}, { game: 'race' })]);
    expect(await matchmaking.look()).toEqual([]);
    expect(await store.count(0)).toMatchObject({ rooms: 4 });
  });

  it('is found for two who wait, once they accept each other', async () => {
    const { enter, matchmaking, clock, rooms } = make();
    const ann = await enter({ rating: 1000 });
    clock.advance(4_000);
    const bob = await enter({ rating: 1200 });
    expect(bob.player).toBe(0);
    clock.advance(4_999);
    expect(await matchmaking.look()).toEqual([]);
    clock.advance(1);
    const mergers = await matchmaking.look();
    expect(mergers).toMatchObject([{ moved: { code: bob.room }, step: { after: { code: ann.room, started: true } } }]);
    expect((await rooms.roomOf(bob.seat))?.code).toBe(ann.room);
  });

  it('is not with somebody whose connection ended in the moment of looking', async () => {
    const { enter, store, clock, rooms } = make();
    const ann = await enter({ rating: 0 });
    await enter({ rating: 500 });
    clock.advance(30_000);
    const waiting = async (queue: string, max: number) => {
      const seen = await store.waiting(queue, max);
      await rooms.away(ann.seat, 1);
      return seen;
    };
    const matchmaking = new Matchmaking({ store: { ...store, waiting }, rooms, now: clock.now });
    expect(await matchmaking.look()).toEqual([]);
    expect(await store.count(0)).toMatchObject({ rooms: 2 });
  });

  it('is found once, however many servers look', async () => {
    const { enter, store, clock, rooms } = make();
    const servers = [1, 2, 3].map(() => new Matchmaking({ store, rooms, now: clock.now }));
    for (const rating of [0, 300, 600, 900]) await enter({ rating });
    clock.advance(30_000);
    const looks = await Promise.all(servers.map((server) => server.look()));
    expect(looks.flat()).toHaveLength(2);
    expect(await store.count(0)).toEqual({ rooms: 2, pairing: 2 });
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedisServer, RedisServer } from '../../testing/redis-server.js';
import { describeRoomStore } from '../../testing/store-contract.js';
import { Matchmaking } from '../matchmaking.js';
import { Rooms } from '../rooms.js';
import { createRedisStore } from './redis.js';
import type { RoomKind } from './room.js';
import type { RoomStore } from './store.js';

const quick: RoomKind = {
  game: 'duel',
  version: '1',
  size: 2,
  access: 'quick',
  listed: false,
  data: {},
  spectators: true,
  relayOnly: false,
};

describe.skipIf(!hasRedisServer)('with a redis-server', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  /** A store with nothing in it. */
  const empty = async (): Promise<RoomStore> => {
    const client = redis.connect();
    await client.flushall();
    return createRedisStore(client);
  };

  describeRoomStore('redis', empty);

  describe('servers that share it', () => {
    it('seat everybody who asks for a quick match at once, each in a seat of their own', async () => {
      await empty();
      let nowMs = 0;
      const servers = Array.from({ length: 3 }, () => {
        const store = createRedisStore(redis.connect());
        const now = () => nowMs++;
        const rooms = new Rooms({ store, now, randomBytes, ttlMs: 3_600_000, seatAwayMs: 60_000 });
        return { store, rooms, matchmaking: new Matchmaking({ store, rooms, now }) };
      });
      const entries = await Promise.all(
        Array.from({ length: 24 }, (_, index) => servers[index % 3].matchmaking.enter(quick, undefined, {})),
      );
      for (let found = 1; found > 0; ) {
        found = (await Promise.all(servers.map(({ matchmaking }) => matchmaking.look()))).flat().length;
      }
      const [{ store, rooms }] = servers;
      expect(await store.count(0)).toEqual({ rooms: 12, pairing: 12 });
      const places = entries.map(async ({ outcome }) => {
        if (!outcome.ok) throw new Error(outcome.error.message);
        const { seat } = outcome.value.grant;
        const room = await rooms.roomOf(seat);
        return `${room?.code} ${room?.seats.find(({ id }) => id === seat)?.player}`;
      });
      expect(new Set(await Promise.all(places)).size).toBe(24);
      expect(await store.queues()).toEqual([]);
    });

    it('leave nothing behind when all rooms are over', async () => {
      const store = await empty();
      const rooms = new Rooms({ store, now: () => 0, randomBytes, ttlMs: 1000, seatAwayMs: 1000 });
      const opened = await rooms.open({ ...quick, access: 'code', listed: true, data: { map: 'docks' } }, 'Ann');
      if (!opened.ok) throw new Error(opened.error.message);
      const { room, seat } = opened.value.grant;
      const watching = await rooms.watch(room, 'duel', undefined);
      const joined = await rooms.join(room, 'duel', 'Bob');
      if (!joined.ok || !watching.ok) throw new Error('refused');
      await rooms.away(seat, 1);
      await Promise.all([joined, watching, opened].map(({ value }) => rooms.leave(value.grant.seat)));
      expect(await redis.connect().keys('*')).toEqual([]);
    });
  });
});

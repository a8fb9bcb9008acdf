/** What every room store must do. Run over each implementation. */
import { describe, expect, it } from 'vitest';
import type { NewRoom, NewSeat, RoomStore } from '../src/store/store.js';

const room = (code: string, access: 'code' | 'quick' = 'code', touchedAt = 0): NewRoom => ({
  code,
  game: 'duel',
  version: '1',
  size: 2,
  access,
  relayOnly: false,
  touchedAt,
});

const seat = (id: string): NewSeat => ({ id, secretHash: `hash of ${id}`, name: undefined });

export function describeRoomStore(name: string, createStore: () => RoomStore): void {
  describe(`${name} store`, () => {
    it('keeps a code for one room', async () => {
      const store = createStore();
      expect(await store.create(room('A'), seat('a'))).toMatchObject({ seat: { player: 0 }, room: { started: false } });
      expect(await store.create(room('A'), seat('b'))).toBeUndefined();
      expect(await store.joinOldestOrCreate(room('A', 'quick'), seat('c'))).toBeUndefined();
      expect((await store.find('A'))?.seats.map(({ id }) => id)).toEqual(['a']);
    });

    it('seats exactly one of many who join at once', async () => {
      const store = createStore();
      await store.create(room('A'), seat('a'));
      const joins = await Promise.all(['b', 'c', 'd'].map((id) => store.join('A', 'duel', seat(id), 5)));
      expect(joins.filter((joined) => joined !== undefined)).toHaveLength(1);
      expect(await store.find('A')).toMatchObject({ started: true, touchedAt: 5, seats: { length: 2 } });
    });

    it('joins by code only rooms of that game that are open by code', async () => {
      const store = createStore();
      await store.create(room('A'), seat('a'));
      await store.joinOldestOrCreate(room('Q', 'quick'), seat('q'));
      expect(await store.join('A', 'race', seat('b'), 0)).toBeUndefined();
      expect(await store.join('Q', 'duel', seat('b'), 0)).toBeUndefined();
      expect(await store.join('B', 'duel', seat('b'), 0)).toBeUndefined();
    });

    it('pairs quick matches first come, first served', async () => {
      const store = createStore();
      await store.joinOldestOrCreate({ ...room('O', 'quick'), version: '2' }, seat('o'));
      await store.joinOldestOrCreate(room('A', 'quick'), seat('a'));
      const paired = await store.joinOldestOrCreate(room('B', 'quick', 9), seat('b'));
      expect(paired).toMatchObject({ seat: { player: 1 }, room: { code: 'A', started: true, touchedAt: 9 } });
      const next = await store.joinOldestOrCreate(room('C', 'quick'), seat('c'));
      expect(next).toMatchObject({ seat: { player: 0 }, room: { code: 'C', started: false } });
    });

    it('forgets a quick match whose only seat left', async () => {
      const store = createStore();
      await store.joinOldestOrCreate(room('A', 'quick'), seat('a'));
      expect(await store.leave('A', 'a')).toMatchObject({ seats: [] });
      expect(await store.joinOldestOrCreate(room('B', 'quick'), seat('b'))).toMatchObject({ room: { code: 'B' } });
    });

    it('keeps a started room for those who stay, closed to others, until the last leaves', async () => {
      const store = createStore();
      await store.create(room('A'), seat('a'));
      await store.join('A', 'duel', seat('b'), 0);
      expect((await store.leave('A', 'a'))?.seats.map(({ id }) => id)).toEqual(['b']);
      expect(await store.leave('A', 'a')).toBeUndefined();
      expect(await store.join('A', 'duel', seat('c'), 0)).toBeUndefined();
      expect(await store.leave('A', 'b')).toMatchObject({ seats: [] });
      expect(await store.find('A')).toBeUndefined();
    });

    it('expires idle rooms but no full ones', async () => {
      const store = createStore();
      await store.create(room('OLD'), seat('a'));
      await store.create(room('NEW', 'code', 10), seat('b'));
      await store.create(room('FULL'), seat('c'));
      await store.join('FULL', 'duel', seat('d'), 0);
      await store.create(room('TOUCHED'), seat('e'));
      await store.touch('TOUCHED', 10);
      await store.joinOldestOrCreate(room('QUEUED', 'quick'), seat('f'));
      expect((await store.expire(10)).map(({ code }) => code).sort()).toEqual(['OLD', 'QUEUED']);
      expect(await store.find('OLD')).toBeUndefined();
      expect(await store.joinOldestOrCreate(room('B', 'quick'), seat('g'))).toMatchObject({ seat: { player: 0 } });
    });

    it('counts rooms, and full ones that were touched lately', async () => {
      const store = createStore();
      await store.create(room('A'), seat('a'));
      await store.create(room('B'), seat('b'));
      await store.join('B', 'duel', seat('c'), 7);
      expect(await store.count(7)).toEqual({ rooms: 2, pairing: 1 });
      expect(await store.count(8)).toEqual({ rooms: 2, pairing: 0 });
    });
  });
}

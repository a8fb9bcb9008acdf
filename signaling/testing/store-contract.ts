/** What every room store must do. Run over each implementation. */
import { describe, expect, it } from 'vitest';
import type { NewRoom, NewSeat, Resumption, RoomStore } from '../src/store/store.js';

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

/** Takes the seat `a` back with its first secret, unless told otherwise. */
const resumption = (changes: Partial<Resumption> = {}): Resumption => ({
  hold: 1,
  secretHash: 'hash of a',
  nextSecretHash: 'next',
  awayAfter: 0,
  ...changes,
});

/** A full room `A` with the seats `a` and `b`, paired once. */
async function withPair(store: RoomStore): Promise<void> {
  await store.create(room('A'), seat('a'));
  await store.join('A', 'duel', seat('b'), 0);
  await store.pair('A', 0, 0);
}

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

    it('notes once that the present connection of a seat ended', async () => {
      const store = createStore();
      await withPair(store);
      expect(await store.away('A', 'a', 1, 7)).toMatchObject({ seats: [{ awaySince: 7 }, { awaySince: undefined }] });
      expect(await store.away('A', 'a', 1, 8)).toBeUndefined();
      expect(await store.away('A', 'c', 1, 8)).toBeUndefined();
      await store.resume('A', 'a', resumption());
      expect(await store.away('A', 'a', 1, 9), 'the end of the old connection').toBeUndefined();
      expect(await store.away('A', 'a', 2, 9)).toMatchObject({ seats: [{ awaySince: 9 }, {}] });
    });

    it('gives a seat back to its secret, once per hold, and in time only', async () => {
      const store = createStore();
      await withPair(store);
      await store.away('A', 'a', 1, 7);
      expect(await store.resume('A', 'a', resumption({ secretHash: 'hash of b' }))).toBeUndefined();
      expect(await store.resume('A', 'c', resumption())).toBeUndefined();
      expect(await store.resume('A', 'a', resumption({ awayAfter: 8 }))).toBeUndefined();
      const both = [store.resume('A', 'a', resumption({ awayAfter: 7 })), store.resume('A', 'a', resumption())];
      expect((await Promise.all(both)).filter((seated) => seated !== undefined)).toMatchObject([
        { seat: { id: 'a', player: 0, hold: 2, awaySince: undefined, nextSecretHash: 'next' } },
      ]);
    });

    it('lets the older secret go when the newer is used or confirmed, and not before', async () => {
      const store = createStore();
      await withPair(store);
      await store.resume('A', 'a', resumption({ nextSecretHash: 'lost' }));
      await store.resume('A', 'a', resumption({ hold: 2, nextSecretHash: 'second' }));
      expect(await store.resume('A', 'a', resumption({ hold: 3, secretHash: 'lost' }))).toBeUndefined();
      await store.resume('A', 'a', resumption({ hold: 3, secretHash: 'second', nextSecretHash: 'third' }));
      expect(await store.resume('A', 'a', resumption({ hold: 4 }))).toBeUndefined();
      await store.confirm('A', 'a', 'another');
      await store.confirm('A', 'a', 'third');
      expect(await store.resume('A', 'a', resumption({ hold: 4, secretHash: 'second' }))).toBeUndefined();
      expect(await store.resume('A', 'a', resumption({ hold: 4, secretHash: 'third' }))).toBeDefined();
    });

    it('numbers a pairing once, when everybody is there', async () => {
      const store = createStore();
      await store.create(room('A'), seat('a'));
      expect(await store.pair('A', 0, 1)).toBeUndefined();
      await store.join('A', 'duel', seat('b'), 2);
      const made = await Promise.all([store.pair('A', 0, 3), store.pair('A', 0, 3)]);
      expect(made.filter((paired) => paired !== undefined)).toMatchObject([{ pairing: 1, touchedAt: 3 }]);
      await store.away('A', 'a', 1, 4);
      expect(await store.pair('A', 1, 5)).toBeUndefined();
      expect(await store.find('A')).toMatchObject({ pairing: 1, pairingWanted: true });
      expect(await store.resume('A', 'a', resumption())).toMatchObject({ room: { pairingWanted: true } });
      expect(await store.pair('A', 1, 6)).toMatchObject({ pairing: 2, pairingWanted: false });
      await store.leave('A', 'b');
      expect(await store.pair('A', 2, 7)).toBeUndefined();
    });

    it('frees seats that are away for too long, and the rooms that this empties', async () => {
      const store = createStore();
      await withPair(store);
      await store.create(room('W'), seat('w'));
      await store.away('W', 'w', 1, 5);
      await store.away('A', 'a', 1, 6);
      await store.away('A', 'b', 1, 7);
      await store.resume('A', 'b', resumption({ secretHash: 'hash of b' }));
      expect(await store.expireSeats(5)).toEqual([]);
      expect(await store.expireSeats(10)).toMatchObject([
        { seat: 'w', room: { code: 'W', seats: [] } },
        { seat: 'a', room: { code: 'A', seats: [{ id: 'b' }] } },
      ]);
      expect(await store.expireSeats(10)).toEqual([]);
      await store.away('A', 'b', 2, 11);
      await store.leave('A', 'b');
      expect(await store.expireSeats(20)).toEqual([]);
      expect(await store.count(0)).toEqual({ rooms: 0, pairing: 0 });
    });

    it('pairs nobody with a waiting seat that is away', async () => {
      const store = createStore();
      await store.joinOldestOrCreate(room('A', 'quick'), seat('a'));
      await store.away('A', 'a', 1, 1);
      expect(await store.joinOldestOrCreate(room('B', 'quick'), seat('b'))).toMatchObject({ room: { code: 'B' } });
      await store.leave('B', 'b');
      await store.resume('A', 'a', resumption());
      const quick = { ...room('C', 'quick'), relayOnly: true };
      expect(await store.joinOldestOrCreate(quick, seat('c'))).toMatchObject({
        room: { code: 'A', relayOnly: true, started: true },
      });
    });

    it('expires idle rooms but no started ones', async () => {
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

/** What every room store must do. Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { goAway, leave, type NewSeat, openRoom, type Room, type RoomKind, sit, touch } from '../src/store/room.js';
import { queueOf, type RoomStore } from '../src/store/store.js';

const kind: RoomKind = {
  game: 'duel',
  version: '1',
  size: 2,
  access: 'code',
  listed: false,
  data: {},
  spectators: true,
  relayOnly: false,
};

const seat = (id: string): NewSeat => ({ id, secretHash: `hash of ${id}`, name: undefined });

const room = (code: string, first: string, changes: Partial<RoomKind> = {}, now = 0): Room =>
  openRoom({ ...kind, ...changes }, code, seat(first), now);

/** Takes a step with one room. */
async function step(store: RoomStore, code: string, change: (room: Room) => Room | undefined) {
  const steps = await store.update([code], ([only]) => {
    const next = change(only);
    return next && [next];
  });
  return steps?.[0];
}

const placeOf = async (store: RoomStore, seat: string) => (await store.roomOf(seat))?.code;

const codes = (rooms: readonly Room[]) => rooms.map(({ code }) => code);

export function describeRoomStore(name: string, createStore: () => RoomStore | Promise<RoomStore>): void {
  describe(`${name} store`, () => {
    it('keeps a code for one room', async () => {
      const store = await createStore();
      expect(await store.add(room('A', 'a'))).toBe(true);
      expect(await store.add(room('A', 'b'))).toBe(false);
      expect((await store.find('A'))?.seats.map(({ id }) => id)).toEqual(['a']);
      expect(await store.find('B')).toBeUndefined();
    });

    it('takes steps that many ask for at once one after the other, each from what the one before left', async () => {
      const store = await createStore();
      await store.add(room('A', 'a', { size: 4 }));
      const ids = ['b', 'c', 'd', 'e', 'f'];
      const steps = await Promise.all(ids.map((id) => step(store, 'A', (each) => sit(each, seat(id), 5))));
      expect(steps.filter((taken) => taken !== undefined)).toHaveLength(3);
      expect(steps[0]).toMatchObject({ before: { seats: { length: 1 } }, after: { seats: { length: 2 } } });
      const full = await store.find('A');
      expect(full).toMatchObject({ started: true, touchedAt: 5 });
      expect(full?.seats.map(({ player }) => player)).toEqual([0, 1, 2, 3]);
    });

    it('leaves a room as it is when the step is not taken, and takes none with a room that is not there', async () => {
      const store = await createStore();
      await store.add(room('A', 'a'));
      const before = await store.find('A');
      expect(await step(store, 'A', () => undefined)).toBeUndefined();
      expect(await store.update(['A', 'B'], ([one, two]) => [touch(one, 9), touch(two, 9)])).toBeUndefined();
      expect(await store.find('A')).toEqual(before);
    });

    it('takes a step with two rooms whole, or not at all', async () => {
      const store = await createStore();
      await Promise.all([store.add(room('A', 'a')), store.add(room('B', 'b')), store.add(room('C', 'c'))]);
      const move = (from: string) =>
        store.update(['A', from], ([one, other]) => {
          const full = sit(one, seat(other.seats[0].id), 1);
          return full && [full, { ...other, seats: [] }];
        });
      const moves = await Promise.all([move('B'), move('C')]);
      expect(moves.filter((taken) => taken !== undefined)).toHaveLength(1);
      expect([await placeOf(store, 'b'), await placeOf(store, 'c')].sort()).toEqual(['A', moves[0] ? 'C' : 'B']);
      expect(await store.count(0)).toMatchObject({ rooms: 2 });
    });

    it('knows in which room a seat is', async () => {
      const store = await createStore();
      await store.add(room('A', 'a'));
      await step(store, 'A', (each) => sit(each, seat('b'), 0));
      expect([await placeOf(store, 'a'), await placeOf(store, 'b'), await placeOf(store, 'c')]).toEqual([
        'A',
        'A',
        undefined,
      ]);
      await step(store, 'A', (each) => leave(each, ['a'], 0));
      expect([await placeOf(store, 'a'), await placeOf(store, 'b')]).toEqual([undefined, 'A']);
    });

    it('takes a step with the room of a seat, in which it is by now', async () => {
      const store = await createStore();
      await Promise.all([store.add(room('A', 'a')), store.add(room('B', 'b'))]);
      const move = store.update(['A', 'B'], ([one, other]) => {
        const full = sit(one, seat(other.seats[0].id), 1);
        return full && [full, { ...other, seats: [] }];
      });
      const leaving = store.updateRoomOf('b', (each) => leave(each, ['b'], 2));
      await move;
      expect((await leaving)?.after.seats.map(({ id }) => id)).not.toContain('b');
      expect(await store.roomOf('b')).toBeUndefined();
      expect(await store.updateRoomOf('a', () => undefined)).toBeUndefined();
      expect(await store.updateRoomOf('b', (each) => touch(each, 9))).toBeUndefined();
    });

    it('finds the rooms whose connections are with one server', async () => {
      const store = await createStore();
      const at = (id: string, node: string) => ({ ...seat(id), node });
      await store.add(openRoom(kind, 'A', at('a', 'one'), 0));
      await store.add(openRoom(kind, 'B', at('b', 'two'), 0));
      await step(store, 'A', (each) => sit(each, at('c', 'two'), 0));
      expect([await store.heldBy('one'), (await store.heldBy('two')).sort()]).toEqual([['A'], ['A', 'B']]);
      await step(store, 'A', (each) => goAway(each, 'a', 1, 1));
      await step(store, 'B', (each) => leave(each, ['b'], 1));
      expect([await store.heldBy('one'), await store.heldBy('two')]).toEqual([[], ['A']]);
    });

    it('removes a room with its last player', async () => {
      const store = await createStore();
      await store.add(room('A', 'a', { access: 'quick' }));
      const queue = queueOf(room('A', 'a', { access: 'quick' })) ?? '';
      expect(await step(store, 'A', (each) => leave(each, ['a'], 0))).toMatchObject({ after: { seats: [] } });
      expect(await store.find('A')).toBeUndefined();
      expect([await store.queues(), await store.waiting(queue, 9)]).toEqual([[], []]);
      expect(await store.count(0)).toEqual({ rooms: 0, pairing: 0 });
    });

    it('gives those who wait in a queue, longest first, without those who are away', async () => {
      const store = await createStore();
      const quick = (code: string, now: number, version = '1') =>
        store.add(room(code, `seat of ${code}`, { access: 'quick', version }, now));
      await quick('B', 2);
      await quick('A', 1);
      await quick('C', 3);
      await quick('O', 0, '2');
      await store.add(room('P', 'p'));
      const queues = await store.queues();
      expect(queues).toHaveLength(2);
      const queue = queueOf(room('A', 'a', { access: 'quick' })) ?? '';
      expect(queues).toContain(queue);
      expect(codes(await store.waiting(queue, 9))).toEqual(['A', 'B', 'C']);
      expect(codes(await store.waiting(queue, 2))).toEqual(['A', 'B']);
      await step(store, 'A', (each) => goAway(each, 'seat of A', 1, 4));
      await step(store, 'B', (each) => sit(each, seat('b'), 4));
      expect(codes(await store.waiting(queue, 9))).toEqual(['C']);
    });

    it('lists open rooms that want it, newest first', async () => {
      const store = await createStore();
      const listed = { listed: true };
      await store.add(room('A', 'a', listed, 1));
      await store.add(room('B', 'b', { ...listed, version: '2' }, 2));
      await store.add(room('C', 'c', listed, 3));
      await store.add(room('D', 'd', listed, 4));
      await store.add(room('E', 'e', listed, 5));
      await store.add(room('HIDDEN', 'h', {}, 6));
      await store.add(room('OTHER', 'o', { ...listed, game: 'race' }, 7));
      await step(store, 'D', (each) => sit(each, seat('full'), 8));
      await step(store, 'E', (each) => goAway(each, 'e', 1, 8));
      expect(codes(await store.listed('duel', undefined, 9))).toEqual(['C', 'B', 'A']);
      expect(codes(await store.listed('duel', '1', 9))).toEqual(['C', 'A']);
      expect(codes(await store.listed('duel', undefined, 2))).toEqual(['C', 'B']);
      expect(await store.listed('chess', undefined, 9)).toEqual([]);
    });

    it('finds rooms with somebody away for long, and idle ones that have not started', async () => {
      const store = await createStore();
      await Promise.all(['A', 'B', 'C'].map((code) => store.add(room(code, `seat of ${code}`, {}, 5))));
      await step(store, 'C', (each) => sit(each, seat('c'), 5));
      await step(store, 'B', (each) => touch(each, 9));
      await step(store, 'A', (each) => goAway(each, 'seat of A', 1, 6));
      await step(store, 'C', (each) => goAway(each, 'c', 1, 7));
      expect(await store.withAway(6)).toEqual([]);
      expect(await store.withAway(7)).toEqual(['A']);
      expect((await store.withAway(8)).sort()).toEqual(['A', 'C']);
      await step(store, 'A', (each) => leave(each, ['seat of A'], 8));
      expect(await store.withAway(8)).toEqual(['C']);
      expect(await store.idle(9)).toEqual([]);
      expect(await store.idle(10)).toEqual(['B']);
    });

    it('counts rooms, and matches that were touched lately', async () => {
      const store = await createStore();
      await store.add(room('A', 'a'));
      await store.add(room('B', 'b'));
      await step(store, 'B', (each) => sit(each, seat('c'), 7));
      expect(await store.count(7)).toEqual({ rooms: 2, pairing: 1 });
      expect(await store.count(8)).toEqual({ rooms: 2, pairing: 0 });
    });
  });
}

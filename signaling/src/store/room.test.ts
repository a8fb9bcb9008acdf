import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  arrive,
  confirm,
  goAway,
  leave,
  merge,
  type NewSeat,
  openRoom,
  type Pair,
  pairAgain,
  pairOf,
  playersOf,
  type Resumption,
  type Room,
  type RoomKind,
  seatOf,
  sit,
  takeBack,
  watch,
} from './room.js';
import { WATCHERS_MAX } from './sources.js';

const kind: RoomKind = {
  game: 'duel',
  version: '1',
  size: 4,
  access: 'code',
  listed: false,
  data: {},
  spectators: true,
  relayOnly: false,
};

const seat = (id: string): NewSeat => ({ id, secretHash: `hash of ${id}`, name: undefined });

/** A step that has to be taken. */
function taken(room: Room | undefined): Room {
  if (room === undefined) throw new Error('the step was not taken');
  return room;
}

const here = (room: Room, id: string) => taken(arrive(room, id, seatOf(room, id)?.hold ?? 0, [], 0));

/** A room with these players, all of them here; the first opened it. */
function roomOf(players: readonly string[], changes: Partial<RoomKind> = {}): Room {
  const [first, ...others] = players;
  const opened = here(openRoom({ ...kind, ...changes }, 'A', seat(first), 0), first);
  return others.reduce((room, id) => here(taken(sit(room, seat(id), 1)), id), opened);
}

const started = (size: number) =>
  roomOf(
    Array.from({ length: size }, (_, player) => `p${player}`),
    { size },
  );

const watched = (room: Room, id: string) => here(taken(watch(room, seat(id), 2)), id);

const made = ({ pairs }: Room) => pairs.map(({ initiator, responder, number }) => `${initiator}${responder} ${number}`);

const sourceOf = (room: Room, id: string) => room.pairs.find(({ responder }) => responder === id)?.initiator;

/** Takes the seat `p0` back with its first secret, unless told otherwise. */
const resumption = (changes: Partial<Resumption> = {}): Resumption => ({
  hold: 1,
  secretHash: 'hash of p0',
  nextSecretHash: 'next',
  awayAfter: 0,
  ...changes,
});

describe('players', () => {
  it('take the lowest free seat until the room is full, and none after', () => {
    const room = taken(leave(roomOf(['a', 'b', 'c']), ['b'], 0));
    const full = taken(sit(taken(sit(room, seat('d'), 5)), seat('e'), 6));
    expect(full.seats.map(({ id, player }) => `${id}${player}`)).toEqual(['a0', 'd1', 'c2', 'e3']);
    expect([room.started, full.started, full.touchedAt]).toEqual([false, true, 6]);
    expect(sit(full, seat('f'), 7)).toBeUndefined();
    expect(sit(taken(leave(full, ['d'], 8)), seat('f'), 9), 'started').toBeUndefined();
  });

  it('are paired each with each once the room is full, the lower number beginning', () => {
    expect(roomOf(['a', 'b', 'c']).pairs).toEqual([]);
    expect(made(started(4))).toEqual(['p0p1 1', 'p0p2 1', 'p0p3 1', 'p1p2 1', 'p1p3 1', 'p2p3 1']);
    expect(started(8).pairs).toHaveLength(28);
  });

  it('are paired only with those whose connection knows of its seat', () => {
    const room = taken(sit(roomOf(['a', 'b'], { size: 3 }), seat('c'), 0));
    expect(made(room)).toEqual(['ab 0', 'ac 0', 'bc 0']);
    expect(made(here(room, 'c'))).toEqual(['ab 1', 'ac 1', 'bc 1']);
    expect(arrive(room, 'c', 2, [], 0), 'another connection').toBeUndefined();
  });

  it('who leave take their pairs along and nobody else’s; the room is over with the last', () => {
    const room = taken(leave(started(3), ['p1'], 0));
    expect(made(room)).toEqual(['p0p2 1']);
    expect(playersOf(taken(leave(room, ['p0', 'p2'], 0)))).toEqual([]);
    expect(leave(room, ['p1'], 0)).toBeUndefined();
  });
});

describe('a pair', () => {
  it('is made anew once after each number, without disturbing the others', () => {
    const room = taken(pairAgain(started(3), 'p1', 'p0', 1, 9));
    expect(made(room)).toEqual(['p0p1 2', 'p0p2 1', 'p1p2 1']);
    expect(pairAgain(room, 'p0', 'p1', 1, 9)).toBeUndefined();
    expect(pairAgain(room, 'p0', 'p0', 0, 9)).toBeUndefined();
    expect(room.touchedAt).toBe(9);
  });

  it('waits for the one who is away, and others do not', () => {
    const away = taken(goAway(started(3), 'p0', 1, 5));
    const wanted = taken(pairAgain(taken(pairAgain(away, 'p1', 'p0', 1, 6)), 'p1', 'p2', 1, 6));
    expect(made(wanted)).toEqual(['p0p1 1', 'p0p2 1', 'p1p2 2']);
    const back = taken(takeBack(wanted, 'p0', resumption()));
    expect(made(back), 'not told yet').toEqual(made(wanted));
    const seen = ['p1', 'p2'].map((id) => ({ seat: id, pairing: 1 }));
    expect(made(taken(arrive(back, 'p0', 2, seen, 7)))).toEqual(['p0p1 2', 'p0p2 1', 'p1p2 2']);
  });

  it('is made anew for a page that missed it or knows of none', () => {
    const back = taken(takeBack(taken(pairAgain(started(3), 'p0', 'p1', 1, 0)), 'p0', resumption()));
    expect(made(taken(arrive(back, 'p0', 2, [], 0)))).toEqual(['p0p1 3', 'p0p2 2', 'p1p2 1']);
    const seen = ['p1', 'p2'].map((id) => ({ seat: id, pairing: 1 }));
    expect(made(taken(arrive(back, 'p0', 2, seen, 0)))).toEqual(['p0p1 3', 'p0p2 1', 'p1p2 1']);
  });
});

describe('a seat', () => {
  it('is noted once as away, by its present connection', () => {
    const away = taken(goAway(started(2), 'p0', 1, 7));
    expect(seatOf(away, 'p0')?.awaySince).toBe(7);
    expect(goAway(away, 'p0', 1, 8)).toBeUndefined();
    expect(goAway(away, 'nobody', 1, 8)).toBeUndefined();
    const back = taken(takeBack(away, 'p0', resumption()));
    expect(goAway(back, 'p0', 1, 9), 'the end of the old connection').toBeUndefined();
    expect(seatOf(taken(goAway(back, 'p0', 2, 9)), 'p0')?.awaySince).toBe(9);
  });

  it('goes back to its secret, once per hold, and in time only', () => {
    const away = taken(goAway(started(2), 'p0', 1, 7));
    expect(takeBack(away, 'p0', resumption({ secretHash: 'hash of p1' }))).toBeUndefined();
    expect(takeBack(away, 'nobody', resumption())).toBeUndefined();
    expect(takeBack(away, 'p0', resumption({ awayAfter: 8 }))).toBeUndefined();
    const back = taken(takeBack(away, 'p0', resumption({ awayAfter: 7 })));
    expect(seatOf(back, 'p0')).toMatchObject({ player: 0, hold: 2, awaySince: undefined, nextSecretHash: 'next' });
    expect(takeBack(back, 'p0', resumption())).toBeUndefined();
  });

  it('lets the older secret go when the newer is used or confirmed, and not before', () => {
    const lost = taken(takeBack(started(2), 'p0', resumption({ nextSecretHash: 'lost' })));
    const second = taken(takeBack(lost, 'p0', resumption({ hold: 2, nextSecretHash: 'second' })));
    expect(takeBack(second, 'p0', resumption({ hold: 3, secretHash: 'lost' }))).toBeUndefined();
    const third = taken(takeBack(second, 'p0', resumption({ hold: 3, secretHash: 'second', nextSecretHash: 'third' })));
    expect(takeBack(third, 'p0', resumption({ hold: 4 }))).toBeUndefined();
    expect(confirm(third, 'p0', 'another')).toBeUndefined();
    const confirmed = taken(confirm(third, 'p0', 'third'));
    expect(takeBack(confirmed, 'p0', resumption({ hold: 4, secretHash: 'second' }))).toBeUndefined();
    expect(takeBack(confirmed, 'p0', resumption({ hold: 4, secretHash: 'third' }))).toBeDefined();
  });
});

describe('quick matches', () => {
  const quick = (ids: readonly string[], changes: Partial<RoomKind> = {}) =>
    roomOf(ids, { access: 'quick', ...changes });

  it('that become one seat the others at the free numbers, and pair them when it is full', () => {
    const other: Room = { ...quick(['c', 'd']), code: 'B' };
    const [room, emptied] = merge(quick(['a', 'b']), other, 9) ?? [];
    expect(room?.seats.map(({ id, player }) => `${id}${player}`)).toEqual(['a0', 'b1', 'c2', 'd3']);
    expect(room).toMatchObject({ code: 'A', started: true, touchedAt: 9 });
    expect(made(taken(room))).toHaveLength(6);
    expect(emptied).toMatchObject({ code: 'B', seats: [] });
  });

  it('meet through a relay when any of them asks for it', () => {
    const other: Room = { ...quick(['b'], { relayOnly: true }), code: 'B' };
    expect(merge(quick(['a']), other, 0)?.[0].relayOnly).toBe(true);
  });

  it('stay apart when they would not fit in one, or it has started', () => {
    const other: Room = { ...quick(['d', 'e']), code: 'B' };
    expect(merge(quick(['a', 'b', 'c']), other, 0)).toBeUndefined();
    expect(merge(quick(['a', 'b', 'c', 'x']), other, 0)).toBeUndefined();
    expect(merge(other, other, 0)).toBeUndefined();
  });
});

describe('spectators', () => {
  it('wait for the start, and get a source then', () => {
    const waiting = watched(roomOf(['a', 'b'], { size: 3 }), 's');
    expect([waiting.pairs, seatOf(waiting, 's')?.player]).toEqual([[], null]);
    const room = here(taken(sit(waiting, seat('c'), 3)), 'c');
    expect(sourceOf(room, 's')).toBe('a');
    expect(made(room)).toContain('as 1');
  });

  it('may be forbidden, are 32 at most, and may not watch a quick match that waits', () => {
    expect(watch(roomOf(['a'], { spectators: false }), seat('s'), 0)).toBeUndefined();
    expect(watch(roomOf(['a'], { access: 'quick' }), seat('s'), 0)).toBeUndefined();
    const full = Array.from({ length: 32 }, (_, index) => `s${index}`).reduce(watched, started(2));
    expect(watch(full, seat('s'), 0)).toBeUndefined();
    expect(watch(taken(leave(full, ['s3'], 0)), seat('s'), 0)).toBeDefined();
  });

  it('are shown the match by the players first, then by those nearest to them, four at most by each', () => {
    const room = Array.from({ length: 32 }, (_, index) => `s${index}`).reduce(watched, started(2));
    const sources = Array.from({ length: 32 }, (_, index) => sourceOf(room, `s${index}`));
    expect(sources.slice(0, 8)).toEqual(['p0', 'p1', 'p0', 'p1', 'p0', 'p1', 'p0', 'p1']);
    expect(sources.slice(8, 16)).toEqual(Array.from({ length: 8 }, (_, index) => `s${index}`));
    expect(sources.slice(8).every((source) => Number(source?.slice(1)) < 8)).toBe(true);
  });

  it('get another source when theirs leaves, and when they ask; the count of their pairings goes on', () => {
    const room = watched(started(2), 's');
    expect(made(taken(pairAgain(room, 's', 'p0', 1, 0)))).toContain('p1s 2');
    expect(made(taken(leave(room, ['p0'], 0)))).toEqual(['p1s 2']);
    const alone = taken(leave(room, ['p1'], 0));
    expect(made(taken(pairAgain(alone, 's', 'p0', 1, 0))), 'there is no other').toEqual(['p0s 2']);
    expect(made(taken(pairAgain(room, 'p0', 's', 1, 0))), 'its source asks').toContain('p0s 2');
  });

  it('do not get a source whose connection is away, where there is another', () => {
    expect(sourceOf(watched(taken(goAway(started(2), 'p0', 1, 0)), 's'), 's')).toBe('p1');
  });

  it('are not connected with other players, nor keep a room open', () => {
    const room = watched(started(2), 's');
    expect(pairOf(room, 's', 'p1')).toBeUndefined();
    expect(pairAgain(room, 's', 'p1', 0, 0)).toBeUndefined();
    expect(playersOf(taken(leave(room, ['p0', 'p1'], 0)))).toEqual([]);
  });

  it('are led to a player whatever happens, with four watchers at most on each seat', () => {
    const step = fc.record({ at: fc.nat(39), what: fc.constantFrom('watch', 'leave', 'again', 'away', 'back') });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.array(step, { maxLength: 80 }), (size, steps) => {
        let room = started(size);
        let count = 0;
        for (const { at, what } of steps) {
          const { id, hold, secretHash } = room.seats[at % room.seats.length];
          const source = sourceOf(room, id) ?? '';
          const after = pairOf(room, id, source)?.number ?? 0;
          const taken =
            what === 'watch'
              ? watch(room, seat(`s${count++}`), 0)
              : what === 'leave'
                ? leave(room, [id], 0)
                : what === 'again'
                  ? pairAgain(room, id, source, after, 0)
                  : what === 'away'
                    ? goAway(room, id, hold, 0)
                    : takeBack(room, id, { hold, secretHash, nextSecretHash: 'next', awayAfter: 0 });
          if (taken === undefined || playersOf(taken).length === 0) continue;
          room = room.seats.length < taken.seats.length ? here(taken, `s${count - 1}`) : taken;
          if (what === 'back') room = arrive(room, id, hold + 1, [], 0) ?? room;
          expectSound(room);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Every spectator of a started room has one source, and following the sources leads to a player. */
function expectSound(room: Room): void {
  const isWatcher = ({ responder }: Pair) => seatOf(room, responder)?.player === null;
  for (const { id, player } of room.seats) {
    const own = room.pairs.filter((pair) => isWatcher(pair) && pair.initiator === id);
    expect(own.length).toBeLessThanOrEqual(WATCHERS_MAX);
    if (player !== null) continue;
    expect(room.pairs.filter(({ responder }) => responder === id)).toHaveLength(1);
    let at = id;
    for (let steps = 0; seatOf(room, at)?.player === null; steps++) {
      expect(steps).toBeLessThan(room.seats.length);
      at = sourceOf(room, at) ?? 'nobody';
    }
    expect(seatOf(room, at)).toBeDefined();
  }
}

import { type RunningServer, startServer } from '@riposte/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectLobby, type Lobby } from './lobby.js';
import { LobbyError } from './lobby-error.js';
import type { Pairing, Room, RoomSeat } from './room.js';

const duel = { game: 'duel', version: '1' };
const offer = { type: 'offer' as const, sdp: 'v=0' };

let server: RunningServer;
let lobbies: Lobby[];
/** The server's clock, in milliseconds: it stands still until a test moves it. */
let nowMs: number;

beforeEach(async () => {
  nowMs = 0;
  lobbies = [];
  const parts = { now: () => nowMs, unixMs: () => nowMs, after: () => () => undefined };
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] }, parts);
});
afterEach(async () => {
  for (const lobby of lobbies) lobby.close();
  await server.close();
});

async function connect(name?: string): Promise<Lobby> {
  const url = `http://127.0.0.1:${server.port}`;
  const lobby = await connectLobby({ server: url, ...(name !== undefined && { name }) });
  lobbies.push(lobby);
  return lobby;
}

/** A room of so many, and everybody's view of it. */
async function fill(size: number): Promise<Room[]> {
  const created = await (await connect()).create(duel, { size });
  const rooms = [created];
  while (rooms.length < size) rooms.push(await (await connect()).join(created.code, duel));
  return rooms;
}

/** The newest pairing of a room with another's seat. */
function pairingWith(room: Room, other: Room): Pairing | undefined {
  let newest: Pairing | undefined;
  room.onPairing((pairing) => {
    if (pairing.peer.seat === other.seat.seat) newest = pairing;
  })();
  return newest;
}

/** Resolves when the room tells of seats that will do. */
function seatsOf(room: Room, isAwaited: (seats: readonly RoomSeat[]) => boolean): Promise<readonly RoomSeat[]> {
  return new Promise((resolve) => {
    const stop = room.onSeats((seats) => {
      if (!isAwaited(seats)) return;
      resolve(seats);
      queueMicrotask(() => stop());
    });
  });
}

function received({ signals }: Pairing): Promise<unknown> {
  return new Promise((resolve) => signals.listen(resolve));
}

function ended(room: Room): Promise<string> {
  return new Promise((resolve) => room.onEnd(({ code }) => resolve(code)));
}

describe('a room of several players', () => {
  it('tells all its listeners, also when one of them throws', async () => {
    const told = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const room = await (await connect('Ada')).create(duel, { size: 3 });
    const fault = new Error('of the page');
    room.onPairing(() => {
      throw fault;
    });
    const pairing = new Promise<Pairing>((resolve) => room.onPairing(resolve));
    await (await connect('Bo')).join(room.code, duel);
    await (await connect('Cy')).join(room.code, duel);
    expect((await pairing).peer.name).toBe('Bo');
    expect(told).toHaveBeenCalledWith(fault);
    told.mockRestore();
  });

  it('shows who is here as they come and go', async () => {
    const [ann, bob] = [await connect('Ann'), await connect('Bob')];
    const room = await ann.create(duel, { size: 3 });
    expect(room).toMatchObject({ size: 3, role: 'player', me: 0 });
    expect(room.seats).toEqual([{ seat: room.seat.seat, role: 'player', player: 0, name: 'Ann', presence: 'here' }]);
    const joined = await bob.join(room.code, duel);
    expect(joined.seats.map(({ name }) => name)).toEqual(['Ann', 'Bob']);
    await seatsOf(room, ({ length }) => length === 2);
    const watching = await (await connect()).watch(room.code, duel);
    expect(watching).toMatchObject({ role: 'spectator', me: null });
    const seats = await seatsOf(room, ({ length }) => length === 3);
    expect(seats.map(({ role, player, name }) => [role, player, name])).toEqual([
      ['player', 0, 'Ann'],
      ['player', 1, 'Bob'],
      ['spectator', null, 'Spectator'],
    ]);
    await bob.leave();
    expect((await seatsOf(room, ({ length }) => length === 2)).map(({ name }) => name)).toEqual(['Ann', 'Spectator']);
  });

  it('is paired when every two of its players are', async () => {
    const rooms = await fill(4);
    const paired = await Promise.all(rooms.map((room) => room.paired));
    expect(paired.map((pairings) => pairings.map(({ peer }) => peer.player))).toEqual([
      [1, 2, 3],
      [0, 2, 3],
      [0, 1, 3],
      [0, 1, 2],
    ]);
    expect(paired.flat().filter(({ initiator }) => initiator)).toHaveLength(6);
    expect(paired.flat().every(({ number }) => number === 1)).toBe(true);
  });

  it('carries the signals of each pair apart, early ones too', async () => {
    const [ann, bob, cat] = await fill(3);
    const [[toBob, toCat]] = await Promise.all([ann.paired, bob.paired, cat.paired]);
    toBob.signals.send(offer);
    toCat.signals.send({ type: 'answer', sdp: 'for cat' });
    const [fromAnnToBob, fromAnnToCat] = [pairingWith(bob, ann), pairingWith(cat, ann)];
    if (fromAnnToBob === undefined || fromAnnToCat === undefined) throw new Error('not paired');
    expect(await received(fromAnnToBob)).toEqual(offer);
    expect(await received(fromAnnToCat)).toEqual({ type: 'answer', sdp: 'for cat' });
  });

  it('pairs two anew without disturbing the third', async () => {
    const rooms = await fill(3);
    const [ann, bob, cat] = rooms;
    await Promise.all(rooms.map((room) => room.paired));
    const told: Pairing[] = [];
    cat.onPairing((pairing) => told.push(pairing));
    const [toBob, toAnn] = await Promise.all([ann.pairAgain(bob.seat.seat), bob.pairAgain(ann.seat.seat)]);
    expect([toBob.number, toAnn.number]).toEqual([2, 2]);
    expect(toBob.initiator).not.toBe(toAnn.initiator);
    expect(pairingWith(ann, cat)?.number).toBe(1);
    expect(told.map(({ number }) => number)).toEqual([1, 1]);
  });

  it('goes on for those who stay until one is alone', async () => {
    const [ann, bob, cat] = await fill(3);
    const [[, toCat]] = await Promise.all([ann.paired, bob.paired, cat.paired]);
    const left = new Promise((resolve) => toCat.onPeerLeft(resolve));
    const over = ended(ann);
    await lobbies[2].leave();
    expect(await left).toBe('left');
    expect((await ann.pairAgain(bob.seat.seat)).number).toBe(2);
    await expect(ann.pairAgain(cat.seat.seat)).rejects.toThrow(LobbyError);
    await lobbies[1].leave();
    expect(await over).toBe('peer-gone');
  });
});

describe('a spectator', () => {
  it('is paired with its source, and with another when that leaves; told when all players left', async () => {
    const [ann, bob] = await fill(2);
    await Promise.all([ann.paired, bob.paired]);
    const watching = await (await connect('Eve')).watch(ann.code, duel);
    const told: Pairing[] = [];
    watching.onPairing((pairing) => told.push(pairing));
    const [source] = await watching.paired;
    expect(source).toMatchObject({ number: 1, initiator: false, peer: { player: 0 } });
    await expect
      .poll(() => pairingWith(ann, watching))
      .toMatchObject({
        initiator: true,
        peer: { role: 'spectator', player: null, name: 'Eve' },
      });
    const over = ended(watching);
    const next = await watching.pairAgain(source.peer.seat);
    expect(next).toMatchObject({ number: 2, peer: { seat: bob.seat.seat } });
    await lobbies[1].leave();
    await expect.poll(() => told.length).toBe(3);
    expect(told[2]).toMatchObject({ number: 3, peer: { seat: ann.seat.seat } });
    await lobbies[0].leave();
    expect(await over).toBe('peer-gone');
  });

  it('waits for the start', async () => {
    const room = await (await connect()).create(duel);
    const watching = await (await connect()).watch(room.code, duel);
    const joined = await (await connect()).join(room.code, duel);
    const [[source], [toJoined]] = await Promise.all([watching.paired, room.paired]);
    expect(source.peer.seat).toBe(room.seat.seat);
    expect(toJoined.peer.seat, 'spectators are not waited for').toBe(joined.seat.seat);
  });
});

describe('the list', () => {
  it('has what a creator says of a room', async () => {
    const data = { map: 'docks', ranked: false };
    const room = await (await connect()).create(duel, { size: 4, listed: true, title: 'Docks', data });
    nowMs = 3_000;
    const reader = await connect();
    expect(await reader.list({ game: 'duel' })).toEqual([
      { code: room.code, version: '1', title: 'Docks', size: 4, players: 1, spectators: 0, data, ageS: 3 },
    ]);
    expect(await reader.list({ game: 'duel', version: '2' })).toEqual([]);
  });
});

describe('a quick match', () => {
  it('goes on in another room when somebody there will do by now', async () => {
    const rooms = [
      await (await connect()).quick(duel, { rating: 0 }),
      await (await connect()).quick(duel, { rating: 180 }),
    ];
    expect(rooms[0].code).not.toBe(rooms[1].code);
    const codes = rooms.map(({ code }) => code);
    const moved: string[] = [];
    for (const room of rooms) room.onSeat(({ room: code }) => moved.push(code));
    nowMs = 5_000;
    await server.matchWaiting();
    const [[one], [two]] = await Promise.all(rooms.map((room) => room.paired));
    expect(rooms[0].code).toBe(rooms[1].code);
    expect(moved).toEqual([rooms[0].code]);
    expect(codes).toContain(moved[0]);
    expect(rooms.map(({ me }) => me).sort()).toEqual([0, 1]);
    expect(rooms[1].link).toContain(rooms[1].code);
    one.signals.send(offer);
    expect(await received(two)).toEqual(offer);
  });
});

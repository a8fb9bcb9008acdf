import type { NewRoom, NewSeat, Room, RoomStore, Seat, Seated } from './store.js';

const isFull = (room: Room) => room.seats.length === room.size;

const isAway = ({ awaySince }: Seat) => awaySince !== undefined;

const queueKey = (room: { game: string; version: string }) => JSON.stringify([room.game, room.version]);

const newSeat = (seat: NewSeat, player: number): Seat => ({
  ...seat,
  player,
  nextSecretHash: undefined,
  hold: 1,
  awaySince: undefined,
});

/** Rooms of one process. Every method does its work before its first `await`, and so is atomic. */
export function createMemoryStore(): RoomStore {
  const rooms = new Map<string, Room>();
  /** Codes of open quick-match rooms by game and version; a Set keeps the order of arrival. */
  const queues = new Map<string, Set<string>>();
  /** Seats without a connection and the codes of their rooms, longest away first. */
  const away = new Map<string, { code: string; since: number }>();

  const enqueue = (room: Room) => {
    if (room.access !== 'quick' || room.started) return;
    const key = queueKey(room);
    const queue = queues.get(key) ?? new Set();
    queues.set(key, queue.add(room.code));
  };

  const dequeue = (room: Room) => {
    const queue = queues.get(queueKey(room));
    queue?.delete(room.code);
    if (queue?.size === 0) queues.delete(queueKey(room));
  };

  const remove = (room: Room) => {
    rooms.delete(room.code);
    for (const { id } of room.seats) away.delete(id);
    dequeue(room);
  };

  const add = (room: NewRoom, first: NewSeat): Seated | undefined => {
    if (rooms.has(room.code)) return undefined;
    const seat = newSeat(first, 0);
    const added: Room = { ...room, seats: [seat], started: false, pairing: 0, pairingWanted: false };
    rooms.set(room.code, added);
    enqueue(added);
    return { room: added, seat };
  };

  const take = (room: Room, another: NewSeat, now: number): Seated => {
    const seat = newSeat(another, room.seats.length);
    const seats = [...room.seats, seat];
    const started = seats.length === room.size;
    const next: Room = { ...room, seats, started, touchedAt: now };
    rooms.set(room.code, next);
    if (started) dequeue(next);
    return { room: next, seat };
  };

  const findSeat = (code: string, seatId: string): Seated | undefined => {
    const room = rooms.get(code);
    const seat = room?.seats.find(({ id }) => id === seatId);
    return room === undefined || seat === undefined ? undefined : { room, seat };
  };

  const change = ({ room, seat }: Seated, changes: Partial<Seat>): Seated => {
    const changed = { ...seat, ...changes };
    const next: Room = { ...room, seats: room.seats.map((each) => (each.id === seat.id ? changed : each)) };
    rooms.set(room.code, next);
    return { room: next, seat: changed };
  };

  const leave = (code: string, seatId: string): Room | undefined => {
    const found = findSeat(code, seatId);
    if (found === undefined) return undefined;
    const { room, seat } = found;
    const seats = !room.started && seat.player === 0 ? [] : room.seats.filter(({ id }) => id !== seatId);
    const next: Room = { ...room, seats };
    away.delete(seatId);
    if (seats.length === 0) remove(room);
    else rooms.set(code, next);
    return next;
  };

  return {
    create: async (room, seat) => add(room, seat),

    join: async (code, game, seat, now) => {
      const room = rooms.get(code);
      if (room === undefined || room.started || room.access !== 'code' || room.game !== game) return undefined;
      return take(room, seat, now);
    },

    joinOldestOrCreate: async (room, seat) => {
      const [oldest] = queues.get(queueKey(room)) ?? [];
      const waiting = oldest === undefined ? undefined : rooms.get(oldest);
      if (waiting === undefined) return add(room, seat);
      return take({ ...waiting, relayOnly: waiting.relayOnly || room.relayOnly }, seat, room.touchedAt);
    },

    find: async (code) => rooms.get(code),

    touch: async (code, now) => {
      const room = rooms.get(code);
      if (room !== undefined) rooms.set(code, { ...room, touchedAt: now });
    },

    away: async (code, seatId, hold, now) => {
      const found = findSeat(code, seatId);
      if (found === undefined || found.seat.hold !== hold || isAway(found.seat)) return undefined;
      away.set(seatId, { code, since: now });
      const { room } = change(found, { awaySince: now });
      dequeue(room);
      return room;
    },

    resume: async (code, seatId, { hold, secretHash, nextSecretHash, awayAfter }) => {
      const found = findSeat(code, seatId);
      if (found === undefined || found.seat.hold !== hold) return undefined;
      const { seat } = found;
      if (seat.awaySince !== undefined && seat.awaySince < awayAfter) return undefined;
      if (secretHash !== seat.secretHash && secretHash !== seat.nextSecretHash) return undefined;
      away.delete(seatId);
      const seated = change(found, { secretHash, nextSecretHash, hold: hold + 1, awaySince: undefined });
      enqueue(seated.room);
      return seated;
    },

    confirm: async (code, seatId, secretHash) => {
      const found = findSeat(code, seatId);
      if (found?.seat.nextSecretHash === secretHash) change(found, { secretHash, nextSecretHash: undefined });
    },

    pair: async (code, after, now) => {
      const room = rooms.get(code);
      if (room === undefined || room.pairing !== after || !isFull(room)) return undefined;
      if (room.seats.some(isAway)) {
        rooms.set(code, { ...room, pairingWanted: true });
        return undefined;
      }
      const paired: Room = { ...room, pairing: after + 1, pairingWanted: false, touchedAt: now };
      rooms.set(code, paired);
      return paired;
    },

    leave: async (code, seatId) => leave(code, seatId),

    expireSeats: async (before) => {
      const departures = [];
      for (const [seat, { code, since }] of away) {
        if (since >= before) break;
        const room = leave(code, seat);
        away.delete(seat);
        if (room !== undefined) departures.push({ room, seat });
      }
      return departures;
    },

    expire: async (before) => {
      const idle = [...rooms.values()].filter((room) => room.touchedAt < before && !room.started);
      for (const room of idle) remove(room);
      return idle;
    },

    count: async (pairingSince) => {
      let pairing = 0;
      for (const room of rooms.values()) if (isFull(room) && room.touchedAt >= pairingSince) pairing++;
      return { rooms: rooms.size, pairing };
    },
  };
}

import type { NewRoom, NewSeat, Room, RoomStore, Seat, Seated } from './store.js';

const isFull = (room: Room) => room.seats.length === room.size;

const queueKey = (room: { game: string; version: string }) => JSON.stringify([room.game, room.version]);

/** Rooms of one process. Every method does its work before its first `await`, and so is atomic. */
export function createMemoryStore(): RoomStore {
  const rooms = new Map<string, Room>();
  /** Codes of open quick-match rooms by game and version; a Set keeps the order of arrival. */
  const queues = new Map<string, Set<string>>();

  const dequeue = (room: Room) => {
    const queue = queues.get(queueKey(room));
    queue?.delete(room.code);
    if (queue?.size === 0) queues.delete(queueKey(room));
  };

  const remove = (room: Room) => {
    rooms.delete(room.code);
    dequeue(room);
  };

  const add = (room: NewRoom, newSeat: NewSeat): Seated | undefined => {
    if (rooms.has(room.code)) return undefined;
    const seat: Seat = { ...newSeat, player: 0 };
    const added: Room = { ...room, seats: [seat], started: false };
    rooms.set(room.code, added);
    if (room.access === 'quick') {
      const key = queueKey(room);
      const queue = queues.get(key) ?? new Set();
      queues.set(key, queue.add(room.code));
    }
    return { room: added, seat };
  };

  const take = (room: Room, newSeat: NewSeat, now: number): Seated => {
    const seat: Seat = { ...newSeat, player: room.seats.length };
    const seats = [...room.seats, seat];
    const started = seats.length === room.size;
    const next: Room = { ...room, seats, started, touchedAt: now };
    rooms.set(room.code, next);
    if (started) dequeue(next);
    return { room: next, seat };
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
      return waiting === undefined ? add(room, seat) : take(waiting, seat, room.touchedAt);
    },

    find: async (code) => rooms.get(code),

    touch: async (code, now) => {
      const room = rooms.get(code);
      if (room !== undefined) rooms.set(code, { ...room, touchedAt: now });
    },

    leave: async (code, seatId) => {
      const room = rooms.get(code);
      const seat = room?.seats.find(({ id }) => id === seatId);
      if (room === undefined || seat === undefined) return undefined;
      const seats = !room.started && seat.player === 0 ? [] : room.seats.filter(({ id }) => id !== seatId);
      const next: Room = { ...room, seats };
      if (seats.length === 0) remove(room);
      else rooms.set(code, next);
      return next;
    },

    expire: async (before) => {
      const idle = [...rooms.values()].filter((room) => room.touchedAt < before && !isFull(room));
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

import { playersOf, type Room } from './room.js';
import { awaySinceOf, isOnList, nodesOf, queueOf, type RoomStore, type Step } from './store.js';

/** Codes of rooms by some word. A Set keeps the order in which they came. */
class Index {
  readonly #codes = new Map<string, Set<string>>();

  get words(): string[] {
    return [...this.#codes.keys()];
  }

  codesOf(word: string): string[] {
    return [...(this.#codes.get(word) ?? [])];
  }

  /** A room that stays under its word keeps its place. */
  move(code: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) {
      const codes = this.#codes.get(from);
      codes?.delete(code);
      if (codes?.size === 0) this.#codes.delete(from);
    }
    if (to !== undefined) this.#codes.set(to, (this.#codes.get(to) ?? new Set()).add(code));
  }
}

/** Rooms of one process. Every method does its work at once, and so is atomic. */
export function createMemoryStore(): RoomStore {
  const rooms = new Map<string, Room>();
  /** The code of each seat's room. */
  const places = new Map<string, string>();
  const queues = new Index();
  const lists = new Index();
  const away = new Set<string>();

  /** Both may be the same room, one of them `undefined` for a room that is not there. */
  const put = (before: Room | undefined, after: Room | undefined) => {
    const code = (after ?? before)?.code;
    if (code === undefined) return;
    if (after === undefined) rooms.delete(code);
    else rooms.set(code, after);
    // A seat that was moved has its new place already.
    for (const { id } of before?.seats ?? []) if (places.get(id) === code) places.delete(id);
    for (const { id } of after?.seats ?? []) places.set(id, code);
    queues.move(code, before && queueOf(before), after && queueOf(after));
    lists.move(
      code,
      before && isOnList(before) ? before.game : undefined,
      after && isOnList(after) ? after.game : undefined,
    );
    if (after === undefined || awaySinceOf(after) === undefined) away.delete(code);
    else away.add(code);
  };

  const existing = (codes: readonly string[]): Room[] => {
    const found: Room[] = [];
    for (const code of codes) {
      const room = rooms.get(code);
      if (room !== undefined) found.push(room);
    }
    return found;
  };

  const replace = (before: Room, after: Room): Step => {
    put(before, playersOf(after).length === 0 ? undefined : after);
    return { before, after };
  };

  return {
    add: (room) => {
      if (rooms.has(room.code)) return false;
      put(undefined, room);
      return true;
    },

    find: (code) => rooms.get(code),

    roomOf: (seat) => rooms.get(places.get(seat) ?? ''),

    update: (codes, step) => {
      const before = existing(codes);
      const after = before.length === codes.length ? step(before) : undefined;
      return after && before.map((room, index) => replace(room, after[index]));
    },

    updateRoomOf: (seat, step) => {
      const room = rooms.get(places.get(seat) ?? '');
      const after = room && step(room);
      return room && after && replace(room, after);
    },

    queues: async () => queues.words,

    waiting: async (queue, max) =>
      existing(queues.codesOf(queue))
        .sort((a, b) => a.createdAt - b.createdAt)
        .slice(0, max),

    listed: async (game, version, max) =>
      existing(lists.codesOf(game))
        .filter((room) => version === undefined || room.version === version)
        .sort((a, b) => b.createdAt - a.createdAt)
        .slice(0, max),

    withAway: async (before) => [...away].filter((code) => (awaySinceOf(rooms.get(code)!) ?? before) < before),

    idle: async (before) =>
      [...rooms.values()].filter(({ started, touchedAt }) => !started && touchedAt < before).map(({ code }) => code),

    heldBy: async (node) => [...rooms.values()].filter((room) => nodesOf(room).includes(node)).map(({ code }) => code),

    count: async (pairingSince) => {
      let pairing = 0;
      for (const { started, touchedAt } of rooms.values()) if (started && touchedAt >= pairingSince) pairing++;
      return { rooms: rooms.size, pairing };
    },

    check: async () => undefined,
  };
}

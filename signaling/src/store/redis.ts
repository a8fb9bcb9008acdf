import type { Redis } from 'ioredis';
import { playersOf, type Room, some } from './room.js';
import { awaySinceOf, isOnList, nodesOf, queueOf, type RoomStore, type Step, StoreAwayError } from './store.js';

/**
 * Every key begins so. The braces keep them together where Redis is a cluster, as scripts over several keys need it.
 */
const PREFIX = '{riposte}:';

/** How often a step is tried again because a room has changed meanwhile. All players of a full room at once do not. */
const UPDATE_TRIES = 100;

const roomKey = (code: string) => `${PREFIX}room:${code}`;
const seatKey = (seat: string) => `${PREFIX}seat:${seat}`;
const queueKey = (queue: string) => `${PREFIX}queue:${queue}`;
const listKey = (game: string, version?: string) => `${PREFIX}list:${JSON.stringify([game, version])}`;
const QUEUES = `${PREFIX}queues`;
const nodeKey = (node: string) => `${PREFIX}node:${node}`;
const AWAY = `${PREFIX}away`;
const OPEN = `${PREFIX}open`;
const STARTED = `${PREFIX}started`;

/**
 * Changes rooms, if each of them is still of the revision that the change was made from, or is still missing where that
 * is none. KEYS are the rooms'; ARGV has the revisions ('' for none), then the commands as one JSON text. In the same
 * step, names of queues go with the last room that waited there.
 */
const COMMIT = `
for index, key in ipairs(KEYS) do
  if (redis.call('HGET', key, 'revision') or '') ~= ARGV[index] then return 0 end
end
for _, command in ipairs(cjson.decode(ARGV[#KEYS + 1])) do
  redis.call(unpack(command))
end
for _, queue in ipairs(cjson.decode(ARGV[#KEYS + 2])) do
  if redis.call('EXISTS', queue[1]) == 0 then redis.call('SREM', queue[2], queue[3]) end
end
return 1`;

/** The room of a seat, whose place is KEYS[1]; ARGV[1] is what a room's key begins with. */
const ROOM_OF = `
local code = redis.call('GET', KEYS[1])
return code and redis.call('HMGET', ARGV[1] .. code, 'revision', 'room') or {}`;

/** A room as it is kept. */
interface Kept {
  /** '' for a room that is not there. */
  revision: string;
  room: Room;
}

export interface RedisStoreEvents {
  /** A step has to be taken again, because another server was faster. */
  onRetry?(): void;
  /** Redis did not answer. */
  onAway?(): void;
}

/** A place of a room in a sorted index. */
interface Place {
  key: string;
  score: number;
}

/**
 * Rooms that several servers share. A step is compared and set by the rooms' revisions, in one script. All times are kept
 * as they are given: the servers need one clock, that of the day.
 */
export function createRedisStore(redis: Redis, { onRetry, onAway }: RedisStoreEvents = {}): RoomStore {
  /** Whatever Redis fails of, a connection, its memory, a replica that may not write: it is away. */
  const answered = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      onAway?.();
      throw new StoreAwayError(error);
    }
  };

  const load = async (codes: readonly string[]): Promise<Kept[]> => {
    const found = await answered(Promise.all(codes.map((code) => redis.hmget(roomKey(code), 'revision', 'room'))));
    return found.flatMap(parseKept);
  };

  const loadRoomOf = async (seat: string): Promise<Kept[]> =>
    parseKept(await answered(redis.eval(ROOM_OF, 1, seatKey(seat), roomKey(''))));

  const rooms = async (codes: readonly string[]): Promise<Room[]> => (await load(codes)).map(({ room }) => room);

  /** `false`: a room has changed meanwhile. */
  const commit = async (changes: readonly { kept: Kept | undefined; next: Room; code: string }[]): Promise<boolean> => {
    const commands: string[][] = [];
    // Seats are taken from their places before they get new ones: one may move between two rooms of a step.
    for (const { kept } of changes) {
      for (const { id } of kept?.room.seats ?? []) commands.push(['DEL', seatKey(id)]);
    }
    const queues: string[][] = [];
    for (const { kept, next, code } of changes) {
      const isGone = playersOf(next).length === 0;
      const revision = String(Number(kept?.revision ?? 0) + 1);
      if (isGone) commands.push(['DEL', roomKey(code)]);
      else commands.push(['HSET', roomKey(code), 'revision', revision, 'room', JSON.stringify(next)]);
      const after = isGone ? [] : placesOf(next);
      for (const { key } of kept === undefined ? [] : placesOf(kept.room)) {
        if (!after.some((place) => place.key === key)) commands.push(['ZREM', key, code]);
      }
      for (const { key, score } of after) commands.push(['ZADD', key, String(score), code]);
      for (const { id } of isGone ? [] : next.seats) commands.push(['SET', seatKey(id), code]);
      const [left, queue] = [kept && queueOf(kept.room), isGone ? undefined : queueOf(next)];
      if (queue !== undefined) commands.push(['SADD', QUEUES, queue]);
      if (left !== undefined && left !== queue) queues.push([queueKey(left), QUEUES, left]);
    }
    const keys = changes.map(({ code }) => roomKey(code));
    const revisions = changes.map(({ kept }) => kept?.revision ?? '');
    const done = await answered(
      redis.eval(COMMIT, keys.length, ...keys, ...revisions, JSON.stringify(commands), JSON.stringify(queues)),
    );
    return done === 1;
  };

  /** Takes a step with the rooms that `look` finds, as many as `count`, if nobody else takes one meanwhile. */
  const take = async (
    look: () => Promise<Kept[]>,
    count: number,
    step: (rooms: readonly Room[]) => readonly Room[] | undefined,
  ): Promise<Step[] | undefined> => {
    for (let attempt = 0; attempt < UPDATE_TRIES; attempt++) {
      const before = await look();
      const after = before.length === count ? step(before.map(({ room }) => room)) : undefined;
      if (after === undefined) return undefined;
      const changes = before.map((kept, index) => ({ kept, next: after[index], code: kept.room.code }));
      if (await commit(changes)) return changes.map(({ kept, next }): Step => ({ before: kept.room, after: next }));
      onRetry?.();
    }
    throw new Error(`a room changed ${UPDATE_TRIES} times while a step was taken`);
  };

  return {
    add: (room) => commit([{ kept: undefined, next: room, code: room.code }]),

    find: async (code) => (await rooms([code])).at(0),

    roomOf: async (seat) => (await loadRoomOf(seat)).at(0)?.room,

    update: (codes, step) => take(() => load(codes), codes.length, step),

    updateRoomOf: async (seat, step) =>
      (
        await take(
          () => loadRoomOf(seat),
          1,
          ([room]) => some(step(room)),
        )
      )?.[0],

    queues: () => answered(redis.smembers(QUEUES)),

    waiting: async (queue, max) => rooms(await answered(redis.zrange(queueKey(queue), 0, max - 1))),

    listed: async (game, version, max) =>
      rooms(await answered(redis.zrange(listKey(game, version), 0, max - 1, 'REV'))),

    withAway: (before) => answered(redis.zrangebyscore(AWAY, '-inf', `(${before}`)),

    idle: (before) => answered(redis.zrangebyscore(OPEN, '-inf', `(${before}`)),

    heldBy: (node) => answered(redis.zrange(nodeKey(node), 0, -1)),

    count: async (pairingSince) => {
      const counts = [redis.zcard(OPEN), redis.zcard(STARTED), redis.zcount(STARTED, pairingSince, '+inf')];
      const [open, started, pairing] = await answered(Promise.all(counts));
      return { rooms: open + started, pairing };
    },

    check: async () => void (await answered(redis.ping())),
  };
}

/** In which indexes a room is found. */
function placesOf(room: Room): Place[] {
  const places: Place[] = [{ key: room.started ? STARTED : OPEN, score: room.touchedAt }];
  const queue = queueOf(room);
  if (queue !== undefined) places.push({ key: queueKey(queue), score: room.createdAt });
  if (isOnList(room)) {
    places.push({ key: listKey(room.game), score: room.createdAt });
    places.push({ key: listKey(room.game, room.version), score: room.createdAt });
  }
  const away = awaySinceOf(room);
  if (away !== undefined) places.push({ key: AWAY, score: away });
  for (const node of nodesOf(room)) places.push({ key: nodeKey(node), score: room.createdAt });
  return places;
}

/** What Redis has of a room: its revision and the room. */
function parseKept(found: unknown): Kept[] {
  const [revision, room]: unknown[] = Array.isArray(found) ? found : [];
  return typeof revision === 'string' && typeof room === 'string' ? [{ revision, room: parseRoom(room) }] : [];
}

/** What `JSON.stringify` made of a room. Only servers of ours write there. */
function parseRoom(text: string): Room {
  return JSON.parse(text);
}

/**
 * Quick matches: who waits for the same game, version and size is seated together, at first only with players of the
 * same region and about the same strength, in the end with anybody.
 *
 * Everybody begins in a room of their own, and rooms that fit become one, in a single step of the store: so nobody sits
 * in two, whichever servers look at the same moment.
 */
import type { Entry, Outcome, Rooms } from './rooms.js';
import { toEntry } from './rooms.js';
import { merge, playersOf, type Room, type RoomKind, type Search } from './store/room.js';
import { queueOf, type RoomStore, type Step } from './store/store.js';

/** Milliseconds for which only players of the same region will do. */
export const REGION_MS = 10_000;

/** How far apart ratings may be at first, and by how much more after each `RATING_EVERY_MS` of waiting. */
export const RATING_DISTANCE = 100;
export const RATING_EVERY_MS = 5_000;

/** Milliseconds after which any rating will do. */
export const RATING_MS = 30_000;

/** Rooms of a queue that are compared at one look, longest waiting first. After `RATING_MS` nobody is in the way. */
const WAITING_MAX = 256;

/** Two rooms that became one: the one that goes on, and the one whose seats were moved there. */
export interface Merger {
  step: Step;
  moved: Room;
}

/** Whether all players of two rooms accept each other. Who states no region or rating accepts any, and suits anybody. */
export function fits(room: Room, other: Room, now: number): boolean {
  if (playersOf(room).length + playersOf(other).length > room.size) return false;
  return playersOf(room).every(({ search: one }) =>
    playersOf(other).every(({ search: two }) => {
      return one === undefined || two === undefined || (accepts(one, two, now) && accepts(two, one, now));
    }),
  );
}

function accepts({ since, region, rating }: Search, other: Search, now: number): boolean {
  const waitedMs = now - since;
  if (waitedMs < REGION_MS && region !== undefined && other.region !== undefined && region !== other.region)
    return false;
  if (waitedMs >= RATING_MS || rating === undefined || other.rating === undefined) return true;
  return Math.abs(rating - other.rating) <= RATING_DISTANCE * (1 + Math.floor(waitedMs / RATING_EVERY_MS));
}

export interface MatchmakingOptions {
  store: RoomStore;
  rooms: Rooms;
  /** Milliseconds, the clock of `rooms`. */
  now(): number;
}

export class Matchmaking {
  readonly #options: MatchmakingOptions;

  constructor(options: MatchmakingOptions) {
    this.#options = options;
  }

  /** Seats somebody beside those who wait, or lets them wait. A waiting room cannot be joined by its code. */
  async enter(
    kind: RoomKind,
    name: string | undefined,
    search: Omit<Search, 'since'>,
  ): Promise<{ outcome: Outcome<Entry>; merger: Merger | undefined }> {
    const { store, rooms, now } = this.#options;
    const outcome = await rooms.open(kind, name, { ...search, since: now() });
    if (!outcome.ok) return { outcome, merger: undefined };
    const { grant } = outcome.value;
    const own = await store.find(grant.room);
    const queue = own && queueOf(own);
    // Somebody else may have moved this seat already.
    const merger = own === undefined || queue === undefined ? undefined : await this.#seatBeside(own, queue);
    const room = await rooms.roomOf(grant.seat);
    const value = room === undefined ? outcome.value : toEntry(room, grant.seat, grant.secret);
    return { outcome: { ok: true, value }, merger };
  }

  /** Looks again at everybody who waits; gives the rooms that became one. */
  async look(): Promise<Merger[]> {
    const { store, now } = this.#options;
    const mergers: Merger[] = [];
    for (const queue of await store.queues()) {
      let rooms = await store.waiting(queue, WAITING_MAX);
      while (rooms.length > 1) {
        const [first, ...others] = rooms;
        rooms = others;
        for (const other of others.filter((each) => fits(first, each, now()))) {
          const merger = await this.#merge(first, other);
          if (merger !== undefined) mergers.push(merger);
        }
        const gone = new Set(mergers.map(({ moved }) => moved.code));
        rooms = rooms.filter(({ code }) => !gone.has(code));
      }
    }
    return mergers;
  }

  /** Moves a room's seats to the one that has waited longest of those that fit. */
  async #seatBeside(own: Room, queue: string): Promise<Merger | undefined> {
    const { store, now } = this.#options;
    for (const room of await store.waiting(queue, WAITING_MAX)) {
      // Of two that look at the same moment, the newer moves.
      if (room.code === own.code || room.createdAt > own.createdAt || !fits(room, own, now())) continue;
      const merger = await this.#merge(room, own);
      if (merger !== undefined) return merger;
    }
    return undefined;
  }

  async #merge({ code }: Room, other: Room): Promise<Merger | undefined> {
    const { store, now } = this.#options;
    // As they are by now: both may have changed since they were compared.
    const steps = await store.update([code, other.code], ([room, second]) =>
      fits(room, second, now()) && queueOf(room) !== undefined && queueOf(second) !== undefined
        ? merge(room, second, now())
        : undefined,
    );
    return steps && { step: steps[0], moved: steps[1].before };
  }
}

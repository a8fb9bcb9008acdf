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

/** Those who came to a queue since it was last looked at, and the look that they wait for. */
interface Batch {
  codes: Set<string>;
  look: Promise<Merger[]>;
}

export class Matchmaking {
  readonly #options: MatchmakingOptions;
  /** By queue, the look that has not begun. */
  readonly #next = new Map<string, Batch>();
  /** By queue, the newest look; never rejects. */
  readonly #newest = new Map<string, Promise<unknown>>();

  constructor(options: MatchmakingOptions) {
    this.#options = options;
  }

  /** Seats somebody beside those who wait, or lets them wait. A waiting room cannot be joined by its code. */
  async enter(
    kind: RoomKind,
    name: string | undefined,
    search: Omit<Search, 'since'>,
  ): Promise<{ outcome: Outcome<Entry>; mergers: readonly Merger[] }> {
    const { store, rooms, now } = this.#options;
    const outcome = await rooms.open(kind, name, { ...search, since: now() });
    if (!outcome.ok) return { outcome, mergers: [] };
    const { grant } = outcome.value;
    const own = await store.find(grant.room);
    const queue = own && queueOf(own);
    // Somebody else may have moved this seat already.
    const mergers = own === undefined || queue === undefined ? [] : await this.#seatSoon(own.code, queue);
    const room = await rooms.roomOf(grant.seat);
    const value = room === undefined ? outcome.value : toEntry(room, grant.seat, grant.secret);
    return { outcome: { ok: true, value }, mergers };
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

  /**
   * Seats a newcomer at the next look at its queue, which begins when the one before has ended: many who come at once
   * are seated one after the other, and do not get in each other's way. The mergers are given to the first who asked.
   */
  #seatSoon(code: string, queue: string): Promise<Merger[]> {
    const waiting = this.#next.get(queue);
    if (waiting !== undefined) {
      waiting.codes.add(code);
      return waiting.look.then(() => []);
    }
    const codes = new Set([code]);
    const look = Promise.resolve(this.#newest.get(queue)).then(() => {
      this.#next.delete(queue);
      return this.#seatAll(codes, queue);
    });
    const ended = look
      .catch(() => undefined)
      .then(() => {
        if (this.#newest.get(queue) === ended) this.#newest.delete(queue);
      });
    this.#newest.set(queue, ended);
    this.#next.set(queue, { codes, look });
    return look;
  }

  /** Moves each newcomer to the room that has waited longest of those that fit. */
  async #seatAll(codes: ReadonlySet<string>, queue: string): Promise<Merger[]> {
    const { store, now } = this.#options;
    const mergers: Merger[] = [];
    let rooms = await store.waiting(queue, WAITING_MAX);
    for (const own of rooms.filter(({ code }) => codes.has(code))) {
      // Of two that look at the same moment, the newer moves.
      const older = rooms.slice(0, rooms.indexOf(own)).filter((room) => fits(room, own, now()));
      for (const room of older) {
        const merger = await this.#merge(room, own);
        if (merger !== undefined) mergers.push(merger);
        const after = merger?.step.after;
        // Where it failed, another server was faster.
        rooms = rooms.flatMap((each) =>
          each === room ? (after !== undefined && queueOf(after) ? [after] : []) : [each],
        );
        if (merger !== undefined || (await store.find(own.code)) === undefined) {
          rooms = rooms.filter((each) => each !== own);
          break;
        }
      }
    }
    return mergers;
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

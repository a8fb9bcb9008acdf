/**
 * Rooms and seats: who sits where, who talks to whom.
 *
 * Promises: no socket, no clock, no randomness of its own; all three are given.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import {
  type ListedRoom,
  normalizeRoomCode,
  type PeerSeat,
  type Place,
  ROOM_CODE_ALPHABET,
  ROOM_CODE_LENGTH,
  ROOM_LIST_MAX,
  type SeatGrant,
  type SignalingFailure,
} from '@riposte/shared/protocol';
import { notInRoom, peerGone, refuse, seatNotFound } from './refusals.js';
import { type Soon, soon } from './soon.js';
import {
  arrive,
  confirm,
  goAway,
  isAway,
  leave,
  lose,
  type NewSeat,
  openRoom,
  pairAgain,
  pairOf,
  playersOf,
  type Room,
  type RoomAccess,
  type RoomKind,
  type Search,
  type Seat,
  type SeenPairing,
  seatOf,
  sit,
  some,
  takeBack,
  touch,
  watch,
} from './store/room.js';
import type { RoomCounts, RoomStore, Step } from './store/store.js';

const SEAT_BYTES = 16;

/** With a million open rooms a fresh code is taken once in a thousand tries: eight in a row do not happen. */
const CODE_TRIES = 8;

/** Milliseconds. A negotiation sends tens of signals: not each has to say that the room is in use. */
const TOUCH_EVERY_MS = 500;

export interface RoomsOptions {
  store: RoomStore;
  /** This server's name among those that share the store. */
  node?: string;
  /** Milliseconds, any origin; the same for all servers that share the store. */
  now(): number;
  /** Cryptographically random bytes. */
  randomBytes(count: number): Uint8Array;
  /** Milliseconds until an idle room is closed. */
  ttlMs: number;
  /** Milliseconds that a seat is kept for an owner whose connection ended. */
  seatAwayMs: number;
}

/** A seat just taken. */
export interface Entry {
  /** What its owner is told. */
  grant: SeatGrant;
  /** Which connection this is of those that have held the seat. */
  hold: number;
  /** How strangers find the room. */
  access: RoomAccess;
  /** What those in the room are to be told of. */
  step?: Step;
}

/** A seat and its room. */
export interface Seated {
  room: Room;
  seat: Seat;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: SignalingFailure };

export class Rooms {
  readonly #options: RoomsOptions;

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** Opens a room with its first player. */
  async open(kind: RoomKind, name: string | undefined, search?: Search): Promise<Outcome<Entry>> {
    const { store, now } = this.#options;
    const { seat, secret } = this.#newSeat(name);
    for (let attempt = 0; attempt < CODE_TRIES; attempt++) {
      const room = openRoom(kind, this.#newCode(), search === undefined ? seat : { ...seat, search }, now());
      if (await store.add(room)) return { ok: true, value: toEntry(room, seat.id, secret) };
    }
    return refuse('internal-error', 'The server found no free room code: try again.');
  }

  /** Takes the lowest free player's seat behind a code, typed in any case. */
  join(typed: string, game: string, name: string | undefined): Promise<Outcome<Entry>> {
    return this.#enter(typed, game, name, (room, seat, now) =>
      room.access === 'code' ? sit(room, seat, now) : undefined,
    );
  }

  /** Takes a spectator's seat behind a code. */
  watch(typed: string, game: string, name: string | undefined): Promise<Outcome<Entry>> {
    return this.#enter(typed, game, name, watch);
  }

  /** The open rooms of a game that are listed, newest first. */
  async list(game: string, version: string | undefined): Promise<ListedRoom[]> {
    const { store, now } = this.#options;
    return (await store.listed(game, version, ROOM_LIST_MAX)).map((room) => ({
      code: room.code,
      version: room.version,
      ...(room.title !== undefined && { title: room.title }),
      size: room.size,
      players: playersOf(room).length,
      spectators: room.seats.length - playersOf(room).length,
      data: room.data,
      ageS: Math.max(0, Math.floor((now() - room.createdAt) / 1000)),
    }));
  }

  /** Who shows the secret of which seat. Missing, expired and wrong have one answer. */
  async claim(seatId: string, secret: string): Promise<Outcome<Seated>> {
    const { now, seatAwayMs } = this.#options;
    const room = await this.roomOf(seatId);
    const seat = room && seatOf(room, seatId);
    if (room === undefined || seat === undefined || !opens(secret, seat)) return seatNotFound();
    if (seat.awaySince !== undefined && seat.awaySince < now() - seatAwayMs) return seatNotFound();
    return { ok: true, value: { room, seat } };
  }

  /**
   * Gives a claimed seat to a new connection, with a new secret. `undefined`: it has changed hands since it was
   * claimed.
   */
  async resume({ seat }: Seated, secret: string): Promise<Entry | undefined> {
    const { store, now, seatAwayMs, node } = this.#options;
    const next = this.#token();
    const step = await store.updateRoomOf(seat.id, (room) =>
      takeBack(room, seat.id, {
        node,
        hold: seat.hold,
        secretHash: hashSecret(secret),
        nextSecretHash: hashSecret(next),
        awayAfter: now() - seatAwayMs,
      }),
    );
    return step && { ...toEntry(step.after, seat.id, next), step };
  }

  /** The owner has the new secret: the one before it is void. */
  async confirm(seatId: string, secret: string): Promise<void> {
    await this.#options.store.updateRoomOf(seatId, (room) => confirm(room, seatId, hashSecret(secret)));
  }

  /**
   * The connection that is the seat's `hold`th knows that it holds it, and of these pairings: what it missed is made
   * anew. `undefined`: another holds the seat by now.
   */
  arrive(seatId: string, hold: number, seen: readonly SeenPairing[]): Soon<Step | undefined> {
    const { store, now } = this.#options;
    return store.updateRoomOf(seatId, (room) => arrive(room, seatId, hold, seen, now()));
  }

  /** The seat's connection ended. `undefined`: another connection holds the seat by now. */
  away(seatId: string, hold: number): Soon<Step | undefined> {
    const { store, now } = this.#options;
    return store.updateRoomOf(seatId, (room) => goAway(room, seatId, hold, now()));
  }

  /** Frees a seat. */
  leave(seatId: string): Soon<Step | undefined> {
    const { store, now } = this.#options;
    return store.updateRoomOf(seatId, (room) => leave(room, [seatId], now()));
  }

  /** Makes the pairing of two seats that follows `after`; `undefined` when it is made already. */
  pairAgain(seatId: string, other: string, after: number): Soon<Step | undefined> {
    const { store, now } = this.#options;
    return store.updateRoomOf(seatId, (room) => pairAgain(room, seatId, other, after, now()));
  }

  /** The seat `to` that `from` is paired with, and marks their room as in use. */
  peerOf(from: string, to: string, pairing: number): Soon<Outcome<Seat>> {
    const { store, now } = this.#options;
    return soon(store.roomOf(from), (room) => {
      if (room === undefined) return notInRoom();
      const seat = seatOf(room, to);
      const pair = pairOf(room, from, to);
      if (seat === undefined || pair === undefined) return peerGone();
      if (pairing !== pair.number) {
        return refuse('stale-pairing', 'The players have been paired anew: negotiate from the start.');
      }
      // One that is about to be told that it holds the seat would miss what comes before.
      if (isAway(seat) || !seat.ready) {
        return refuse(
          'peer-away',
          'The other player has no connection to the server at the moment: ask for a new pairing, it is made when they are back.',
        );
      }
      const peer = { ok: true as const, value: seat };
      if (now() - room.touchedAt >= TOUCH_EVERY_MS) {
        return soon(
          store.updateRoomOf(from, (used) => touch(used, now())),
          () => peer,
        );
      }
      return peer;
    });
  }

  /** The room in which a seat is. */
  roomOf(seatId: string): Soon<Room | undefined> {
    return this.#options.store.roomOf(seatId);
  }

  /** The seats whose connections are with the server `node`, as far as the store knows. */
  async heldBy(node: string): Promise<Seat[]> {
    const { store } = this.#options;
    const rooms = await Promise.all((await store.heldBy(node)).map((code) => store.find(code)));
    return rooms.flatMap((room) => room?.seats.filter((seat) => seat.node === node && !isAway(seat)) ?? []);
  }

  /** Marks the seats of the server `node` as away whose connections are lost. */
  async lose(node: string, isLost: (seat: Seat) => boolean = () => true): Promise<Step[]> {
    const { store, now } = this.#options;
    const steps: Step[] = [];
    for (const code of await store.heldBy(node)) {
      const taken = await store.update([code], ([room]) => some(lose(room, node, isLost, now())));
      steps.push(...(taken ?? []));
    }
    return steps;
  }

  /** Frees the seats whose owners did not come back in time. */
  async expireSeats(): Promise<Step[]> {
    const { store, now, seatAwayMs } = this.#options;
    const before = now() - seatAwayMs;
    const steps: Step[] = [];
    for (const code of await store.withAway(before)) {
      const taken = await store.update([code], ([room]) => {
        const late = room.seats.filter(({ awaySince }) => awaySince !== undefined && awaySince < before);
        return some(
          leave(
            room,
            late.map(({ id }) => id),
            now(),
          ),
        );
      });
      steps.push(...(taken ?? []));
    }
    return steps;
  }

  /** Closes the rooms that were idle for too long and gives them. */
  async expire(): Promise<Room[]> {
    const { store, now, ttlMs } = this.#options;
    const before = now() - ttlMs;
    const closed: Room[] = [];
    for (const code of await store.idle(before)) {
      const taken = await store.update([code], ([room]) =>
        room.started || room.touchedAt >= before ? undefined : [{ ...room, seats: [] }],
      );
      closed.push(...(taken ?? []).map((step) => step.before));
    }
    return closed;
  }

  /** @param quietMs a match without a message for so long has finished its pairings. */
  count(quietMs: number): Promise<RoomCounts> {
    return this.#options.store.count(this.#options.now() - quietMs);
  }

  /** Takes a seat behind a code. Missing, full, closed and another game's have one answer. */
  async #enter(
    typed: string,
    game: string,
    name: string | undefined,
    enter: (room: Room, seat: NewSeat, now: number) => Room | undefined,
  ): Promise<Outcome<Entry>> {
    const { store, now } = this.#options;
    const { seat, secret } = this.#newSeat(name);
    const code = normalizeRoomCode(typed);
    const steps =
      code === undefined
        ? undefined
        : await store.update([code], ([room]) => (room.game === game ? some(enter(room, seat, now())) : undefined));
    if (steps === undefined) {
      return refuse('room-not-found', 'There is no open match with that code: check it, or ask for a new link.');
    }
    return { ok: true, value: { ...toEntry(steps[0].after, seat.id, secret), step: steps[0] } };
  }

  #newSeat(name: string | undefined): { seat: NewSeat; secret: string } {
    const secret = this.#token();
    return { seat: { id: this.#token(), secretHash: hashSecret(secret), name, node: this.#options.node }, secret };
  }

  #token(): string {
    return Buffer.from(this.#options.randomBytes(SEAT_BYTES)).toString('base64url');
  }

  #newCode(): string {
    // 256 is a multiple of 32, so the remainder favours no letter.
    let code = '';
    for (const byte of this.#options.randomBytes(ROOM_CODE_LENGTH)) {
      code += ROOM_CODE_ALPHABET[byte % ROOM_CODE_ALPHABET.length];
    }
    return code;
  }
}

/** What is kept of a secret. It has 128 random bits, so no salt and no slow hash are needed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Whether this is the secret of the seat, or the next one that nobody has used yet. */
function opens(secret: string, { secretHash, nextSecretHash }: Seat): boolean {
  const shown = Buffer.from(hashSecret(secret));
  return [secretHash, nextSecretHash].some((kept) => kept !== undefined && timingSafeEqual(shown, Buffer.from(kept)));
}

/** Who sits there, for those in the room. */
export function peerSeatOf({ id, player, name }: Seat): PeerSeat {
  return {
    seat: id,
    player,
    ...(name !== undefined && { name }),
  };
}

/** Where a seat is, for its owner. */
export function placeOf(room: Room, seatId: string): Place {
  return {
    room: room.code,
    player: seatOf(room, seatId)?.player ?? null,
    started: room.started,
    peers: room.seats
      .filter(({ id }) => id !== seatId)
      .map((seat) => ({ ...peerSeatOf(seat), away: seat.awaySince !== undefined })),
  };
}

/** What the owner of a seat is told of it. */
export function toEntry(room: Room, seatId: string, secret: string): Entry {
  const { room: code, player, started, peers } = placeOf(room, seatId);
  const grant = { room: code, player, started, peers, size: room.size, seat: seatId, secret };
  return { grant, hold: seatOf(room, seatId)?.hold ?? 1, access: room.access };
}

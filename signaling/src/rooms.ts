/**
 * Rooms and seats: who sits where, who talks to whom.
 *
 * Promises: no socket, no clock, no randomness of its own; all three are given.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  normalizeRoomCode,
  ROOM_CODE_ALPHABET,
  ROOM_CODE_LENGTH,
  type SeatGrant,
  SignalingErrorCode,
  type SignalingFailure,
  type TransportChoice,
} from '@riposte/shared/protocol';
import { notInRoom, peerGone, refuse, seatNotFound } from './refusals.js';
import type {
  Departure,
  NewRoom,
  NewSeat,
  Room,
  RoomAccess,
  RoomCounts,
  RoomStore,
  Seat,
  Seated,
} from './store/store.js';

/** Versus. The store and the pairing rule below take any number. */
const ROOM_SIZE = 2;

const SEAT_BYTES = 16;

/** With a million open rooms a fresh code is taken once in a thousand tries: eight in a row do not happen. */
const CODE_TRIES = 8;

export interface RoomsOptions {
  store: RoomStore;
  /** Milliseconds, any origin. */
  now(): number;
  /** Cryptographically random bytes. */
  randomBytes(count: number): Uint8Array;
  /** Milliseconds until an idle room is closed. */
  ttlMs: number;
  /** Milliseconds that a seat is kept for an owner whose connection ended. */
  seatAwayMs: number;
}

/** What a new room is for. */
export interface RoomWish {
  game: string;
  version: string;
  relayOnly: boolean;
  transport?: TransportChoice;
}

/** A seat just taken: what its owner is told, and the room as everybody in it knows it now. */
export interface Entry {
  grant: SeatGrant;
  room: Room;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; error: SignalingFailure };

/** Two seats that must negotiate; exactly one of them begins. */
export interface Pair {
  initiator: Seat;
  responder: Seat;
}

export class Rooms {
  readonly #options: RoomsOptions;

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** Opens a room that is found by its code. */
  create(wish: RoomWish, name: string | undefined): Promise<Outcome<Entry>> {
    return this.open(wish, name, 'code', (room, seat) => this.#options.store.create(room, seat));
  }

  /** Takes the free seat behind a code, typed in any case. */
  async join(typed: string, game: string, name: string | undefined): Promise<Outcome<Entry>> {
    const { store, now } = this.#options;
    const { seat, secret } = this.#newSeat(name);
    const code = normalizeRoomCode(typed);
    const seated = code === undefined ? undefined : await store.join(code, game, seat, now());
    if (seated === undefined) {
      return refuse(
        SignalingErrorCode.RoomNotFound,
        'There is no open match with that code: check it, or ask for a new link.',
      );
    }
    return { ok: true, value: toEntry(seated, secret) };
  }

  /**
   * Seats somebody by an atomic step of the store that needs a code nobody has yet. The step gives `undefined` when the
   * code is taken, and is tried again with another.
   */
  async open(
    wish: RoomWish,
    name: string | undefined,
    access: RoomAccess,
    step: (room: NewRoom, seat: NewSeat) => Promise<Seated | undefined>,
  ): Promise<Outcome<Entry>> {
    const { seat, secret } = this.#newSeat(name);
    for (let attempt = 0; attempt < CODE_TRIES; attempt++) {
      const room = { ...wish, code: this.#newCode(), size: ROOM_SIZE, access, touchedAt: this.#options.now() };
      const seated = await step(room, seat);
      if (seated !== undefined) return { ok: true, value: toEntry(seated, secret) };
    }
    return refuse(SignalingErrorCode.InternalError, 'The server found no free room code: try again.');
  }

  /** Who shows the secret of which seat. Missing, expired and wrong have one answer. */
  async claim(typed: string, seatId: string, secret: string): Promise<Outcome<Seated>> {
    const { store, now, seatAwayMs } = this.#options;
    const code = normalizeRoomCode(typed);
    const room = code === undefined ? undefined : await store.find(code);
    const seat = room?.seats.find(({ id }) => id === seatId);
    if (room === undefined || seat === undefined || !opens(secret, seat)) return seatNotFound();
    if (seat.awaySince !== undefined && seat.awaySince < now() - seatAwayMs) return seatNotFound();
    return { ok: true, value: { room, seat } };
  }

  /**
   * Gives a claimed seat to a new connection, with a new secret. `undefined`: it has changed hands since it was
   * claimed.
   */
  async resume({ room, seat }: Seated, secret: string): Promise<Entry | undefined> {
    const { store, now, seatAwayMs } = this.#options;
    const next = this.#token();
    const seated = await store.resume(room.code, seat.id, {
      hold: seat.hold,
      secretHash: hashSecret(secret),
      nextSecretHash: hashSecret(next),
      awayAfter: now() - seatAwayMs,
    });
    return seated === undefined ? undefined : toEntry(seated, next);
  }

  /** The owner has the new secret: the one before it is void. */
  confirm(code: string, seatId: string, secret: string): Promise<void> {
    return this.#options.store.confirm(code, seatId, hashSecret(secret));
  }

  /** The seat's connection ended. Gives the room, or `undefined` when another connection holds the seat by now. */
  away(code: string, seatId: string, hold: number): Promise<Room | undefined> {
    return this.#options.store.away(code, seatId, hold, this.#options.now());
  }

  /** Makes the pairing after `after`; `undefined` when it is made already, or has to wait for a seat that is away. */
  pair(code: string, after: number): Promise<Room | undefined> {
    return this.#options.store.pair(code, after, this.#options.now());
  }

  /** The seat `to` of the room that `from` sits in and is paired with, and marks the room as in use. */
  async peerOf(code: string, from: string, to: string, pairing: number): Promise<Outcome<Seat>> {
    const { store, now } = this.#options;
    const room = await store.find(code);
    if (!room?.seats.some(({ id }) => id === from)) return notInRoom();
    const seat = room.seats.find(({ id }) => id === to && id !== from);
    if (seat === undefined) return peerGone();
    if (pairing !== room.pairing) {
      return refuse(SignalingErrorCode.StalePairing, 'The players have been paired anew: negotiate from the start.');
    }
    if (seat.awaySince !== undefined) {
      return refuse(
        SignalingErrorCode.PeerAway,
        'The other player has no connection to the server at the moment: ask for a new pairing, it is made when they are back.',
      );
    }
    await store.touch(code, now());
    return { ok: true, value: seat };
  }

  /** Frees a seat; gives the room afterwards, or `undefined` when the seat was not there. */
  leave(code: string, seatId: string): Promise<Room | undefined> {
    return this.#options.store.leave(code, seatId);
  }

  /** Frees the seats whose owners did not come back in time. */
  expireSeats(): Promise<Departure[]> {
    return this.#options.store.expireSeats(this.#options.now() - this.#options.seatAwayMs);
  }

  find(code: string): Promise<Room | undefined> {
    return this.#options.store.find(code);
  }

  /** Closes the rooms that were idle for too long and gives them. */
  expire(): Promise<Room[]> {
    return this.#options.store.expire(this.#options.now() - this.#options.ttlMs);
  }

  /** @param quietMs a full room without a message for so long has finished its pairing. */
  count(quietMs: number): Promise<RoomCounts> {
    return this.#options.store.count(this.#options.now() - quietMs);
  }

  #newSeat(name: string | undefined): { seat: NewSeat; secret: string } {
    const secret = this.#token();
    return { seat: { id: this.#token(), secretHash: hashSecret(secret), name }, secret };
  }

  #token(): string {
    return Buffer.from(this.#options.randomBytes(SEAT_BYTES)).toString('base64url');
  }

  #newCode(): string {
    // 256 is a multiple of 32, so the remainder favours no letter.
    return Array.from(
      this.#options.randomBytes(ROOM_CODE_LENGTH),
      (byte) => ROOM_CODE_ALPHABET[byte % ROOM_CODE_ALPHABET.length],
    ).join('');
  }
}

/** What is kept of a secret. It has 128 random bits, so no salt and no slow hash are needed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether this is the secret of the seat, or the next one that nobody has used yet. */
function opens(secret: string, { secretHash, nextSecretHash }: Seat): boolean {
  const shown = Buffer.from(hashSecret(secret));
  return [secretHash, nextSecretHash].some((hash) => hash !== undefined && timingSafeEqual(shown, Buffer.from(hash)));
}

/** All pairs of a full room. The lower number begins: it waited, so its page is ready. */
export function pairsOf(room: Room): Pair[] {
  return room.seats.flatMap((initiator) =>
    room.seats
      .filter((responder) => responder.player > initiator.player)
      .map((responder) => ({ initiator, responder })),
  );
}

function toEntry({ room, seat }: Seated, secret: string): Entry {
  return { room, grant: { room: room.code, size: room.size, player: seat.player, seat: seat.id, secret } };
}

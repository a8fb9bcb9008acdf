import type { TransportChoice } from '@riposte/shared/protocol';

/** A taken place in a room. The secret itself is known to its owner alone. */
export interface Seat {
  /** 128 bits, base64url; names the seat to its peers. */
  id: string;
  /** SHA-256 of the secret, base64url. */
  secretHash: string;
  /**
   * Hash of a newer secret that was sent to the owner but may never have arrived. The first use of it makes it the
   * secret; until then the older one opens the seat too.
   */
  nextSecretHash: string | undefined;
  /** 0 for the creator. */
  player: number;
  name: string | undefined;
  /** Counts the connections that have held the seat: tells the end of an old one from the end of the present one. */
  hold: number;
  /** Milliseconds, on the caller's clock: when its connection ended. `undefined` while it has one. */
  awaySince: number | undefined;
}

/** How strangers find the seat that is free. */
export type RoomAccess = 'code' | 'quick';

export interface Room {
  code: string;
  game: string;
  version: string;
  /** Seats when full. */
  size: number;
  access: RoomAccess;
  /** How its peers connect; absent: `simple-peer`. The choice of whoever opened it. */
  transport?: TransportChoice;
  /** Its players meet through a relay only. */
  relayOnly: boolean;
  /** In the order of `player`. */
  seats: readonly Seat[];
  /** It was full once: no stranger joins any more. */
  started: boolean;
  /** Number of the newest pairing; 0 before the first. */
  pairing: number;
  /** A pairing was asked for while a seat's connection was away: it is made when that is back. */
  pairingWanted: boolean;
  /** Milliseconds, on the caller's clock: the last join, pairing or relayed message. */
  touchedAt: number;
}

export type NewRoom = Omit<Room, 'seats' | 'started' | 'pairing' | 'pairingWanted'>;
export type NewSeat = Pick<Seat, 'id' | 'secretHash' | 'name'>;

/** A room as it is after a seat was taken, and that seat. */
export interface Seated {
  room: Room;
  seat: Seat;
}

/** A seat that was freed, and the room without it. */
export interface Departure {
  room: Room;
  seat: string;
}

export interface RoomCounts {
  rooms: number;
  /** Rooms that are full and were touched since the time asked for: their peers are negotiating. */
  pairing: number;
}

/** How a seat goes over to a new connection. */
export interface Resumption {
  /** The seat's `hold` as it was when it was decided that it may be taken. */
  hold: number;
  /** Hash of the secret that was shown. */
  secretHash: string;
  /** Hash of the secret that is sent in return. */
  nextSecretHash: string;
  /** A seat that went away before this time has lost its claim. */
  awayAfter: number;
}

/**
 * Where rooms live. Each method is one atomic step, so that several servers can share a store and no player is seated
 * twice. Rooms handed out are snapshots: changing one changes nothing.
 */
export interface RoomStore {
  /** Adds a room with its first seat. `undefined`: the code is taken. */
  create(room: NewRoom, seat: NewSeat): Promise<Seated | undefined>;
  /** Takes the free seat of the room with this code. `undefined`: missing, full, started or another game's. */
  join(code: string, game: string, seat: NewSeat, now: number): Promise<Seated | undefined>;
  /**
   * Takes a seat in the room that waits longest for this game and version, or adds `room` to those that wait; the room
   * is `relayOnly` when either side asks for it. Rooms whose seat is away do not wait meanwhile.
   * `undefined`: none waits and the code is taken.
   */
  joinOldestOrCreate(room: NewRoom, seat: NewSeat): Promise<Seated | undefined>;
  find(code: string): Promise<Room | undefined>;
  touch(code: string, now: number): Promise<void>;
  /**
   * Notes that the connection which was the seat's `hold`th ended. `undefined`: there is no such seat, it is away
   * already, or a later connection holds it.
   */
  away(code: string, seatId: string, hold: number, now: number): Promise<Room | undefined>;
  /**
   * Gives the seat to a new connection and keeps the hash of the next secret. `undefined`: no such seat, another
   * secret, away since before `awayAfter`, or a later connection holds it.
   */
  resume(code: string, seatId: string, resumption: Resumption): Promise<Seated | undefined>;
  /** The next secret is in its owner's hands, if this is its hash: the one before is void. */
  confirm(code: string, seatId: string, secretHash: string): Promise<void>;
  /**
   * Numbers the pairing that follows `after`, if the room is full, nobody is away and `after` is its newest; then gives
   * the room. When only somebody's absence is in the way, the wish is kept in `pairingWanted`.
   */
  pair(code: string, after: number, now: number): Promise<Room | undefined>;
  /**
   * Frees a seat. The room goes with its last seat, and with its creator while it has not started.
   * Gives the room as it is afterwards (no seats: it is gone), or `undefined` when there was no such seat.
   */
  leave(code: string, seatId: string): Promise<Room | undefined>;
  /** Frees the seats that are away since before `before`, as `leave` does. */
  expireSeats(before: number): Promise<Departure[]>;
  /** Removes the rooms last touched before `before`, except started ones: these live as long as their seats. */
  expire(before: number): Promise<Room[]>;
  count(pairingSince: number): Promise<RoomCounts>;
}

/** A taken place in a room. The secret itself is known to its owner alone. */
export interface Seat {
  /** 128 bits, base64url; names the seat to its peers. */
  id: string;
  /** SHA-256 of the secret, base64url. */
  secretHash: string;
  /** 0 for the creator. */
  player: number;
  name: string | undefined;
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
  /** In the order of `player`. */
  seats: readonly Seat[];
  /** It was full once: the pairing is made and no stranger joins any more. */
  started: boolean;
  /** Milliseconds, on the caller's clock: the last join or relayed message. */
  touchedAt: number;
}

export type NewRoom = Omit<Room, 'seats' | 'started'>;
export type NewSeat = Omit<Seat, 'player'>;

/** A room as it is after a seat was taken, and that seat. */
export interface Seated {
  room: Room;
  seat: Seat;
}

export interface RoomCounts {
  rooms: number;
  /** Rooms that are full and were touched since the time asked for: their peers are negotiating. */
  pairing: number;
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
   * Takes a seat in the room that waits longest for this game and version, or adds `room` to those that wait.
   * `undefined`: none waits and the code is taken.
   */
  joinOldestOrCreate(room: NewRoom, seat: NewSeat): Promise<Seated | undefined>;
  find(code: string): Promise<Room | undefined>;
  touch(code: string, now: number): Promise<void>;
  /**
   * Frees a seat. The room goes with its last seat, and with its creator while it has not started.
   * Gives the room as it is afterwards (no seats: it is gone), or `undefined` when there was no such seat.
   */
  leave(code: string, seatId: string): Promise<Room | undefined>;
  /** Removes the rooms last touched before `before`, except full ones: these live as long as their connections. */
  expire(before: number): Promise<Room[]>;
  count(pairingSince: number): Promise<RoomCounts>;
}

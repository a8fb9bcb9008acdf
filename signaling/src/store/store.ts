import type { Soon } from '../soon.js';
import type { Room } from './room.js';

/** A room before a step and after it. */
export interface Step {
  before: Room;
  after: Room;
}

export interface RoomCounts {
  rooms: number;
  /** Matches that were touched since the time asked for: their peers are negotiating. */
  pairing: number;
}

/**
 * Where rooms live. What a room may become is decided by the pure steps of `room.ts`; a store sees to it that a step is
 * taken whole, from the room as it is, whoever else takes steps at the same time. Rooms handed out are snapshots:
 * changing one changes nothing. A room without players is removed.
 */
export interface RoomStore {
  /** Adds a room. `false`: the code is taken. */
  add(room: Room): Soon<boolean>;
  find(code: string): Soon<Room | undefined>;
  /** The room in which a seat is. */
  roomOf(seat: string): Soon<Room | undefined>;
  /**
   * Takes a step with one room, or with several at once. `step` gets them in this order and gives them as they shall be,
   * or `undefined` to leave them as they are; it is pure, and may run again when a room has changed meanwhile.
   *
   * @returns `undefined` when a room is missing or the step was not taken.
   */
  update(
    codes: readonly string[],
    step: (rooms: readonly Room[]) => readonly Room[] | undefined,
  ): Soon<Step[] | undefined>;
  /** Takes a step with the room in which a seat is, wherever that is by now; otherwise as `update`. */
  updateRoomOf(seat: string, step: (room: Room) => Room | undefined): Soon<Step | undefined>;
  /** The queues of quick matches in which somebody waits: see `queueOf`. */
  queues(): Promise<string[]>;
  /** The rooms of a queue, longest waiting first. */
  waiting(queue: string, max: number): Promise<Room[]>;
  /** The open rooms of a game that are listed, newest first. */
  listed(game: string, version: string | undefined, max: number): Promise<Room[]>;
  /** Codes of the rooms with a seat that is away since before `before`. */
  withAway(before: number): Promise<string[]>;
  /** Codes of the rooms that have not started and were last touched before `before`. */
  idle(before: number): Promise<string[]>;
  /** Codes of the rooms with a seat whose connection is with the server `node`. */
  heldBy(node: string): Promise<string[]>;
  count(pairingSince: number): Promise<RoomCounts>;
  /** @throws StoreAwayError while it cannot be asked. */
  check(): Promise<void>;
}

/** The store did not answer: whether what was asked for has been done is not known. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';
  readonly code = 'store-away';

  constructor(cause: unknown) {
    super('the store of rooms does not answer', { cause });
  }
}

/** In which queue a room waits for more players. One with a seat that is away does not wait meanwhile. */
export function queueOf(room: Room): string | undefined {
  const waits =
    room.access === 'quick' && !room.started && room.seats.every(({ awaySince }) => awaySince === undefined);
  return waits ? JSON.stringify([room.game, room.version, room.size]) : undefined;
}

/** Whether a list shows the room: strangers may join, and somebody is there to play with. */
export function isOnList(room: Room): boolean {
  return (
    room.listed &&
    !room.started &&
    room.seats.some(({ player, awaySince }) => player !== null && awaySince === undefined)
  );
}

/** The servers that hold the connections of a room's seats. */
export function nodesOf(room: Room): string[] {
  const nodes = room.seats.flatMap(({ node, awaySince }) =>
    node === undefined || awaySince !== undefined ? [] : [node],
  );
  return [...new Set(nodes)];
}

/** Since when the seat that is away longest is so; `undefined`: none is. */
export function awaySinceOf(room: Room): number | undefined {
  let since: number | undefined;
  for (const { awaySince } of room.seats) {
    if (awaySince !== undefined && (since === undefined || awaySince < since)) since = awaySince;
  }
  return since;
}

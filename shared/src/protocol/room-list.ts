/**
 * The open rooms of a game, as a page may list them. Apart from what a match needs of the server.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Whatever passes is bounded.
 */
import * as v from 'valibot';
import { list, parseWith, whole } from './checks.js';
import { reply } from './signaling.js';
import {
  line,
  printable,
  ROOM_SIZE_MAX,
  RoomCodeSchema,
  RoomSizeSchema,
  SPECTATORS_MAX,
  word,
} from './signaling-fields.js';

/** UTF-16 units, for game ids and game versions. */
export const GAME_LENGTH_MAX = 64;

/** UTF-16 units of a room's title: one line of a list. */
export const TITLE_LENGTH_MAX = 48;

/** Fields of what a game shows of its rooms in a list, and UTF-16 units of a field's name and text. */
export const ROOM_DATA_FIELDS_MAX = 8;
export const ROOM_DATA_NAME_LENGTH_MAX = 24;
export const ROOM_DATA_TEXT_LENGTH_MAX = 64;

/** Rooms of one list. */
export const ROOM_LIST_MAX = 50;

/** A game's id, or its version. */
export const GameWordSchema = word(GAME_LENGTH_MAX);

/** A room's line in a list, as its creator wrote it. */
export const RoomTitleSchema = line(TITLE_LENGTH_MAX);

/** What a game wants to show of its rooms in a list: a few short fields, `{ map: 'docks', ranked: true }`. */
export const RoomDataSchema = v.pipe(
  v.record(
    word(ROOM_DATA_NAME_LENGTH_MAX),
    v.union(
      [printable(ROOM_DATA_TEXT_LENGTH_MAX), v.pipe(v.number(), v.finite()), v.boolean()],
      `must be a number, true, false, or text of at most ${ROOM_DATA_TEXT_LENGTH_MAX} characters`,
    ),
  ),
  v.maxEntries(ROOM_DATA_FIELDS_MAX, `must have at most ${ROOM_DATA_FIELDS_MAX} fields`),
);
export type RoomData = v.InferOutput<typeof RoomDataSchema>;

/** An open room, as a list shows it. */
const ListedRoomSchema = v.object({
  code: RoomCodeSchema,
  version: GameWordSchema,
  title: v.exactOptional(RoomTitleSchema),
  size: RoomSizeSchema,
  /** Seats of players that are taken. */
  players: whole(1, ROOM_SIZE_MAX),
  spectators: whole(0, SPECTATORS_MAX),
  data: RoomDataSchema,
  /** Seconds since it was opened. */
  ageS: whole(0, 0x7fff_ffff),
});
export type ListedRoom = v.InferOutput<typeof ListedRoomSchema>;

/** The acknowledgement of `list-rooms`. */
export const RoomListReplySchema = reply({ rooms: list(ListedRoomSchema, ROOM_LIST_MAX) });

/** Checks a list of rooms; undefined for what does not fit. */
export function parseRoomList(payload: unknown): v.InferOutput<typeof RoomListReplySchema> | undefined {
  return parseWith(RoomListReplySchema, payload);
}

/**
 * The parts of which what a peer and the signaling server exchange is made: names, codes, seats, negotiation steps.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Whatever passes is bounded.
 */
import * as v from 'valibot';

/** 32 letters with neither `0`/`O` nor `1`/`I`, so that a code read aloud or from a screen is typed right. */
export const ROOM_CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** 32^6 is about 10^9 codes: with failed joins limited, guessing an open room is hopeless. */
export const ROOM_CODE_LENGTH = 6;

/** UTF-16 units. Fits a status line; bounds what a stranger can put on the other player's screen. */
export const NAME_LENGTH_MAX = 24;

/** UTF-16 units, for game ids and game versions. */
export const GAME_LENGTH_MAX = 64;

/**
 * Bytes. A data-channel-only SDP is 0.5 to 3 KB. Together with a candidate's few fields this stays below 16 KiB, and
 * below the server's 32 KiB limit for a whole message.
 */
export const SDP_BYTES_MAX = 15_000;

/** Bytes of one ICE candidate line; real ones are below 300. */
export const CANDIDATE_BYTES_MAX = 1_000;

/** Seats of players. A full mesh of more would ask too much of the slowest connection among them. */
export const ROOM_SIZE_MAX = 8;

/** Seats of spectators, beside those of the players. */
export const SPECTATORS_MAX = 32;

/** Everybody in a room but oneself. */
export const PEERS_MAX = ROOM_SIZE_MAX + SPECTATORS_MAX - 1;

/** UTF-16 units of a room's title: one line of a list. */
export const TITLE_LENGTH_MAX = 48;

/** Fields of what a game shows of its rooms in a list, and UTF-16 units of a field's name and text. */
export const ROOM_DATA_FIELDS_MAX = 8;
export const ROOM_DATA_NAME_LENGTH_MAX = 24;
export const ROOM_DATA_TEXT_LENGTH_MAX = 64;

/** Rooms of one list. */
export const ROOM_LIST_MAX = 50;

/** Control characters, lone surrogates, line separators and text-direction overrides can forge what a screen shows. */
const printable = v.regex(
  /^[^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u,
  'must have no control characters',
);

export const text = v.string('must be text');

const atMost = (lengthMax: number) =>
  v.maxLength<string, number, string>(lengthMax, `must have at most ${lengthMax} characters`);

/** Bytes that a text takes in UTF-8. */
export function utf8Length(value: string): number {
  let bytes = value.length;
  for (const letter of value) bytes += letter > '\u07ff' ? 2 : letter > '\u007f' ? 1 : 0;
  return bytes;
}

/** Counted only where the letters could be too many: none takes more than three bytes. Encoding each text would cost more. */
const atMostBytes = (bytesMax: number) =>
  v.check<string, string>(
    (value) => value.length * 3 <= bytesMax || utf8Length(value) <= bytesMax,
    `must have at most ${bytesMax} bytes`,
  );

/** Something to be read: trimmed, printable. */
const line = (lengthMax: number) =>
  v.pipe(text, v.trim(), v.nonEmpty('must not be empty'), atMost(lengthMax), printable);

/** A number that only has to be within bounds. */
export const within = (min: number, max: number) => {
  const complaint = `must be a number from ${min} to ${max}`;
  return v.pipe(v.number(complaint), v.minValue(min, complaint), v.maxValue(max, complaint));
};

/** A whole number that only has to be within bounds. */
export const whole = (min: number, max: number) => v.pipe(within(min, max), v.integer('must be a whole number'));

/** A player's name: 1 to 24 characters after trimming, printable. */
export const PlayerNameSchema = line(NAME_LENGTH_MAX);

/** A room's line in a list, as its creator wrote it. */
export const RoomTitleSchema = line(TITLE_LENGTH_MAX);

export const GameWordSchema = v.pipe(text, v.nonEmpty('must not be empty'), atMost(GAME_LENGTH_MAX), printable);

export const RoomCodeSchema = v.pipe(v.string(), v.regex(new RegExp(`^[${ROOM_CODE_ALPHABET}]{${ROOM_CODE_LENGTH}}$`)));

/** A seat's public id: 128 bits in base64url, made by the server. */
export const SeatIdSchema = v.pipe(text, v.regex(/^[\w-]{22}$/, 'must be a seat id'));

/** A seat's secret: 128 bits in base64url. The server keeps only its hash. */
export const SeatSecretSchema = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));

/** Pairings of two seats are counted from 1. The bound only keeps nonsense out. */
export const PairingNumberSchema = whole(1, 0x7fff_ffff);

/** Players of a room, from 2. */
export const RoomSizeSchema = whole(2, ROOM_SIZE_MAX);

/** Players are numbered from 0; a spectator has no number. */
export const PlayerNumberSchema = v.nullable(whole(0, ROOM_SIZE_MAX - 1));

/** What a game wants to show of its rooms in a list: a few short fields, `{ map: 'docks', ranked: true }`. */
export const RoomDataSchema = v.pipe(
  v.record(
    v.pipe(v.string(), v.nonEmpty('must have a name'), atMost(ROOM_DATA_NAME_LENGTH_MAX), printable),
    v.union(
      [v.pipe(text, atMost(ROOM_DATA_TEXT_LENGTH_MAX), printable), v.pipe(v.number(), v.finite()), v.boolean()],
      `must be a number, true, false, or text of at most ${ROOM_DATA_TEXT_LENGTH_MAX} characters`,
    ),
  ),
  v.maxEntries(ROOM_DATA_FIELDS_MAX, `must have at most ${ROOM_DATA_FIELDS_MAX} fields`),
);
export type RoomData = v.InferOutput<typeof RoomDataSchema>;

/**
 * One step of a WebRTC negotiation, in the browsers' own shapes: a session description, an ICE candidate, or a wish to
 * negotiate again. Unknown fields are dropped.
 */
export const SignalDataSchema = v.variant('type', [
  v.object({
    type: v.picklist(['offer', 'answer', 'pranswer', 'rollback']),
    sdp: v.pipe(text, atMostBytes(SDP_BYTES_MAX)),
  }),
  v.object({
    type: v.literal('candidate'),
    candidate: v.object({
      candidate: v.pipe(text, atMostBytes(CANDIDATE_BYTES_MAX)),
      sdpMLineIndex: v.nullish(whole(0, 65_535), null),
      sdpMid: v.nullish(v.pipe(v.string(), v.maxLength(64)), null),
    }),
  }),
  v.object({ type: v.literal('renegotiate'), renegotiate: v.literal(true) }),
]);
export type SignalData = v.InferOutput<typeof SignalDataSchema>;

/** One entry of an `RTCConfiguration`'s `iceServers`. */
export const IceServerSchema = v.object({
  urls: v.pipe(v.array(v.pipe(v.string(), v.maxLength(512))), v.maxLength(16)),
  username: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
  credential: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
});
export type IceServer = v.InferOutput<typeof IceServerSchema>;

/** How the peers of a room connect. Whoever opened the room chooses, by default `simple-peer`; who comes later follows. */
export const transportChoices = ['simple-peer', 'peerjs'] as const;
export type TransportChoice = (typeof transportChoices)[number];

/** 128 bits in hexadecimal: PeerJS takes no base64url for an id. */
const PeerServerIdSchema = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

/** What a seat needs to negotiate with one other seat over the server's PeerServer. `token` proves `id`. */
export const PeerServerPassSchema = v.object({
  id: PeerServerIdSchema,
  token: v.pipe(v.string(), v.regex(/^[\w.-]{1,256}$/)),
  /** The id of the other seat. */
  peer: PeerServerIdSchema,
});
export type PeerServerPass = v.InferOutput<typeof PeerServerPassSchema>;

export const IceServersSchema = v.pipe(v.array(IceServerSchema), v.maxLength(16));

/**
 * Turns what somebody typed into the form codes are kept in: upper case, without spaces and dashes.
 *
 * @returns the code, or `undefined` when it cannot be one.
 */
export function normalizeRoomCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return v.is(RoomCodeSchema, code) ? code : undefined;
}

/** A checked payload, or what is wrong with it as `field: complaint`. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; message: string };

/** Checks anything against a schema. */
export function parse<S extends v.GenericSchema>(schema: S, payload: unknown): Parsed<v.InferOutput<S>> {
  const result = v.safeParse(schema, payload);
  if (result.success) return { ok: true, value: result.output };
  const path = v.getDotPath(result.issues[0]);
  const complaint = result.issues[0].message;
  return { ok: false, message: path === null ? complaint : `${path}: ${complaint}` };
}

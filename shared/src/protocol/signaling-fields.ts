/**
 * The parts of which what a peer and the signaling server exchange is made: names, codes, seats, negotiation steps.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Whatever passes is bounded.
 */
import * as v from 'valibot';
import { list, text, whole } from './checks.js';

/** 32 letters with neither `0`/`O` nor `1`/`I`, so that a code read aloud or from a screen is typed right. */
export const ROOM_CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** 32^6 is about 10^9 codes: with failed joins limited, guessing an open room is hopeless. */
export const ROOM_CODE_LENGTH = 6;

/** UTF-16 units. Fits a status line; bounds what a stranger can put on the other player's screen. */
export const NAME_LENGTH_MAX = 24;

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

/**
 * Control characters, lone surrogates, line separators, text-direction marks and what has no width can forge what a screen
 * shows. The joiners stay: emoji and some scripts are written with them.
 */
export const PRINTABLE = /^[^\p{Cc}\p{Cs}\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F]*$/u;

/** 128 bits in base64url. */
export const SEAT_ID = /^[\w-]{22}$/;

/** Text of bounded length, printable. */
export const printable = (lengthMax: number) => v.pipe(text(lengthMax), v.regex(PRINTABLE));

/** One byte a letter: what browsers write into descriptions and candidates. */
export const ASCII = /^[^\u0080-\uffff]*$/;
const ascii = (bytesMax: number) => v.pipe(text(bytesMax), v.regex(ASCII));

/** Text of bounded length, printable and not empty. */
export const word = (lengthMax: number) => v.pipe(printable(lengthMax), v.nonEmpty());

/** Something to be read: a word that is trimmed first. */
export const line = (lengthMax: number) => v.pipe(v.string(), v.trim(), word(lengthMax));

/** A player's name: 1 to 24 characters after trimming, printable. */
export const PlayerNameSchema = line(NAME_LENGTH_MAX);

/** `ROOM_CODE_LENGTH` letters of `ROOM_CODE_ALPHABET`. */
export const RoomCodeSchema = v.pipe(v.string(), v.regex(/^[2-9A-HJ-NP-Z]{6}$/));

/** A seat's public id, made by the server. */
export const SeatIdSchema = v.pipe(v.string(), v.regex(SEAT_ID));

/** A seat's secret, of the same form. The server keeps only its hash. */
export const SeatSecretSchema = SeatIdSchema;

/** Pairings of two seats are counted from 1. The bound only keeps nonsense out. */
export const PairingNumberSchema = whole(1, 0x7fff_ffff);

/** Players of a room, from 2. */
export const RoomSizeSchema = whole(2, ROOM_SIZE_MAX);

/** Players are numbered from 0; a spectator has no number. */
export const PlayerNumberSchema = v.nullable(whole(0, ROOM_SIZE_MAX - 1));

/**
 * One step of a WebRTC negotiation, in the browsers' own shapes: a session description, an ICE candidate, or a wish to
 * negotiate again. Unknown fields are dropped.
 */
export const SignalDataSchema = v.variant('type', [
  // First what there is most of: each before it is tried in vain.
  v.object({
    type: v.literal('candidate'),
    candidate: v.object({
      candidate: ascii(CANDIDATE_BYTES_MAX),
      sdpMLineIndex: v.nullish(whole(0, 65_535), null),
      sdpMid: v.nullish(text(64), null),
    }),
  }),
  v.object({
    type: v.picklist(['offer', 'answer']),
    sdp: ascii(SDP_BYTES_MAX),
  }),
  v.object({ type: v.literal('renegotiate'), renegotiate: v.literal(true) }),
]);
export type SignalData = v.InferOutput<typeof SignalDataSchema>;

/** One entry of an `RTCConfiguration`'s `iceServers`. */
export const IceServerSchema = v.object({
  urls: list(text(512), 16),
  username: v.exactOptional(text(256)),
  credential: v.exactOptional(text(256)),
});
export type IceServer = v.InferOutput<typeof IceServerSchema>;

/** How the peers of a room connect. Whoever opened the room chooses, by default `simple-peer`; who comes later follows. */
export const transportChoices = ['simple-peer', 'peerjs'] as const;
export type TransportChoice = (typeof transportChoices)[number];

export const IceServersSchema = list(IceServerSchema, 16);

/**
 * Turns what somebody typed into the form codes are kept in: upper case, without spaces and dashes.
 *
 * @returns the code, or `undefined` when it cannot be one.
 */
export function normalizeRoomCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return v.is(RoomCodeSchema, code) ? code : undefined;
}

/**
 * The words a peer and the signaling server exchange over socket.io.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Both sides check what arrives against the schemas here, so a
 * message that passed is bounded in every field.
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

/** Why the server refused a request. */
export const SignalingErrorCode = {
  /** The payload does not fit its schema, or the event does not exist. */
  BadRequest: 'bad-request',
  /** Missing, full, or another game's room: one answer for all, so that guessing teaches nothing. */
  RoomNotFound: 'room-not-found',
  AlreadyInRoom: 'already-in-room',
  NotInRoom: 'not-in-room',
  /** The addressed seat is not, or no longer, in the sender's room. */
  PeerGone: 'peer-gone',
  /** The addressed seat is taken, but its connection to the server is interrupted. */
  PeerAway: 'peer-away',
  /** The seats have been paired anew since: this belongs to a pairing that is over. */
  StalePairing: 'stale-pairing',
  /** Missing, away for too long, or another secret: one answer for all, so that guessing teaches nothing. */
  SeatNotFound: 'seat-not-found',
  /** Another connection holds the seat and is alive: a second tab of the same page, mostly. */
  SeatInUse: 'seat-in-use',
  /** Only a relay was asked for, and this server has none. */
  RelayUnavailable: 'relay-unavailable',
  RateLimited: 'rate-limited',
  /** Too many connections, from this address or at all. */
  ServerFull: 'server-full',
  /** The server is about to stop and opens no new rooms. */
  ServerDraining: 'server-draining',
  InternalError: 'internal-error',
} as const;
export type SignalingErrorCode = (typeof SignalingErrorCode)[keyof typeof SignalingErrorCode];

/** Why a room ended for those who were in it. */
export const RoomClosedReason = { Expired: 'expired', Draining: 'draining' } as const;
export type RoomClosedReason = (typeof RoomClosedReason)[keyof typeof RoomClosedReason];

/** How a peer left: of its own will, or because its connection to the server ended and did not come back in time. */
export const PeerLeftReason = { Left: 'left', Disconnected: 'disconnected' } as const;
export type PeerLeftReason = (typeof PeerLeftReason)[keyof typeof PeerLeftReason];

/** Control characters, lone surrogates, line separators and text-direction overrides can forge what a screen shows. */
const printable = v.regex(
  /^[^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u,
  'must have no control characters',
);

/** A player's name: 1 to 24 characters after trimming, printable. */
export const PlayerNameSchema = v.pipe(
  v.string('must be text'),
  v.trim(),
  v.nonEmpty('must not be empty'),
  v.maxLength(NAME_LENGTH_MAX, `must have at most ${NAME_LENGTH_MAX} characters`),
  printable,
);

const GameWordSchema = v.pipe(
  v.string('must be text'),
  v.nonEmpty('must not be empty'),
  v.maxLength(GAME_LENGTH_MAX, `must have at most ${GAME_LENGTH_MAX} characters`),
  printable,
);

/** Only a bound: whether a code exists is the room store's answer, the same for a malformed one as for a missing one. */
const RoomCodeInputSchema = v.pipe(
  v.string('must be text'),
  v.maxLength(32, `must be a code of ${ROOM_CODE_LENGTH} characters`),
);

const RoomCodeSchema = v.pipe(v.string(), v.regex(new RegExp(`^[${ROOM_CODE_ALPHABET}]{${ROOM_CODE_LENGTH}}$`)));

/** A seat's public id: 128 bits in base64url, made by the server. */
const SeatIdSchema = v.pipe(v.string('must be text'), v.regex(/^[\w-]{22}$/, 'must be a seat id'));

/** A seat's secret: 128 bits in base64url. The server keeps only its hash. */
const SeatSecretSchema = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));

/** Pairings of a room are counted from 1. The bound only keeps nonsense out. */
const PairingNumberSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0x7fff_ffff));

/** The newest pairing that a peer was told of; 0 for none. */
const SeenPairingSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0x7fff_ffff));

/** Seats are numbered from 0; a room has at most 8. */
const PlayerNumberSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(7));

/**
 * One step of a WebRTC negotiation, in the browsers' own shapes: a session description, an ICE candidate, or a wish to
 * negotiate again. Unknown fields are dropped.
 */
export const SignalDataSchema = v.variant('type', [
  v.object({
    type: v.picklist(['offer', 'answer', 'pranswer', 'rollback']),
    sdp: v.pipe(v.string('must be text'), v.maxBytes(SDP_BYTES_MAX, `must have at most ${SDP_BYTES_MAX} bytes`)),
  }),
  v.object({
    type: v.literal('candidate'),
    candidate: v.object({
      candidate: v.pipe(
        v.string('must be text'),
        v.maxBytes(CANDIDATE_BYTES_MAX, `must have at most ${CANDIDATE_BYTES_MAX} bytes`),
      ),
      sdpMLineIndex: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)), null),
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

const TransportChoiceSchema = v.picklist(transportChoices, `must be ${transportChoices.join(' or ')}`);

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

/** What each request carries. The server parses with these and never looks at a payload that does not fit. */
export const clientEventSchemas = {
  /** Opens a room for this game and takes its seat 0. */
  'create-room': v.object({
    game: GameWordSchema,
    version: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
    transport: v.exactOptional(TransportChoiceSchema),
    /** Its players shall meet through a relay only, so that neither learns the other's address. */
    relayOnly: v.exactOptional(v.boolean()),
  }),
  /** Takes the free seat of an open room of this game. Versions are compared by the peers themselves, in words. */
  'join-room': v.object({
    code: RoomCodeInputSchema,
    game: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
  }),
  /** Takes a seat beside whoever waits for the same game and version, or waits for the next one. */
  'quick-match': v.object({
    game: GameWordSchema,
    version: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
    transport: v.exactOptional(TransportChoiceSchema),
    /** As in `create-room`; a wish of either of the two. */
    relayOnly: v.exactOptional(v.boolean()),
  }),
  /**
   * Takes a seat back on a new connection. `pairing` is the newest one that this page knows of: where the server has
   * made a newer one, or the page knows none, the room is paired anew.
   */
  'resume-seat': v.object({
    room: RoomCodeInputSchema,
    seat: SeatIdSchema,
    secret: SeatSecretSchema,
    pairing: SeenPairingSchema,
  }),
  /** Says that the new secret is kept: from here on the one before it opens nothing. */
  'confirm-seat': v.object({ secret: SeatSecretSchema }),
  /** Gives the seat up; also the way to cancel a wait. */
  'leave-room': v.object({}),
  /** Asks for a new pairing after `pairing`. When both seats ask, or ask twice, one is made. */
  'pair-again': v.object({ pairing: SeenPairingSchema }),
  /** Fresh ICE servers for the pairing that is: to be asked for before an ICE restart. */
  'ice-servers': v.object({}),
  /** One negotiation step of this pairing for the seat `to` in the sender's room. */
  signal: v.object({ to: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
} as const;
export type ClientEvent = keyof typeof clientEventSchemas;
export type ClientRequest<E extends ClientEvent> = v.InferOutput<(typeof clientEventSchemas)[E]>;

/** Another seat, as everybody in the room may know it. */
const PeerSeatSchema = v.object({
  seat: SeatIdSchema,
  player: PlayerNumberSchema,
  name: v.exactOptional(PlayerNameSchema),
});

const IceServersSchema = v.pipe(v.array(IceServerSchema), v.maxLength(16));

/** A seat, as told to its owner only. `id` names it to others; `secret` proves it and is never shown. */
export const SeatGrantSchema = v.object({
  room: RoomCodeSchema,
  size: v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(8)),
  player: PlayerNumberSchema,
  seat: SeatIdSchema,
  secret: SeatSecretSchema,
});
export type SeatGrant = v.InferOutput<typeof SeatGrantSchema>;

/** What the server tells without being asked. Clients parse with these. */
export const serverEventSchemas = {
  /**
   * The room is full: negotiate with `peer`, from the start, whatever there was before. Exactly one of the two is told
   * `initiator: true`. `pairing` grows with each; signals of an earlier one are not delivered any more.
   */
  paired: v.object({
    room: RoomCodeSchema,
    pairing: PairingNumberSchema,
    player: PlayerNumberSchema,
    initiator: v.boolean(),
    peer: PeerSeatSchema,
    iceServers: IceServersSchema,
    relayOnly: v.boolean(),
    /** There when the two are to connect by PeerJS. */
    peerServer: v.exactOptional(PeerServerPassSchema),
  }),
  /** A negotiation step; `from` is stamped by the server. */
  signal: v.object({ from: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
  /** The peer's connection to the server is interrupted; its seat is kept for a while. */
  'peer-away': v.object({ seat: SeatIdSchema }),
  'peer-back': v.object({ seat: SeatIdSchema }),
  'peer-left': v.object({ seat: SeatIdSchema, reason: v.enum(PeerLeftReason) }),
  /** Another connection took this seat back; this one holds it no more. */
  'seat-taken': v.object({ room: RoomCodeSchema }),
  'room-closed': v.object({ room: RoomCodeSchema, reason: v.enum(RoomClosedReason) }),
  /** The server stops soon. Matches that run are peer to peer and go on. */
  draining: v.object({ message: v.pipe(v.string(), v.maxLength(512)) }),
} as const;
export type ServerEvent = keyof typeof serverEventSchemas;
export type ServerMessage<E extends ServerEvent> = v.InferOutput<(typeof serverEventSchemas)[E]>;

export const SignalingFailureSchema = v.object({
  code: v.enum(SignalingErrorCode),
  message: v.pipe(v.string(), v.maxLength(512)),
});
/** A refusal: a code for programs, a sentence for people. */
export type SignalingFailure = v.InferOutput<typeof SignalingFailureSchema>;

/** Every request's acknowledgement. */
export type Reply<T extends object = object> = ({ ok: true } & T) | { ok: false; error: SignalingFailure };

const FailedReplySchema = v.object({ ok: v.literal(false), error: SignalingFailureSchema });
const SeatReplySchema = v.variant('ok', [
  v.object({ ok: v.literal(true), ...SeatGrantSchema.entries }),
  FailedReplySchema,
]);
const ResumeReplySchema = v.variant('ok', [
  v.object({
    ok: v.literal(true),
    ...SeatGrantSchema.entries,
    /** The room was full once: no stranger joins any more, and whoever is not among `peers` is gone for good. */
    started: v.boolean(),
    peers: v.pipe(v.array(v.object({ ...PeerSeatSchema.entries, away: v.boolean() })), v.maxLength(7)),
  }),
  FailedReplySchema,
]);
const PairAgainReplySchema = v.variant('ok', [
  v.object({
    ok: v.literal(true),
    /** Whether the pairing has to wait until the other seat's connection is back. */
    waiting: v.boolean(),
  }),
  FailedReplySchema,
]);
const IceServersReplySchema = v.variant('ok', [
  v.object({ ok: v.literal(true), iceServers: IceServersSchema }),
  FailedReplySchema,
]);
const DoneReplySchema = v.variant('ok', [v.object({ ok: v.literal(true) }), FailedReplySchema]);

/** The acknowledgement of each request. */
export const replySchemas = {
  'create-room': SeatReplySchema,
  'join-room': SeatReplySchema,
  'quick-match': SeatReplySchema,
  'resume-seat': ResumeReplySchema,
  'confirm-seat': DoneReplySchema,
  'leave-room': DoneReplySchema,
  'pair-again': PairAgainReplySchema,
  'ice-servers': IceServersReplySchema,
  signal: DoneReplySchema,
} as const;
export type ReplyTo<E extends ClientEvent> = v.InferOutput<(typeof replySchemas)[E]>;

/** Event map for socket.io, peer to server. */
export type ClientToServerEvents = {
  [E in ClientEvent]: (request: ClientRequest<E>, reply: (reply: ReplyTo<E>) => void) => void;
};

/** Event map for socket.io, server to peer. */
export type ServerToClientEvents = {
  [E in ServerEvent]: (message: ServerMessage<E>) => void;
} & {
  /** The one question the server asks: whoever answers, with anything, is alive and keeps its seat. */
  'still-there': (message: Record<never, never>, reply: (answer: unknown) => void) => void;
};

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

/** Checks a request, on the server before it is looked at and on the client before it is sent. */
export function parseClientRequest<E extends ClientEvent>(event: E, payload: unknown): Parsed<ClientRequest<E>> {
  return parse(clientEventSchemas[event], payload);
}

/** Checks what the server told. */
export function parseServerMessage<E extends ServerEvent>(event: E, payload: unknown): Parsed<ServerMessage<E>> {
  return parse(serverEventSchemas[event], payload);
}

/** Checks an acknowledgement. */
export function parseReply<E extends ClientEvent>(event: E, payload: unknown): Parsed<ReplyTo<E>> {
  return parse(replySchemas[event], payload);
}

/** Checks a refusal that came outside an acknowledgement: a refused connection carries one. */
export function parseSignalingFailure(payload: unknown): Parsed<SignalingFailure> {
  return parse(SignalingFailureSchema, payload);
}

function parse<S extends v.GenericSchema>(schema: S, payload: unknown): Parsed<v.InferOutput<S>> {
  const result = v.safeParse(schema, payload);
  if (result.success) return { ok: true, value: result.output };
  const path = v.getDotPath(result.issues[0]);
  const complaint = result.issues[0].message;
  return { ok: false, message: path === null ? complaint : `${path}: ${complaint}` };
}

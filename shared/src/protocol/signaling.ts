/**
 * The words a peer and the signaling server exchange over socket.io.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Both sides check what arrives against the schemas here, so a
 * message that passed is bounded in every field.
 */
import * as v from 'valibot';
import {
  GameWordSchema,
  IceServersSchema,
  PairingNumberSchema,
  PEERS_MAX,
  PeerServerPassSchema,
  PlayerNameSchema,
  PlayerNumberSchema,
  RatingSchema,
  RegionSchema,
  ROOM_LIST_MAX,
  ROOM_SIZE_MAX,
  RoomCodeInputSchema,
  RoomCodeSchema,
  RoomDataSchema,
  RoomSizeSchema,
  RoomTitleSchema,
  SeatIdSchema,
  SeatSecretSchema,
  SeenPairingSchema,
  SignalDataSchema,
  SPECTATORS_MAX,
  TransportChoiceSchema,
  whole,
} from './signaling-fields.js';

/** Why the server refused a request. */
export const SignalingErrorCode = {
  /** The payload does not fit its schema, or the event does not exist. */
  BadRequest: 'bad-request',
  /** Missing, full, or another game's room: one answer for all, so that guessing teaches nothing. */
  RoomNotFound: 'room-not-found',
  AlreadyInRoom: 'already-in-room',
  NotInRoom: 'not-in-room',
  /** The addressed seat is not, or no longer, in the sender's room, or the two are not to be connected. */
  PeerGone: 'peer-gone',
  /** The addressed seat is taken, but its connection to the server is interrupted. */
  PeerAway: 'peer-away',
  /** The two seats have been paired anew since: this belongs to a pairing that is over. */
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
export const RoomClosedReason = {
  /** Nobody joined for too long. */
  Expired: 'expired',
  Draining: 'draining',
  /** The last player left: there is nothing to watch any more. */
  Ended: 'ended',
} as const;
export type RoomClosedReason = (typeof RoomClosedReason)[keyof typeof RoomClosedReason];

/** How a peer left: of its own will, or because its connection to the server ended and did not come back in time. */
export const PeerLeftReason = { Left: 'left', Disconnected: 'disconnected' } as const;
export type PeerLeftReason = (typeof PeerLeftReason)[keyof typeof PeerLeftReason];

/** What each request carries. The server parses with these and never looks at a payload that does not fit. */
export const clientEventSchemas = {
  /** Opens a room for this game and takes its seat 0. */
  'create-room': v.object({
    game: GameWordSchema,
    version: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
    /** Players; 2 when absent. */
    size: v.exactOptional(RoomSizeSchema),
    /** Shown in `list-rooms` while it has a free seat. */
    listed: v.exactOptional(v.boolean()),
    title: v.exactOptional(RoomTitleSchema),
    data: v.exactOptional(RoomDataSchema),
    /** `false`: nobody may watch. */
    spectators: v.exactOptional(v.boolean()),
    transport: v.exactOptional(TransportChoiceSchema),
    /** Its players shall meet through a relay only, so that neither learns the other's address. */
    relayOnly: v.exactOptional(v.boolean()),
  }),
  /** The open rooms of a game that are listed, newest first. */
  'list-rooms': v.object({ game: GameWordSchema, version: v.exactOptional(GameWordSchema) }),
  /** Takes the lowest free seat of an open room of this game. The peers themselves compare versions, in words. */
  'join-room': v.object({
    code: RoomCodeInputSchema,
    game: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
  }),
  /** Takes a seat to watch a room of this game, before the match or while it runs. */
  'watch-room': v.object({
    code: RoomCodeInputSchema,
    game: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
  }),
  /**
   * Takes a seat beside those who wait for the same game, version and size, or waits for the next. While it waits, the
   * seat may be moved to another room: `seat-place`.
   */
  'quick-match': v.object({
    game: GameWordSchema,
    version: GameWordSchema,
    name: v.exactOptional(PlayerNameSchema),
    size: v.exactOptional(RoomSizeSchema),
    /** Only somebody of the same region at first; anybody after a while. */
    region: v.exactOptional(RegionSchema),
    /** Only somebody about as strong at first; the distance widens. */
    rating: v.exactOptional(RatingSchema),
    transport: v.exactOptional(TransportChoiceSchema),
    /** As in `create-room`; the wish of any of them. */
    relayOnly: v.exactOptional(v.boolean()),
  }),
  /**
   * Takes a seat back on a new connection. `pairings` are the newest ones that this page knows of, by the other seat:
   * where the server has made a newer one, or the page names none, the two are paired anew.
   */
  'resume-seat': v.object({
    seat: SeatIdSchema,
    secret: SeatSecretSchema,
    pairings: v.pipe(v.array(v.object({ seat: SeatIdSchema, pairing: SeenPairingSchema })), v.maxLength(PEERS_MAX)),
  }),
  /** Says that the new secret is kept: from here on the one before it opens nothing. */
  'confirm-seat': v.object({ secret: SeatSecretSchema }),
  /** Gives the seat up; also the way to cancel a wait. */
  'leave-room': v.object({}),
  /**
   * Asks for a new pairing with the seat `to` after `pairing`. When both ask, or ask twice, one is made. A spectator who
   * asks gets another source, where there is one.
   */
  'pair-again': v.object({ to: SeatIdSchema, pairing: SeenPairingSchema }),
  /** Fresh ICE servers for the pairing with the seat `to`: to be asked for before an ICE restart. */
  'ice-servers': v.object({ to: SeatIdSchema }),
  /** One negotiation step of this pairing for the seat `to` in the sender's room. */
  signal: v.object({ to: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
} as const;
export type ClientEvent = keyof typeof clientEventSchemas;
export type ClientRequest<E extends ClientEvent> = v.InferOutput<(typeof clientEventSchemas)[E]>;

/** A seat, as everybody in the room may know it. */
const PeerSeatSchema = v.object({
  seat: SeatIdSchema,
  player: PlayerNumberSchema,
  name: v.exactOptional(PlayerNameSchema),
});
export type PeerSeat = v.InferOutput<typeof PeerSeatSchema>;

/** The other seats of a room, and whether the connection of each to the server is interrupted. */
const PeersSchema = v.pipe(v.array(v.object({ ...PeerSeatSchema.entries, away: v.boolean() })), v.maxLength(PEERS_MAX));

/** Where a seat is. */
const PlaceSchema = v.object({
  room: RoomCodeSchema,
  player: PlayerNumberSchema,
  /** The room was full once: no player joins any more, and whoever is not among `peers` is gone for good. */
  started: v.boolean(),
  peers: PeersSchema,
});
export type Place = v.InferOutput<typeof PlaceSchema>;

/** A seat, as told to its owner only. `seat` names it to others; `secret` proves it and is never shown. */
export const SeatGrantSchema = v.object({
  ...PlaceSchema.entries,
  size: RoomSizeSchema,
  seat: SeatIdSchema,
  secret: SeatSecretSchema,
});
export type SeatGrant = v.InferOutput<typeof SeatGrantSchema>;

/** An open room, as a list shows it. */
export const ListedRoomSchema = v.object({
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

/** What the server tells without being asked. Clients parse with these. */
export const serverEventSchemas = {
  /**
   * Negotiate with `peer`, from the start, whatever there was before. When a room is full, its players are told so of
   * each other; a spectator, once the match has started, of the seat that shows it the match. Exactly one of the two is
   * told `initiator: true`: the player of the lower number, or who shows. `pairing` grows with each of the same two;
   * signals of an earlier one are not delivered any more.
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
  /** Somebody took a seat of the room. */
  'peer-joined': PeerSeatSchema,
  /** The peer's connection to the server is interrupted; its seat is kept for a while. */
  'peer-away': v.object({ seat: SeatIdSchema }),
  'peer-back': v.object({ seat: SeatIdSchema }),
  'peer-left': v.object({ seat: SeatIdSchema, reason: v.enum(PeerLeftReason) }),
  /**
   * Where the seat is by now: a quick match goes on in another room, or somebody came or went in the moment in which the
   * seat was taken. Its id and secret are the same.
   */
  'seat-place': PlaceSchema,
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

const reply = <T extends v.ObjectEntries>(fields: T) =>
  v.variant('ok', [v.object({ ok: v.literal(true), ...fields }), FailedReplySchema]);

const SeatReplySchema = reply(SeatGrantSchema.entries);
const DoneReplySchema = reply({});

/** The acknowledgement of each request. */
export const replySchemas = {
  'create-room': SeatReplySchema,
  'list-rooms': reply({ rooms: v.pipe(v.array(ListedRoomSchema), v.maxLength(ROOM_LIST_MAX)) }),
  'join-room': SeatReplySchema,
  'watch-room': SeatReplySchema,
  'quick-match': SeatReplySchema,
  'resume-seat': SeatReplySchema,
  'confirm-seat': DoneReplySchema,
  'leave-room': DoneReplySchema,
  /** `waiting`: the pairing has to wait until the other seat's connection is back. */
  'pair-again': reply({ waiting: v.boolean() }),
  'ice-servers': reply({ iceServers: IceServersSchema }),
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

/**
 * What the signaling server answers and tells over socket.io.
 *
 * Promises: no DOM, no Node, no clock, no randomness. Both sides check what arrives, here and in `signaling-requests`, so
 * a message that passed is bounded in every field.
 */
import * as v from 'valibot';
import { list, parseWith, text } from './checks.js';
import type { RoomListReplySchema } from './room-list.js';
import {
  IceServersSchema,
  PairingNumberSchema,
  PEERS_MAX,
  PlayerNameSchema,
  PlayerNumberSchema,
  RoomCodeSchema,
  RoomSizeSchema,
  SeatIdSchema,
  SeatSecretSchema,
  SignalDataSchema,
} from './signaling-fields.js';
import type { ClientEvent, ClientRequest } from './signaling-requests.js';

/** Why the server refused a request. */
export const signalingErrorCodes = [
  /** The payload does not fit its schema, or the event does not exist. */
  'bad-request',
  /** Missing, full, or another game's room: one answer for all, so that guessing teaches nothing. */
  'room-not-found',
  'already-in-room',
  'not-in-room',
  /** The addressed seat is not, or no longer, in the sender's room, or the two are not to be connected. */
  'peer-gone',
  /** The addressed seat is taken, but its connection to the server is interrupted. */
  'peer-away',
  /** The two seats have been paired anew since: this belongs to a pairing that is over. */
  'stale-pairing',
  /** Missing, away for too long, or another secret: one answer for all, so that guessing teaches nothing. */
  'seat-not-found',
  /** Another connection holds the seat and is alive: a second tab of the same page, mostly. */
  'seat-in-use',
  /** Only a relay was asked for, and this server has none. */
  'relay-unavailable',
  /** The server cannot connect players in the way that was asked for. */
  'transport-unavailable',
  'rate-limited',
  /** Too many connections, from this address or at all. */
  'server-full',
  /** The server is about to stop and opens no new rooms. */
  'server-draining',
  /** The server cannot reach what it keeps rooms in. Matches that run go on. */
  'store-away',
  'internal-error',
] as const;
export type SignalingErrorCode = (typeof signalingErrorCodes)[number];

/** Why a room ended for those who were in it. */
export const roomClosedReasons = [
  /** Nobody joined for too long. */
  'expired',
  'draining',
  /** The last player left: there is nothing to watch any more. */
  'ended',
] as const;
export type RoomClosedReason = (typeof roomClosedReasons)[number];

/** How a peer left: of its own will, or because its connection to the server ended and did not come back in time. */
export const peerLeftReasons = ['left', 'disconnected'] as const;
export type PeerLeftReason = (typeof peerLeftReasons)[number];

const SeatSchema = v.object({ seat: SeatIdSchema });

/** A seat, as everybody in the room may know it. */
const PeerSeatSchema = v.object({
  seat: SeatIdSchema,
  player: PlayerNumberSchema,
  name: v.exactOptional(PlayerNameSchema),
});
export type PeerSeat = v.InferOutput<typeof PeerSeatSchema>;

/** The other seats of a room, and whether the connection of each to the server is interrupted. */
const PeersSchema = list(v.object({ ...PeerSeatSchema.entries, away: v.boolean() }), PEERS_MAX);

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
    /** There when the two are to connect by PeerJS: a `PeerServerPass`. */
    peerServer: v.exactOptional(v.unknown()),
  }),
  /** A negotiation step; `from` is stamped by the server. */
  signal: v.object({ from: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
  /**
   * A step that was sent without asking for an answer comes back, for the connection of `to` to the server is interrupted:
   * it may be sent again when that is back. Steps that are of no use any more do not come back.
   */
  'signal-undelivered': v.object({ to: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
  /** Somebody took a seat of the room. */
  'peer-joined': PeerSeatSchema,
  /** The peer's connection to the server is interrupted; its seat is kept for a while. */
  'peer-away': SeatSchema,
  'peer-back': SeatSchema,
  'peer-left': v.object({ seat: SeatIdSchema, reason: v.picklist(peerLeftReasons) }),
  /**
   * Where the seat is by now: a quick match goes on in another room, or somebody came or went in the moment in which the
   * seat was taken. Its id and secret are the same.
   */
  'seat-place': PlaceSchema,
  /** Another connection took this seat back; this one holds it no more. */
  'seat-taken': v.object({ room: RoomCodeSchema }),
  'room-closed': v.object({ room: RoomCodeSchema, reason: v.picklist(roomClosedReasons) }),
  /** The server stops soon. Matches that run are peer to peer and go on. */
  draining: v.object({ message: text(512) }),
} as const;
export type ServerEvent = keyof typeof serverEventSchemas;
export type ServerMessage<E extends ServerEvent> = v.InferOutput<(typeof serverEventSchemas)[E]>;

export const SignalingFailureSchema = v.object({
  code: v.picklist(signalingErrorCodes),
  message: text(512),
});
/** A refusal: a code for programs, a sentence for people. */
export type SignalingFailure = v.InferOutput<typeof SignalingFailureSchema>;

/** Every request's acknowledgement. */
export type Reply<T extends object = object> = ({ ok: true } & T) | { ok: false; error: SignalingFailure };

const FailedReplySchema = v.object({ ok: v.literal(false), error: SignalingFailureSchema });

/** The acknowledgement of a request that is granted these fields. */
export const reply = <T extends v.ObjectEntries>(fields: T) =>
  v.variant('ok', [v.object({ ok: v.literal(true), ...fields }), FailedReplySchema]);

const SeatReplySchema = reply(SeatGrantSchema.entries);
const DoneReplySchema = reply({});

/** The acknowledgement of each request but that for the list of rooms. */
export const replySchemas = {
  'create-room': SeatReplySchema,
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
/** What is asked for a seat, to take it or because it is held. */
export type SeatRequest = keyof typeof replySchemas;
type Replies = typeof replySchemas & { readonly 'list-rooms': typeof RoomListReplySchema };
export type ReplyTo<E extends ClientEvent> = v.InferOutput<Replies[E]>;

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

/** Checks what the server told; undefined for what does not fit. */
export function parseServerMessage<E extends ServerEvent>(event: E, payload: unknown): ServerMessage<E> | undefined {
  return parseWith(serverEventSchemas[event], payload);
}

/** Checks an acknowledgement; undefined for what does not fit. */
export function parseReply<E extends SeatRequest>(event: E, payload: unknown): ReplyTo<E> | undefined {
  return parseWith(replySchemas[event], payload);
}

/** Checks a refusal that came outside an acknowledgement: a refused connection carries one. */
export function parseSignalingFailure(payload: unknown): SignalingFailure | undefined {
  return parseWith(SignalingFailureSchema, payload);
}

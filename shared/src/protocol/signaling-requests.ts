/**
 * What a peer may ask of the signaling server.
 *
 * Promises: no DOM, no Node, no clock, no randomness. The server alone checks requests, and refuses in words what does
 * not fit: pages need no part of this but its types.
 */
import * as v from 'valibot';
import { list, whole } from './checks.js';
import { isPlainCandidate } from './plain-candidate.js';
import { GameWordSchema, RoomDataSchema, RoomTitleSchema } from './room-list.js';
import {
  PairingNumberSchema,
  PEERS_MAX,
  PlayerNameSchema,
  PRINTABLE,
  ROOM_CODE_LENGTH,
  RoomSizeSchema,
  SEAT_ID,
  SeatIdSchema,
  SeatSecretSchema,
  SignalDataSchema,
  transportChoices,
} from './signaling-fields.js';

/** Only a bound: whether a code exists is the room store's answer, the same for a malformed one as for a missing one. */
const RoomCodeInputSchema = v.pipe(v.string(), v.maxLength(32, `must be a code of ${ROOM_CODE_LENGTH} characters`));

/** The newest pairing that a peer was told of; 0 for none. */
const SeenPairingSchema = whole(0, 0x7fff_ffff);

/** Where a player is, in the game's own words; only compared. */
const RegionSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,16}$/, 'must be 1 to 16 letters, digits or dashes'));

/** How strong a player is, on the game's own scale; only distances count. */
const RatingSchema = v.pipe(v.number(), v.minValue(-1_000_000), v.maxValue(1_000_000));

const TransportChoiceSchema = v.picklist(transportChoices, `must be ${transportChoices.join(' or ')}`);

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
    pairings: list(v.object({ seat: SeatIdSchema, pairing: SeenPairingSchema }), PEERS_MAX),
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
  /**
   * One negotiation step of this pairing for the seat `to` in the sender's room. There are tens of them, so an answer is
   * asked for now and then, to send no more than the server takes; without one, see `signal-undelivered`.
   */
  signal: v.object({ to: SeatIdSchema, pairing: PairingNumberSchema, data: SignalDataSchema }),
} as const;
export type ClientEvent = keyof typeof clientEventSchemas;
export type ClientRequest<E extends ClientEvent> = v.InferOutput<(typeof clientEventSchemas)[E]>;

const CLIENT_EVENTS: ReadonlySet<unknown> = new Set(Object.keys(clientEventSchemas));

/** Whether a peer may ask for something by this name. */
export function isClientEvent(name: unknown): name is ClientEvent {
  return CLIENT_EVENTS.has(name);
}

/** A checked payload, or what is wrong with it as `field: complaint`. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; message: string };

/** What is wrong, in words, for whoever reads why a request was refused; other complaints are left as they are. */
function complain(issue: v.BaseIssue<unknown>): string {
  const { type, requirement, input, message } = issue;
  switch (type) {
    case 'string':
      return 'must be text';
    case 'number':
      return 'must be a number';
    case 'integer':
      return 'must be a whole number';
    case 'non_empty':
      return 'must not be empty';
    case 'min_value':
      return `must be at least ${requirement}`;
    case 'max_value':
      return `must be at most ${requirement}`;
    case 'max_length':
      return `must have at most ${requirement} ${typeof input === 'string' ? 'characters' : 'entries'}`;
    case 'regex':
      if (requirement === PRINTABLE) return 'must have no control characters';
      return requirement === SEAT_ID ? 'must be a seat id' : message;
    default:
      return message;
  }
}

/** Checks a request before it is looked at. */
export function parseClientRequest<E extends ClientEvent>(event: E, payload: unknown): Parsed<ClientRequest<E>> {
  if (event === 'signal' && isPlainCandidate(payload)) return { ok: true, value: payload };
  const result = v.safeParse(clientEventSchemas[event], payload, { message: complain });
  if (result.success) return { ok: true, value: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  return { ok: false, message: path === null ? issue.message : `${path}: ${issue.message}` };
}

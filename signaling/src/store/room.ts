/**
 * A room as plain data, and the steps it can take.
 *
 * Promises: pure. A step gives the room as it is afterwards, or `undefined` where it cannot be taken; the room it began
 * with is as it was.
 */
import { type RoomData, SPECTATORS_MAX, type TransportChoice } from '@riposte/shared/protocol';
import { findSource } from './sources.js';

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
  /** From 0; `null`: a spectator. */
  player: number | null;
  name: string | undefined;
  /** Counts the connections that have held the seat: tells the end of an old one from the end of the present one. */
  hold: number;
  /** The connection that holds it knows so. Until then the seat is paired with nobody. */
  ready: boolean;
  /** Milliseconds, on the caller's clock: when its connection ended. `undefined` while it has one. */
  awaySince: number | undefined;
  /** The server that its connection is with, or was; `undefined` where there is one server alone. */
  node: string | undefined;
  /** Whom it may be seated with, in a quick match. */
  search: Search | undefined;
}

/** What a player of a quick match looks for. */
export interface Search {
  /** Milliseconds, on the caller's clock. */
  since: number;
  region?: string;
  rating?: number;
}

/** Two seats that are to be connected. */
export interface Pair {
  initiator: string;
  responder: string;
  /** Number of the newest pairing of the two, or of this spectator with whoever was its source; 0 before the first. */
  number: number;
  /** It is to be made, or made anew, once both are here. */
  wanted: boolean;
}

/** How strangers find the seat that is free. */
export type RoomAccess = 'code' | 'quick';

/** What a room is from its beginning to its end. */
export interface RoomKind {
  game: string;
  version: string;
  /** Players when full. */
  size: number;
  access: RoomAccess;
  listed: boolean;
  title?: string | undefined;
  /** Shown in a list. */
  data: RoomData;
  /** Whether anybody may watch. */
  spectators: boolean;
  /** How its peers connect; absent: `simple-peer`. The choice of whoever opened it. */
  transport?: TransportChoice | undefined;
  /** Its players meet through a relay only. */
  relayOnly: boolean;
}

export interface Room extends RoomKind {
  code: string;
  /** Players in the order of their numbers, then spectators in the order of their coming. */
  seats: readonly Seat[];
  /** It was full once: no player joins any more. */
  started: boolean;
  /** Every two players of a started room, and every spectator of it with its source. */
  pairs: readonly Pair[];
  /** Milliseconds, on the caller's clock. */
  createdAt: number;
  /** Milliseconds, on the caller's clock: the last join, pairing or relayed message. */
  touchedAt: number;
}

export type NewSeat = Pick<Seat, 'id' | 'secretHash' | 'name'> & Partial<Pick<Seat, 'node' | 'search'>>;

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
  /** The server that the new connection is with. */
  node?: string | undefined;
}

/** A pairing that a page knows of. */
export interface SeenPairing {
  /** The other seat. */
  seat: string;
  pairing: number;
}

export const isPlayer = ({ player }: Seat): boolean => player !== null;
export const isAway = ({ awaySince }: Seat): boolean => awaySince !== undefined;
export const playersOf = (room: Room): Seat[] => room.seats.filter(isPlayer);
export const seatOf = (room: Room, id: string): Seat | undefined => room.seats.find((seat) => seat.id === id);

/** What connects the two, whichever of them begins. */
export function pairOf(room: Room, one: string, other: string): Pair | undefined {
  return room.pairs.find(
    ({ initiator, responder }) =>
      (initiator === one && responder === other) || (initiator === other && responder === one),
  );
}

/** A room with its first player. */
export function openRoom(kind: RoomKind, code: string, first: NewSeat, now: number): Room {
  const { game, version, size, access, listed, title, data, spectators, transport, relayOnly } = kind;
  return {
    game,
    version,
    size,
    access,
    listed,
    title,
    data,
    spectators,
    transport,
    relayOnly,
    code,
    seats: [newSeat(first, 0)],
    started: false,
    pairs: [],
    createdAt: now,
    touchedAt: now,
  };
}

/** Takes the lowest free player's seat; with the last one the match starts. */
export function sit(room: Room, seat: NewSeat, now: number): Room | undefined {
  if (room.started) return undefined;
  return seatPlayers(room, [newSeat(seat, null)], now);
}

/** Takes a spectator's seat. A quick match can be watched once it has started: before that its seats may move. */
export function watch(room: Room, spectator: NewSeat, now: number): Room | undefined {
  if (!room.spectators || (room.access === 'quick' && !room.started)) return undefined;
  if (room.seats.length - playersOf(room).length >= SPECTATORS_MAX) return undefined;
  const seats = [...room.seats, newSeat(spectator, null)];
  const watched = { ...room, seats, touchedAt: now };
  return room.started ? feed(watched, spectator.id) : watched;
}

/** Seats those who wait in one quick match beside those in another; gives that one, and the first without seats. */
export function merge(room: Room, other: Room, now: number): [Room, Room] | undefined {
  if (room.code === other.code || room.started || other.started) return undefined;
  const merged = seatPlayers({ ...room, relayOnly: room.relayOnly || other.relayOnly }, playersOf(other), now);
  return merged && [settle(merged, now), { ...other, seats: [] }];
}

/** The connection knows that it holds the seat; what it missed of its pairings is to be made anew. */
export function arrive(
  room: Room,
  id: string,
  hold: number,
  seen: readonly SeenPairing[],
  now: number,
): Room | undefined {
  const seat = seatOf(room, id);
  if (seat === undefined || seat.hold !== hold) return undefined;
  const missed = ({ initiator, responder, number }: Pair) => {
    if (initiator !== id && responder !== id) return false;
    const other = initiator === id ? responder : initiator;
    return (seen.find((each) => each.seat === other)?.pairing ?? 0) < number;
  };
  const pairs = room.pairs.map((pair) => (missed(pair) ? { ...pair, wanted: true } : pair));
  return settle({ ...change(room, id, { ready: true }), pairs }, now);
}

/** The connection that was the seat's `hold`th ended. */
export function goAway(room: Room, id: string, hold: number, now: number): Room | undefined {
  const seat = seatOf(room, id);
  if (seat === undefined || seat.hold !== hold || isAway(seat)) return undefined;
  return change(room, id, { awaySince: now });
}

/** The connections of some seats are lost with the server that they were with. */
export function lose(room: Room, node: string, isLost: (seat: Seat) => boolean, now: number): Room | undefined {
  const lost = room.seats.filter((seat) => seat.node === node && !isAway(seat) && isLost(seat));
  if (lost.length === 0) return undefined;
  return { ...room, seats: room.seats.map((seat) => (lost.includes(seat) ? { ...seat, awaySince: now } : seat)) };
}

/** Gives the seat to a new connection and keeps the hash of the next secret. */
export function takeBack(room: Room, id: string, resumption: Resumption): Room | undefined {
  const { hold, secretHash, nextSecretHash, awayAfter, node } = resumption;
  const seat = seatOf(room, id);
  if (seat === undefined || seat.hold !== hold) return undefined;
  if (seat.awaySince !== undefined && seat.awaySince < awayAfter) return undefined;
  if (secretHash !== seat.secretHash && secretHash !== seat.nextSecretHash) return undefined;
  return change(room, id, { secretHash, nextSecretHash, hold: hold + 1, ready: false, awaySince: undefined, node });
}

/** The next secret is in its owner's hands, if this is its hash: the one before is void. */
export function confirm(room: Room, id: string, secretHash: string): Room | undefined {
  if (seatOf(room, id)?.nextSecretHash !== secretHash) return undefined;
  return change(room, id, { secretHash, nextSecretHash: undefined });
}

/** Makes the pairing of the two that follows `after`, if that is their newest, or as soon as both are here. */
export function pairAgain(room: Room, id: string, other: string, after: number, now: number): Room | undefined {
  const pair = pairOf(room, id, other);
  if (pair === undefined || pair.number !== after) return undefined;
  const isSpectators = pair.responder === id && seatOf(room, id)?.player === null;
  if (isSpectators) return settle(feed(room, id, other), now);
  const pairs = room.pairs.map((each) => (each === pair ? { ...pair, wanted: true } : each));
  return settle({ ...room, pairs }, now);
}

/** Frees seats. Whoever was shown the match by one of them gets another source. */
export function leave(room: Room, ids: readonly string[], now: number): Room | undefined {
  const seats = room.seats.filter(({ id }) => !ids.includes(id));
  if (seats.length === room.seats.length) return undefined;
  const isThere = (id: string) => seats.some((seat) => seat.id === id);
  const orphans = room.pairs.filter(({ initiator, responder }) => !isThere(initiator) && isThere(responder));
  const pairs = room.pairs.filter((pair) => isThere(pair.responder) && (isThere(pair.initiator) || isFeed(room, pair)));
  const left: Room = { ...room, seats, pairs };
  const watchers = orphans.filter((pair) => isFeed(room, pair));
  return settle(
    watchers.reduce((next, { responder }) => feed(next, responder), left),
    now,
  );
}

/** Marks the room as in use. */
export function touch(room: Room, now: number): Room {
  return { ...room, touchedAt: now };
}

/** What a step with one room gives, as the store wants it for several. */
export function some(room: Room | undefined): [Room] | undefined {
  return room && [room];
}

// Field by field, for engines copy objects of one shape faster than those of many.
function newSeat({ id, secretHash, name, node, search }: NewSeat, player: number | null): Seat {
  return {
    id,
    secretHash,
    nextSecretHash: undefined,
    player,
    name,
    hold: 1,
    ready: false,
    awaySince: undefined,
    node,
    search,
  };
}

function change(room: Room, id: string, changes: Partial<Seat>): Room {
  return { ...room, seats: room.seats.map((seat) => (seat.id === id ? { ...seat, ...changes } : seat)) };
}

/** Gives each the lowest player number that is free. */
function seatPlayers(room: Room, added: readonly Seat[], now: number): Room | undefined {
  const players = playersOf(room);
  if (players.length + added.length > room.size) return undefined;
  for (const seat of added) {
    let player = 0;
    while (players.some((taken) => taken.player === player)) player++;
    players.push({ ...seat, player });
  }
  players.sort((a, b) => (a.player ?? 0) - (b.player ?? 0));
  const spectators = room.seats.filter((seat) => !isPlayer(seat));
  const seated = { ...room, seats: [...players, ...spectators], touchedAt: now };
  return players.length < room.size ? seated : start(seated);
}

/** Every two players are to be connected; the lower number begins: it waited, so its page is ready. */
function start(room: Room): Room {
  const players = playersOf(room);
  const pairs = players.flatMap(({ id: initiator }, index) =>
    players.slice(index + 1).map(({ id: responder }) => ({ initiator, responder, number: 0, wanted: true })),
  );
  const spectators = room.seats.filter((seat) => !isPlayer(seat));
  const started: Room = { ...room, started: true, pairs };
  return spectators.reduce((next, { id }) => feed(next, id), started);
}

/** Whether it shows a spectator the match. */
function isFeed(room: Room, { responder }: Pair): boolean {
  return seatOf(room, responder)?.player === null;
}

/** Gives a spectator a source, another than `before` where there is one. */
function feed(room: Room, spectator: string, before?: string): Room {
  const present = room.pairs.find(({ responder }) => responder === spectator);
  const others = room.pairs.filter((pair) => pair !== present);
  const initiator = findSource({ ...room, pairs: others }, spectator, before) ?? before;
  if (initiator === undefined) return { ...room, pairs: others };
  const pair = { initiator, responder: spectator, number: present?.number ?? 0, wanted: true };
  return { ...room, pairs: [...others, pair] };
}

/** Makes the pairings that are wanted between those who are here. */
function settle(room: Room, now: number): Room {
  const isHere = (id: string) => {
    const seat = seatOf(room, id);
    return seat?.ready === true && !isAway(seat);
  };
  const isDue = ({ initiator, responder, wanted }: Pair) => wanted && isHere(initiator) && isHere(responder);
  if (!room.pairs.some(isDue)) return room;
  const pairs = room.pairs.map((pair) => (isDue(pair) ? { ...pair, number: pair.number + 1, wanted: false } : pair));
  return { ...room, pairs, touchedAt: now };
}

import {
  type ClientEvent,
  type ClientRequest,
  isClientEvent,
  parseClientRequest,
  type ReplyTo,
  type TransportChoice,
} from '@riposte/shared/protocol';
import type { Connections } from './connections.js';
import type { Lifecycle } from './drain.js';
import type { IceSource } from './ice.js';
import type { Limits } from './limits.js';
import type { Matchmaking } from './matchmaking.js';
import { draining, notInRoom, peerGone, refuse, tooFast } from './refusals.js';
import type { Entry, Outcome, Rooms } from './rooms.js';
import type { Seating } from './seating.js';
import type { Answer, PeerSocket } from './socket-types.js';
import { type Soon, soon } from './soon.js';
import { pairOf, type RoomKind, seatOf } from './store/room.js';

/** Players of a room whose creator does not say. */
const ROOM_SIZE = 2;

export interface RequestsOptions {
  rooms: Rooms;
  /** Whether other servers share the rooms. */
  shared: boolean;
  /** The connections that hold seats. */
  connections: Connections;
  matchmaking: Matchmaking;
  seating: Seating;
  ice: IceSource;
  limits: Limits;
  lifecycle: Lifecycle;
}

/** Answers one request: any event, any payload. */
export type Answerer = (socket: PeerSocket, event: string, payload: unknown) => Soon<Answer>;

type Handlers = { [E in ClientEvent]: (socket: PeerSocket, request: ClientRequest<E>) => Soon<Answer<ReplyTo<E>>> };

/** What the server does for each request, once it is known to fit its schema. */
export function createRequests(options: RequestsOptions): Answerer {
  const { rooms, shared, connections, matchmaking, seating, ice, limits, lifecycle } = options;

  const takeSeat = async (
    socket: PeerSocket,
    ask: () => Promise<Outcome<Entry>>,
  ): Promise<Answer<ReplyTo<'create-room'>>> => {
    if (lifecycle.draining) return { reply: draining() };
    if (socket.data.seat !== undefined) return { reply: alreadyInRoom(socket.data.seat.room) };
    if (!(await limits.admitJoin(socket.data.address))) return { reply: tooFast() };
    const outcome = await ask();
    if (!outcome.ok) return { reply: outcome };
    const { grant } = outcome.value;
    await seating.seat(socket, outcome.value);
    return { reply: { ok: true, ...grant }, seated: outcome.value, after: () => seating.arrived(socket, grant) };
  };

  /** A seat in the room behind a code that somebody typed. */
  const enter = (socket: PeerSocket, ask: () => Promise<Outcome<Entry>>) =>
    takeSeat(socket, async () => {
      const outcome = await ask();
      if (!outcome.ok) await limits.failedJoin(socket.data.address);
      return outcome;
    });

  /** Asked for before a seat is taken: nobody should wait in a room that can never connect. */
  const lacksRelay = (relayOnly: boolean) =>
    relayOnly && !ice.hasRelay
      ? refuse(
          'relay-unavailable',
          'This server has no relay (TURN), so it cannot hide your address: play without relay only, or elsewhere.',
        )
      : undefined;

  /** PeerServer keeps its connections to itself: players of different servers would wait for each other in vain. */
  const lacksTransport = (transport: TransportChoice | undefined) =>
    shared && transport === 'peerjs'
      ? refuse(
          'transport-unavailable',
          'This server has several nodes, over which PeerJS cannot connect players: leave transport=peerjs out.',
        )
      : undefined;

  const handlers: Handlers = {
    'create-room': (socket, wish) => {
      const { game, version, size = ROOM_SIZE, title, transport, relayOnly = false } = wish;
      const refusal = lacksRelay(relayOnly) ?? lacksTransport(transport);
      if (refusal !== undefined) return { reply: refusal };
      const { listed = false, data = {}, spectators = true } = wish;
      const kind: RoomKind = {
        game,
        version,
        size,
        access: 'code',
        listed,
        title,
        data,
        spectators,
        transport,
        relayOnly,
      };
      return takeSeat(socket, () => rooms.open(kind, wish.name));
    },

    'list-rooms': async (socket, { game, version }) => {
      if (!(await limits.admitList(socket.id))) return { reply: tooFast() };
      return { reply: { ok: true, rooms: await rooms.list(game, version) } };
    },

    'join-room': (socket, { code, game, name }) => enter(socket, () => rooms.join(code, game, name)),

    'watch-room': (socket, { code, game, name }) => enter(socket, () => rooms.watch(code, game, name)),

    'quick-match': async (socket, wish) => {
      const { game, version, size = ROOM_SIZE, transport, relayOnly = false, region, rating } = wish;
      const refusal = lacksRelay(relayOnly) ?? lacksTransport(transport);
      if (refusal !== undefined) return { reply: refusal };
      const search = { ...(region !== undefined && { region }), ...(rating !== undefined && { rating }) };
      const kind: RoomKind = {
        game,
        version,
        size,
        access: 'quick',
        listed: false,
        title: undefined,
        data: {},
        spectators: true,
        transport,
        relayOnly,
      };
      return takeSeat(socket, async () => {
        const { outcome, mergers } = await matchmaking.enter(kind, wish.name, search);
        for (const merger of mergers) seating.merged(merger);
        return outcome;
      });
    },

    'resume-seat': async (socket, request) => {
      if (socket.data.seat !== undefined) return { reply: alreadyInRoom(socket.data.seat.room) };
      if (!(await limits.admitResume(socket.data.address))) return { reply: tooFast() };
      return seating.resume(socket, request);
    },

    'confirm-seat': async (socket, { secret }) => {
      const { seat } = socket.data;
      if (seat === undefined) return { reply: notInRoom() };
      await rooms.confirm(seat.id, secret);
      return { reply: { ok: true } };
    },

    'leave-room': (socket) => soon(seating.leave(socket), () => ({ reply: { ok: true } })),

    'pair-again': async (socket, { to, pairing }) => {
      const { seat } = socket.data;
      const room = seat && (await rooms.roomOf(seat.id));
      if (seat === undefined || room === undefined) return { reply: notInRoom() };
      const pair = pairOf(room, seat.id, to);
      if (pair === undefined) return { reply: peerGone() };
      const reply = { ok: true as const, waiting: seatOf(room, to)?.awaySince !== undefined };
      // The other side was faster, and this one is about to hear of it.
      if (pairing < pair.number) return { reply };
      // A spectator's source changes as it asks: counted by the two, it could trouble all of them.
      const isWatched = seatOf(room, pair.responder)?.player === null;
      const limitId = isWatched ? pair.responder : `${pair.initiator} ${pair.responder}`;
      if (!(await limits.admitPairing(limitId))) return { reply: tooFast() };
      return { reply, after: () => seating.pairAgain(seat.id, to, pair.number) };
    },

    'ice-servers': async (socket, { to }) => {
      const { seat } = socket.data;
      const room = seat && (await rooms.roomOf(seat.id));
      if (seat === undefined || room === undefined) return { reply: notInRoom() };
      // A credential opens a relay that costs money: nobody gets one without somebody to talk to.
      if ((pairOf(room, seat.id, to)?.number ?? 0) === 0) return { reply: peerGone() };
      if (!(await limits.admitIceServers(seat.id))) return { reply: tooFast() };
      return { reply: { ok: true, iceServers: ice.serversFor(seat.id, room.relayOnly) } };
    },

    signal: (socket, { to, pairing, data }) => {
      const from = socket.data.seat;
      if (from === undefined) return { reply: notInRoom() };
      return soon(rooms.peerOf(from.id, to, pairing), (peer) => {
        if (!peer.ok) {
          if (peer.error.code !== 'peer-away') return { reply: peer };
          return { reply: peer, unasked: () => void socket.emit('signal-undelivered', { to, pairing, data }) };
        }
        connections.tell(peer.value, 'signal', { from: from.id, pairing, data });
        return { reply: { ok: true } };
      });
    },
  };

  const handle = <E extends ClientEvent>(socket: PeerSocket, event: E, payload: unknown): Soon<Answer> => {
    const parsed = parseClientRequest(event, payload);
    return parsed.ok
      ? handlers[event](socket, parsed.value)
      : { reply: refuse('bad-request', `${event}: ${parsed.message}`) };
  };

  return (socket, event, payload) =>
    isClientEvent(event) ? handle(socket, event, payload) : { reply: refuse('bad-request', 'there is no such event') };
}

function alreadyInRoom(room: string) {
  return refuse('already-in-room', `You are in match ${room} already: leave it first.`);
}

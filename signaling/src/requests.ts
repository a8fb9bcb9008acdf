import {
  type ClientEvent,
  type ClientRequest,
  parseClientRequest,
  type ReplyTo,
  SignalingErrorCode,
} from '@riposte/shared/protocol';
import type { Lifecycle } from './drain.js';
import type { IceSource } from './ice.js';
import type { Limits } from './limits.js';
import { quickMatch } from './matchmaking.js';
import { draining, notInRoom, peerGone, refuse, tooFast } from './refusals.js';
import type { Entry, Outcome, Rooms } from './rooms.js';
import type { Seating } from './seating.js';
import type { Answer, PeerSocket, SignalingServer } from './socket-types.js';
import type { RoomStore } from './store/store.js';

export interface RequestsOptions {
  io: SignalingServer;
  store: RoomStore;
  rooms: Rooms;
  seating: Seating;
  ice: IceSource;
  limits: Limits;
  lifecycle: Lifecycle;
}

/** Answers one request: any event, any payload. */
export type Answerer = (socket: PeerSocket, event: string, payload: unknown) => Promise<Answer>;

type Handlers = { [E in ClientEvent]: (socket: PeerSocket, request: ClientRequest<E>) => Promise<Answer<ReplyTo<E>>> };

/** What the server does for each request, once it is known to fit its schema. */
export function createRequests(options: RequestsOptions): Answerer {
  const { io, store, rooms, seating, ice, limits, lifecycle } = options;

  const takeSeat = async (
    socket: PeerSocket,
    ask: () => Promise<Outcome<Entry>>,
  ): Promise<Answer<ReplyTo<'create-room'>>> => {
    if (lifecycle.draining) return { reply: draining() };
    if (socket.data.seat !== undefined) return { reply: alreadyInRoom(socket.data.seat.room) };
    if (!(await limits.admitJoin(socket.data.address))) return { reply: tooFast() };
    const outcome = await ask();
    if (!outcome.ok) return { reply: outcome };
    const { grant, room } = outcome.value;
    await seating.seat(socket, outcome.value);
    const reply = { ok: true as const, ...grant };
    return room.started ? { reply, after: () => seating.pair(room.code, 0).then(() => undefined) } : { reply };
  };

  /** Asked for before a seat is taken: nobody should wait in a room that can never connect. */
  const lacksRelay = (relayOnly: boolean) =>
    relayOnly && !ice.hasRelay
      ? refuse(
          SignalingErrorCode.RelayUnavailable,
          'This server has no relay (TURN), so it cannot hide your address: play without relay only, or elsewhere.',
        )
      : undefined;

  const handlers: Handlers = {
    'create-room': async (socket, { name, relayOnly = false, ...key }) => {
      const refusal = lacksRelay(relayOnly);
      return refusal ? { reply: refusal } : takeSeat(socket, () => rooms.create({ ...key, relayOnly }, name));
    },

    'join-room': (socket, { code, game, name }) =>
      takeSeat(socket, async () => {
        const outcome = await rooms.join(code, game, name);
        if (!outcome.ok) await limits.failedJoin(socket.data.address);
        return outcome;
      }),

    'quick-match': async (socket, { name, relayOnly = false, ...key }) => {
      const refusal = lacksRelay(relayOnly);
      return refusal
        ? { reply: refusal }
        : takeSeat(socket, () => quickMatch(rooms, store, { ...key, relayOnly }, name));
    },

    'resume-seat': async (socket, request) => {
      if (socket.data.seat !== undefined) return { reply: alreadyInRoom(socket.data.seat.room) };
      if (!(await limits.admitResume(socket.data.address))) return { reply: tooFast() };
      return seating.resume(socket, request);
    },

    'confirm-seat': async (socket, { secret }) => {
      const { seat } = socket.data;
      if (seat === undefined) return { reply: notInRoom() };
      await rooms.confirm(seat.room, seat.id, secret);
      return { reply: { ok: true } };
    },

    'leave-room': async (socket) => {
      await seating.leave(socket);
      return { reply: { ok: true } };
    },

    'pair-again': async (socket, { pairing }) => {
      const { seat } = socket.data;
      const room = seat === undefined ? undefined : await rooms.find(seat.room);
      if (seat === undefined || room === undefined) return { reply: notInRoom() };
      if (room.seats.length < room.size) return { reply: peerGone() };
      const someoneAway = room.seats.some(({ awaySince }) => awaySince !== undefined);
      const reply = { ok: true as const, waiting: someoneAway };
      // The other side was faster, and this one is about to hear of it.
      if (pairing < room.pairing) return { reply };
      if (!(await limits.admitPairing(room.code))) return { reply: tooFast() };
      return { reply, after: () => seating.pair(room.code, room.pairing).then(() => undefined) };
    },

    'ice-servers': async (socket) => {
      const { seat } = socket.data;
      const room = seat === undefined ? undefined : await rooms.find(seat.room);
      if (seat === undefined || room === undefined) return { reply: notInRoom() };
      // A credential opens a relay that costs money: nobody gets one without somebody to talk to.
      if (room.pairing === 0 || room.seats.length < room.size) return { reply: peerGone() };
      if (!(await limits.admitIceServers(seat.id))) return { reply: tooFast() };
      return { reply: { ok: true, iceServers: ice.serversFor(seat.id, room.relayOnly) } };
    },

    signal: async (socket, { to, pairing, data }) => {
      const from = socket.data.seat;
      if (from === undefined) return { reply: notInRoom() };
      const peer = await rooms.peerOf(from.room, from.id, to, pairing);
      if (!peer.ok) return { reply: peer };
      io.to(peer.value.id).emit('signal', { from: from.id, pairing, data });
      return { reply: { ok: true } };
    },
  };

  // A Map, so that no name of an event reaches a prototype.
  const byEvent = new Map<string, (socket: PeerSocket, payload: unknown) => Promise<Answer>>();
  const register = <E extends ClientEvent>(event: E) => {
    byEvent.set(event, async (socket, payload) => {
      const parsed = parseClientRequest(event, payload);
      return parsed.ok
        ? handlers[event](socket, parsed.value)
        : { reply: refuse(SignalingErrorCode.BadRequest, `${event}: ${parsed.message}`) };
    });
  };
  for (const event of Object.keys(handlers)) register(event as ClientEvent); // the keys of the typed table above

  return async (socket, event, payload) => {
    const handler = byEvent.get(event);
    return handler === undefined
      ? { reply: refuse(SignalingErrorCode.BadRequest, 'there is no such event') }
      : handler(socket, payload);
  };
}

function alreadyInRoom(room: string) {
  return refuse(SignalingErrorCode.AlreadyInRoom, `You are in match ${room} already: leave it first.`);
}

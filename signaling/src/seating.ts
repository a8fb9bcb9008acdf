/**
 * Which connection holds which seat, and what those in a room are told of each other.
 *
 * A seat outlives its connection for a while: its owner comes back with the seat's secret and gets a new one.
 */
import { type ClientRequest, PeerLeftReason, type ReplyTo, RoomClosedReason } from '@riposte/shared/protocol';
import type { Logger } from 'pino';
import type { IceSource } from './ice.js';
import type { Limits } from './limits.js';
import type { MountedPeerServer } from './peer-server.js';
import { seatInUse, tooFast } from './refusals.js';
import { type Entry, pairsOf, type Rooms } from './rooms.js';
import type { Answer, PeerSocket, SignalingServer } from './socket-types.js';
import type { Room, Seat } from './store/store.js';
import type { Timers } from './timers.js';

/** Milliseconds in which a connection that holds a seat answers, or loses it to whoever shows the seat's secret. */
const STILL_THERE_MS = 1_000;

/** How often a seat may change hands while it is being taken back. Twice is two tabs reloaded at once. */
const RESUME_TRIES = 3;

export interface SeatingOptions {
  io: SignalingServer;
  rooms: Rooms;
  ice: IceSource;
  peerServer: MountedPeerServer;
  limits: Limits;
  timers: Timers;
  log: Logger;
}

export class Seating {
  readonly #options: SeatingOptions;
  readonly #bySeat = new Map<string, PeerSocket>();

  constructor(options: SeatingOptions) {
    this.#options = options;
  }

  /** The connections that hold a seat. */
  get sockets(): PeerSocket[] {
    return [...this.#bySeat.values()];
  }

  /** Gives a seat just taken to the connection. */
  async seat(socket: PeerSocket, { grant, room }: Entry): Promise<void> {
    const hold = room.seats.find(({ id }) => id === grant.seat)?.hold ?? 1;
    socket.data.seat = { room: room.code, id: grant.seat, hold };
    this.#bySeat.set(grant.seat, socket);
    await socket.join(grant.seat);
    this.#options.log.info({ room: room.code, seat: grant.seat, player: grant.player, hold }, 'seat taken');
  }

  /** Takes the seat from the connection; the room knows nothing of it yet. */
  release(socket: PeerSocket): void {
    const { seat } = socket.data;
    if (seat === undefined) return;
    if (this.#bySeat.get(seat.id) === socket) this.#bySeat.delete(seat.id);
    void socket.leave(seat.id);
    socket.data.seat = undefined;
  }

  /** Frees the connection's seat by its owner's will. */
  async leave(socket: PeerSocket): Promise<void> {
    const { seat } = socket.data;
    if (seat === undefined) return;
    this.release(socket);
    const room = await this.#options.rooms.leave(seat.room, seat.id);
    if (room !== undefined) this.#tellLeft(room, seat.id, PeerLeftReason.Left);
  }

  /** The connection ended: its seat waits for the owner. */
  async disconnected(socket: PeerSocket): Promise<void> {
    const { seat } = socket.data;
    if (seat === undefined) return;
    this.release(socket);
    const room = await this.#options.rooms.away(seat.room, seat.id, seat.hold);
    if (room !== undefined) this.#tellOthers(room, seat.id, 'peer-away');
  }

  /** Gives a seat back to its owner on a new connection. */
  async resume(socket: PeerSocket, request: ClientRequest<'resume-seat'>): Promise<Answer<ReplyTo<'resume-seat'>>> {
    const { rooms, limits, log } = this.#options;
    for (let attempt = 0; attempt < RESUME_TRIES; attempt++) {
      const claim = await rooms.claim(request.room, request.seat, request.secret);
      if (!claim.ok) return { reply: claim };
      const { room, seat } = claim.value;
      if (!(await limits.admitResumeOf(seat.id))) return { reply: tooFast() };
      // Its own old connection, which the network has cut without a word, does not answer; another tab's does.
      if (seat.awaySince === undefined && (await this.#answers(seat.id))) {
        log.info({ room: room.code, seat: seat.id }, 'seat in use: resume refused');
        return { reply: seatInUse() };
      }
      const entry = await rooms.resume(claim.value, request.secret);
      // Somebody else took it back meanwhile, with the same secret: ask that connection.
      if (entry === undefined) continue;
      this.#supplant(seat.id, room.code);
      await this.seat(socket, entry);
      return {
        reply: { ok: true, ...entry.grant, started: entry.room.started, peers: peersOf(entry.room, seat.id) },
        after: () => this.#cameBack(entry.room, seat, request.pairing),
      };
    }
    return { reply: seatInUse() };
  }

  /** Makes the pairing after `after` and tells both seats of it; `false`: somebody is away, or it has been made. */
  async pair(code: string, after: number): Promise<boolean> {
    const { rooms, log } = this.#options;
    const room = await rooms.pair(code, after);
    if (room === undefined) return false;
    for (const { initiator, responder } of pairsOf(room)) {
      this.#tellPair(room, initiator, responder, true);
      this.#tellPair(room, responder, initiator, false);
    }
    log.info({ room: code, pairing: room.pairing, seats: room.seats.map(({ id }) => id) }, 'paired');
    // Whoever left or lost the connection meanwhile was not announced to people who knew nothing of them yet.
    const now = await rooms.find(code);
    for (const { id } of room.seats) {
      const seat = now?.seats.find((each) => each.id === id);
      if (now === undefined) break;
      if (seat === undefined) this.#tellLeft(now, id, PeerLeftReason.Disconnected);
      else if (seat.awaySince !== undefined) this.#tellOthers(now, id, 'peer-away');
    }
    return true;
  }

  /** Frees the seats whose owners did not come back in time, and tells those who stay. */
  async expireSeats(): Promise<void> {
    for (const { room, seat } of await this.#options.rooms.expireSeats()) {
      this.#tellLeft(room, seat, PeerLeftReason.Disconnected);
    }
  }

  /** Closes rooms that were idle for too long and tells those in them; gives how many. */
  async expireRooms(): Promise<number> {
    const expired = await this.#options.rooms.expire();
    for (const room of expired) {
      for (const { id } of room.seats) {
        this.#options.io.to(id).emit('room-closed', { room: room.code, reason: RoomClosedReason.Expired });
        const socket = this.#bySeat.get(id);
        if (socket !== undefined) this.release(socket);
      }
    }
    return expired.length;
  }

  async #cameBack(room: Room, before: Seat, seen: number): Promise<void> {
    // A seat that changed hands without a break was not missed by anybody.
    if (before.awaySince !== undefined) this.#tellOthers(room, before.id, 'peer-back');
    // It missed a pairing, or begins from nothing, or others wait for it.
    if (room.started && (seen < room.pairing || room.pairing === 0 || room.pairingWanted)) {
      await this.pair(room.code, room.pairing);
    }
  }

  /** Whether the connection that holds the seat is alive. */
  #answers(seat: string): Promise<boolean> {
    const socket = this.#bySeat.get(seat);
    if (socket === undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (alive: boolean) => {
        callOff();
        socket.off('disconnect', onDisconnect);
        resolve(alive);
      };
      const callOff = this.#options.timers.after(STILL_THERE_MS, () => settle(false));
      const onDisconnect = () => settle(false);
      socket.once('disconnect', onDisconnect);
      socket.emit('still-there', {}, () => settle(true));
    });
  }

  /** Ends the connection that held the seat until now. */
  #supplant(seat: string, room: string): void {
    const old = this.#bySeat.get(seat);
    if (old === undefined) return;
    this.release(old);
    old.emit('seat-taken', { room });
    old.disconnect(true);
  }

  #tellPair(room: Room, seat: Seat, peer: Seat, initiator: boolean): void {
    const { io, ice, peerServer } = this.#options;
    const paired = { room: room.code, pairing: room.pairing, seat: seat.id, peer: peer.id };
    io.to(seat.id).emit('paired', {
      room: room.code,
      pairing: room.pairing,
      player: seat.player,
      initiator,
      peer: nameOf(peer),
      iceServers: ice.serversFor(seat.id, room.relayOnly),
      relayOnly: room.relayOnly,
      ...(room.transport === 'peerjs' && { peerServer: peerServer.passFor(paired) }),
    });
  }

  #tellLeft(room: Room, seat: string, reason: PeerLeftReason): void {
    for (const { id } of room.seats) this.#options.io.to(id).emit('peer-left', { seat, reason });
    this.#options.log.info({ room: room.code, seat, reason }, 'seat left');
  }

  #tellOthers(room: Room, seat: string, event: 'peer-away' | 'peer-back'): void {
    for (const { id } of room.seats) if (id !== seat) this.#options.io.to(id).emit(event, { seat });
    this.#options.log.debug({ room: room.code, seat }, event);
  }
}

function nameOf({ id, player, name }: Seat): { seat: string; player: number; name?: string } {
  return { seat: id, player, ...(name === undefined ? {} : { name }) };
}

function peersOf(room: Room, seat: string) {
  return room.seats
    .filter(({ id }) => id !== seat)
    .map((peer) => ({ ...nameOf(peer), away: peer.awaySince !== undefined }));
}

/**
 * Which connection holds which seat, and what those in a room are told of each other.
 *
 * A seat outlives its connection for a while: its owner comes back with the seat's secret and gets a new one.
 */
import {
  type ClientRequest,
  PeerLeftReason,
  type ReplyTo,
  RoomClosedReason,
  type SeatGrant,
} from '@riposte/shared/protocol';
import type { Logger } from 'pino';
import type { IceSource } from './ice.js';
import type { Limits } from './limits.js';
import type { Matchmaking, Merger } from './matchmaking.js';
import type { MountedPeerServer } from './peer-server.js';
import { seatInUse, tooFast } from './refusals.js';
import { type Entry, peerSeatOf, placeOf, type Rooms } from './rooms.js';
import type { Answer, PeerSocket, SignalingServer } from './socket-types.js';
import { playersOf, type Room, type Seat, type SeenPairing, seatOf } from './store/room.js';
import type { Step } from './store/store.js';
import type { Timers } from './timers.js';

/** Milliseconds in which a connection that holds a seat answers, or loses it to whoever shows the seat's secret. */
const STILL_THERE_MS = 1_000;

/** How often a seat may change hands while it is being taken back. Twice is two tabs reloaded at once. */
const RESUME_TRIES = 3;

export interface SeatingOptions {
  io: SignalingServer;
  rooms: Rooms;
  matchmaking: Matchmaking;
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

  /** Gives a seat just taken to the connection, and tells those in the room. `arrived` has to follow. */
  async seat(socket: PeerSocket, { grant, hold, step }: Entry): Promise<void> {
    socket.data.seat = { room: grant.room, id: grant.seat, hold };
    this.#bySeat.set(grant.seat, socket);
    await socket.join(grant.seat);
    const { room, seat, player } = grant;
    this.#options.log.info({ room, seat, player, hold }, 'seat taken');
    if (step !== undefined) this.#tell(step);
  }

  /**
   * The connection was told that it holds the seat. From here on the seat is paired; what it missed of `seen` at once.
   */
  async arrived(socket: PeerSocket, grant: SeatGrant, seen: readonly SeenPairing[] = []): Promise<void> {
    const { seat } = socket.data;
    const step = seat && (await this.#options.rooms.arrive(seat.id, seat.hold, seen));
    if (step === undefined) return;
    if (!isAsGranted(step.after, grant)) this.#tellPlace(step.after, grant.seat);
    this.#tell(step);
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
    const step = await this.#options.rooms.leave(seat.id);
    if (step !== undefined) this.#tell(step, PeerLeftReason.Left);
  }

  /** The connection ended: its seat waits for the owner. */
  async disconnected(socket: PeerSocket): Promise<void> {
    const { seat } = socket.data;
    if (seat === undefined) return;
    this.release(socket);
    const step = await this.#options.rooms.away(seat.id, seat.hold);
    if (step !== undefined) this.#tell(step);
  }

  /** Gives a seat back to its owner on a new connection. */
  async resume(socket: PeerSocket, request: ClientRequest<'resume-seat'>): Promise<Answer<ReplyTo<'resume-seat'>>> {
    const { rooms, limits, log } = this.#options;
    for (let attempt = 0; attempt < RESUME_TRIES; attempt++) {
      const claim = await rooms.claim(request.seat, request.secret);
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
      const { grant } = entry;
      return { reply: { ok: true, ...grant }, after: () => this.arrived(socket, grant, request.pairings) };
    }
    return { reply: seatInUse() };
  }

  /** Makes the pairing of two seats that follows `after`, or lets it wait for one that is away. */
  async pairAgain(seat: string, other: string, after: number): Promise<void> {
    const step = await this.#options.rooms.pairAgain(seat, other, after);
    if (step !== undefined) this.#tell(step);
  }

  /** Looks again at everybody who waits for a quick match. */
  async matchWaiting(): Promise<void> {
    for (const merger of await this.#options.matchmaking.look()) this.merged(merger);
  }

  /** Two quick matches became one: tells those who were moved where they are, and everybody of each other. */
  merged({ step, moved }: Merger): void {
    for (const { id } of moved.seats) this.#tellPlace(step.after, id);
    this.#tell(step);
  }

  /** Frees the seats whose owners did not come back in time, and tells those who stay. */
  async expireSeats(): Promise<void> {
    for (const step of await this.#options.rooms.expireSeats()) this.#tell(step);
  }

  /** Closes rooms that were idle for too long and tells those in them; gives how many. */
  async expireRooms(): Promise<number> {
    const expired = await this.#options.rooms.expire();
    for (const room of expired) this.#close(room, RoomClosedReason.Expired);
    return expired.length;
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

  /** Tells everybody in a room what a step changed for them. */
  #tell({ before, after }: Step, reason: PeerLeftReason = PeerLeftReason.Disconnected): void {
    const { log } = this.#options;
    const room = after.code;
    if (playersOf(after).length === 0) {
      log.info({ room }, 'room ended');
      this.#close(after, RoomClosedReason.Ended);
      return;
    }
    for (const { id: seat } of before.seats.filter(({ id }) => seatOf(after, id) === undefined)) {
      log.info({ room, seat, reason }, 'seat left');
      for (const { id } of after.seats) this.#options.io.to(id).emit('peer-left', { seat, reason });
    }
    for (const seat of after.seats) {
      const earlier = seatOf(before, seat.id);
      if (earlier === undefined) {
        for (const { id } of before.seats) this.#options.io.to(id).emit('peer-joined', peerSeatOf(seat));
      } else if ((earlier.awaySince === undefined) !== (seat.awaySince === undefined)) {
        const event = seat.awaySince === undefined ? 'peer-back' : 'peer-away';
        log.debug({ room, seat: seat.id }, event);
        for (const { id } of after.seats) if (id !== seat.id) this.#options.io.to(id).emit(event, { seat: seat.id });
      }
    }
    for (const { initiator, responder, number } of after.pairs) {
      const earlier = before.pairs.find((pair) => pair.initiator === initiator && pair.responder === responder);
      const [one, two] = [seatOf(after, initiator), seatOf(after, responder)];
      if (one === undefined || two === undefined || number === 0 || number === earlier?.number) continue;
      log.info({ room, pairing: number, seats: [initiator, responder] }, 'paired');
      this.#tellPair(after, number, one, two, true);
      this.#tellPair(after, number, two, one, false);
    }
  }

  /** A room is over for those who are in it. */
  #close(room: Room, reason: RoomClosedReason): void {
    for (const { id } of room.seats) {
      this.#options.io.to(id).emit('room-closed', { room: room.code, reason });
      const socket = this.#bySeat.get(id);
      if (socket !== undefined) this.release(socket);
    }
  }

  #tellPlace(room: Room, seat: string): void {
    const socket = this.#bySeat.get(seat);
    if (socket?.data.seat !== undefined) socket.data.seat = { ...socket.data.seat, room: room.code };
    this.#options.io.to(seat).emit('seat-place', placeOf(room, seat));
    this.#options.log.debug({ room: room.code, seat }, 'seat placed');
  }

  #tellPair(room: Room, pairing: number, seat: Seat, peer: Seat, initiator: boolean): void {
    const { io, ice, peerServer } = this.#options;
    const paired = { room: room.code, pairing, seat: seat.id, peer: peer.id };
    io.to(seat.id).emit('paired', {
      room: room.code,
      pairing,
      player: seat.player,
      initiator,
      peer: peerSeatOf(peer),
      iceServers: ice.serversFor(seat.id, room.relayOnly),
      relayOnly: room.relayOnly,
      ...(room.transport === 'peerjs' && { peerServer: peerServer.passFor(paired) }),
    });
  }
}

/** Whether nothing changed between the taking of a seat and its owner's knowing of it. */
function isAsGranted(room: Room, { room: code, player, peers, seat }: SeatGrant): boolean {
  const others = room.seats.filter(({ id }) => id !== seat);
  return (
    room.code === code &&
    seatOf(room, seat)?.player === player &&
    others.length === peers.length &&
    peers.every((peer) => seatOf(room, peer.seat) !== undefined)
  );
}

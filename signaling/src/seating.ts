/**
 * Who takes which seat, and what those in a room are told of each other.
 *
 * A seat outlives its connection for a while: its owner comes back with the seat's secret and gets a new one.
 */
import type { ClientRequest, PeerLeftReason, ReplyTo, RoomClosedReason, SeatGrant } from '@riposte/shared/protocol';
import type { Logger } from 'pino';
import type { Connections } from './connections.js';
import type { IceSource } from './ice.js';
import type { Limits } from './limits.js';
import type { Matchmaking, Merger } from './matchmaking.js';
import type { Metrics } from './metrics.js';
import type { MountedPeerServer } from './peer-server.js';
import { seatInUse, tooFast } from './refusals.js';
import { type Entry, peerSeatOf, placeOf, type Rooms } from './rooms.js';
import type { Answer, PeerSocket } from './socket-types.js';
import { type Soon, soon } from './soon.js';
import { playersOf, type Room, type Seat, type SeenPairing, seatOf } from './store/room.js';
import type { Step } from './store/store.js';

/** How often a seat may change hands while it is being taken back. Twice is two tabs reloaded at once. */
const RESUME_TRIES = 3;

export interface SeatingOptions {
  connections: Connections;
  rooms: Rooms;
  matchmaking: Matchmaking;
  ice: IceSource;
  peerServer: MountedPeerServer;
  limits: Limits;
  metrics: Metrics;
  log: Logger;
}

export class Seating {
  readonly #options: SeatingOptions;

  constructor(options: SeatingOptions) {
    this.#options = options;
  }

  /** Gives a seat just taken to the connection, and tells those in the room. `arrived` has to follow. */
  async seat(socket: PeerSocket, { grant, hold, step }: Entry): Promise<void> {
    const { room, seat, player } = grant;
    await this.#options.connections.take(socket, room, { id: seat, hold });
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
    const present = seatOf(step.after, grant.seat);
    if (present !== undefined && !isAsGranted(step.after, grant)) this.#tellPlace(step.after, present);
    this.#tell(step);
  }

  /** Frees the connection's seat by its owner's will. */
  leave(socket: PeerSocket): Soon<void> {
    const { seat } = socket.data;
    if (seat === undefined) return;
    this.#options.connections.release(socket);
    return soon(this.#options.rooms.leave(seat.id), (step) => {
      if (step !== undefined) this.#tell(step, 'left');
    });
  }

  /** The connection ended: its seat waits for the owner. */
  async disconnected(socket: PeerSocket): Promise<void> {
    const { seat } = socket.data;
    if (seat === undefined) return;
    this.#options.connections.release(socket);
    const step = await this.#options.rooms.away(seat.id, seat.hold);
    if (step !== undefined) this.#tell(step);
  }

  /** Gives a seat back to its owner on a new connection. */
  async resume(socket: PeerSocket, request: ClientRequest<'resume-seat'>): Promise<Answer<ReplyTo<'resume-seat'>>> {
    const { connections, rooms, limits, log } = this.#options;
    for (let attempt = 0; attempt < RESUME_TRIES; attempt++) {
      const claim = await rooms.claim(request.seat, request.secret);
      if (!claim.ok) return { reply: claim };
      const { room, seat } = claim.value;
      if (!(await limits.admitResumeOf(seat.id))) return { reply: tooFast() };
      // Its own old connection, which the network has cut without a word, does not answer; another tab's does.
      if (seat.awaySince === undefined && (await connections.answers(seat))) {
        log.info({ room: room.code, seat: seat.id }, 'seat in use: resume refused');
        return { reply: seatInUse() };
      }
      const entry = await rooms.resume(claim.value, request.secret);
      // Somebody else took it back meanwhile, with the same secret: ask that connection.
      if (entry === undefined) continue;
      connections.supplant(seat, room.code);
      await this.seat(socket, entry);
      const { grant } = entry;
      return {
        reply: { ok: true, ...grant },
        seated: entry,
        after: () => this.arrived(socket, grant, request.pairings),
      };
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
    for (const { id } of moved.seats) {
      const seat = seatOf(step.after, id);
      if (seat !== undefined) this.#tellPlace(step.after, seat);
    }
    this.#tell(step);
  }

  /** Frees the seats whose owners did not come back in time, and tells those who stay. */
  async expireSeats(): Promise<void> {
    for (const step of await this.#options.rooms.expireSeats()) this.#tell(step);
  }

  /** Marks the seats of the server `node` as away whose connections are lost, and tells those in their rooms. */
  async lose(node: string, isLost?: (seat: Seat) => boolean): Promise<void> {
    for (const step of await this.#options.rooms.lose(node, isLost)) this.#tell(step);
  }

  /** Closes rooms that were idle for too long and tells those in them; gives how many. */
  async expireRooms(): Promise<number> {
    const expired = await this.#options.rooms.expire();
    for (const room of expired) this.#close(room, 'expired');
    return expired.length;
  }

  /** Tells everybody in a room what a step changed for them. */
  #tell({ before, after }: Step, reason: PeerLeftReason = 'disconnected'): void {
    const { connections, metrics, log } = this.#options;
    const room = after.code;
    if (after.started && !before.started) metrics.matchStarted(after.size);
    if (playersOf(after).length === 0) {
      log.info({ room }, 'room ended');
      this.#close(after, 'ended');
      return;
    }
    for (const { id: seat } of before.seats.filter(({ id }) => seatOf(after, id) === undefined)) {
      log.info({ room, seat, reason }, 'seat left');
      for (const other of after.seats) connections.tell(other, 'peer-left', { seat, reason });
    }
    for (const seat of after.seats) {
      const earlier = seatOf(before, seat.id);
      if (earlier === undefined) {
        for (const other of before.seats) connections.tell(other, 'peer-joined', peerSeatOf(seat));
      } else if ((earlier.awaySince === undefined) !== (seat.awaySince === undefined)) {
        const event = seat.awaySince === undefined ? 'peer-back' : 'peer-away';
        log.debug({ room, seat: seat.id }, event);
        for (const other of after.seats) {
          if (other !== seat) connections.tell(other, event, { seat: seat.id });
        }
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
    for (const seat of room.seats) this.#options.connections.tell(seat, 'room-closed', { room: room.code, reason });
  }

  #tellPlace(room: Room, seat: Seat): void {
    this.#options.connections.tell(seat, 'seat-place', placeOf(room, seat.id));
    this.#options.log.debug({ room: room.code, seat: seat.id }, 'seat placed');
  }

  #tellPair(room: Room, pairing: number, seat: Seat, peer: Seat, initiator: boolean): void {
    const { connections, ice, peerServer } = this.#options;
    const paired = { room: room.code, pairing, seat: seat.id, peer: peer.id };
    connections.tell(seat, 'paired', {
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

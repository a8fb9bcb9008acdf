/**
 * The connections that hold seats: those of this server, and by the store's name for them those of the servers that
 * share it.
 */
import type { ServerEvent, ServerMessage, ServerToClientEvents } from '@riposte/shared/protocol';
import type { PeerSocket, SignalingServer } from './socket-types.js';
import type { Timers } from './timers.js';

/**
 * Milliseconds in which a connection that holds a seat answers, or loses it to whoever shows the seat's secret. A page behind
 * another tab, which was just opened as its copy, may have a busy processor to wait for.
 */
const STILL_THERE_MS = 2_000;

/** A seat as one of its connections holds it. */
export interface Held {
  id: string;
  /** Which of the seat's connections. */
  hold: number;
}

export interface ConnectionsOptions {
  io: SignalingServer;
  /** Whether other servers share the store. */
  shared: boolean;
  timers: Timers;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #bySeat = new Map<string, PeerSocket>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** The connections of this server that hold a seat. */
  get here(): PeerSocket[] {
    return [...this.#bySeat.values()];
  }

  /** Whether a connection of this server holds the seat. */
  isHere(seat: Held): boolean {
    return this.#find(seat) !== undefined;
  }

  /** Seats of this server that negotiated at `since` or later. */
  negotiatingSince(since: number): number {
    return this.here.filter(({ data: { seat } }) => seat !== undefined && seat.negotiatedAt >= since).length;
  }

  /** Gives a seat to a connection of this server. */
  async take(socket: PeerSocket, room: string, { id, hold }: Held): Promise<void> {
    socket.data.seat = { room, id, hold, negotiatedAt: Number.NEGATIVE_INFINITY };
    this.#bySeat.set(id, socket);
    if (this.#options.shared) await socket.join(nameOf({ id, hold }));
  }

  /** Takes the seat from a connection of this server. */
  release(socket: PeerSocket): void {
    const { seat } = socket.data;
    if (seat === undefined) return;
    if (this.#bySeat.get(seat.id) === socket) this.#bySeat.delete(seat.id);
    if (this.#options.shared) void socket.leave(nameOf(seat));
    socket.data.seat = undefined;
  }

  /** Tells the connection that holds the seat, wherever it is. */
  tell<E extends ServerEvent>(seat: Held, event: E, message: ServerMessage<E>): void;
  tell(seat: Held, event: ServerEvent, ...message: Parameters<ServerToClientEvents[ServerEvent]>): void {
    const { io, shared } = this.#options;
    const socket = this.#find(seat);
    if (socket !== undefined) socket.emit(event, ...message);
    else if (shared) io.to(nameOf(seat)).emit(event, ...message);
  }

  /** A connection of this server is told something, whichever server says so: it follows. */
  told(socket: PeerSocket, event: string, message: unknown): void {
    const { seat } = socket.data;
    if (seat === undefined) return;
    if (event === 'signal' || event === 'paired') seat.negotiatedAt = this.#options.timers.now();
    else if (event === 'seat-place') seat.room = roomIn(message) ?? seat.room;
    else if (event === 'room-closed' && roomIn(message) === seat.room) this.release(socket);
  }

  /** A seat of this server negotiates by other means than signals. */
  negotiates(seat: string): void {
    const held = this.#bySeat.get(seat)?.data.seat;
    if (held !== undefined) held.negotiatedAt = this.#options.timers.now();
  }

  /** Whether the connection that holds the seat is alive. */
  answers(seat: Held): Promise<boolean> {
    const { io, shared, timers } = this.#options;
    const socket = this.#find(seat);
    return new Promise((resolve) => {
      if (socket === undefined) {
        // The servers that are left say how many connections they asked: a dead one keeps nobody waiting.
        if (shared) {
          io.timeout(STILL_THERE_MS)
            .to(nameOf(seat))
            .emit('still-there', {}, (_error: unknown, answers: unknown[]) => resolve(answers.length > 0));
        } else resolve(false);
        return;
      }
      const settle = (alive: boolean) => {
        callOff();
        socket.off('disconnect', onDisconnect);
        resolve(alive);
      };
      const callOff = timers.after(STILL_THERE_MS, () => settle(false));
      const onDisconnect = () => settle(false);
      socket.once('disconnect', onDisconnect);
      socket.emit('still-there', {}, () => settle(true));
    });
  }

  /** Ends the connection that held the seat until now. */
  supplant(seat: Held, room: string): void {
    const { io, shared } = this.#options;
    const socket = this.#find(seat);
    if (socket !== undefined) {
      this.release(socket);
      socket.emit('seat-taken', { room });
      socket.disconnect(true);
    } else if (shared) {
      io.to(nameOf(seat)).emit('seat-taken', { room });
      io.in(nameOf(seat)).disconnectSockets(true);
    }
  }

  #find({ id, hold }: Held): PeerSocket | undefined {
    const socket = this.#bySeat.get(id);
    return socket?.data.seat?.hold === hold ? socket : undefined;
  }
}

/** Names a connection to all servers. One that held the seat before has another name. */
export function nameOf({ id, hold }: Held): string {
  return `${id}.${hold}`;
}

/** The room that a message of ours is about. */
function roomIn(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('room' in message)) return undefined;
  return typeof message.room === 'string' ? message.room : undefined;
}

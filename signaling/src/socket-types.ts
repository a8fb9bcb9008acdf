import type { ClientEvent, ClientToServerEvents, ReplyTo, ServerToClientEvents } from '@riposte/shared/protocol';
import type { Server, ServerOptions, Socket } from 'socket.io';
import type { Entry } from './rooms.js';
import type { Soon } from './soon.js';
import type { Turns } from './turns.js';

/** What the server keeps with each connection. */
export interface SocketData {
  /** Where it comes from, as an `addressKey`. */
  address: string;
  /**
   * The seat this connection holds, as the `hold`th to do so, in which room, and when it last negotiated with another
   * player, in milliseconds on the server's clock.
   */
  seat: { room: string; id: string; hold: number; negotiatedAt: number } | undefined;
  /** Runs jobs of this connection one after the other, so that no two of its requests cross. */
  enqueue: Turns['take'];
}

// The third parameter is what servers say to each other: nothing.
export type SignalingServer = Server<ClientToServerEvents, ServerToClientEvents, Record<never, never>, SocketData>;
/** How servers speak to each other's connections. */
export type AdapterConstructor = NonNullable<ServerOptions['adapter']>;
export type PeerSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<never, never>, SocketData>;

/** `after` runs once the reply is on its way, so that nobody hears of a pairing before their own seat. */
export interface Answer<R = ReplyTo<ClientEvent>> {
  reply: R;
  /** The seat that the connection got. */
  seated?: Entry;
  /** Runs in place of the reply where none was asked for. */
  unasked?: () => void;
  after?: () => Soon<void>;
}

/**
 * The two lanes of a peer connection.
 *
 * - `reliable`: ordered and retransmitted; handshake, state transfer, reports.
 * - `unreliable`: unordered, sent once (`maxRetransmits: 0`); one packet per tick.
 */
export type Channel = 'reliable' | 'unreliable';

export type TransportKind = 'simple-peer' | 'peerjs' | 'loopback';

/** The way of a connection's packets: between the two themselves, or by a relay. */
export type Route = 'direct' | 'relayed';

/** What a transport tells its owner. Set once, before the first message can arrive. */
export interface TransportEvents {
  /** `bytes` is the receiver's to keep. */
  message(channel: Channel, bytes: Uint8Array): void;
  /** Called once; nothing arrives afterwards. `reason` is a sentence for people. */
  close(reason: string): void;
}

/** An open connection to one peer. A function that makes one resolves when both lanes can send. */
export interface Transport {
  readonly kind: TransportKind;
  /** Takes over the events; messages that came earlier are delivered first, in order. */
  listen(events: TransportEvents): void;
  /**
   * Sends a copy of `bytes`; the caller may reuse the buffer at once. On a closed transport this does nothing.
   * The unreliable lane drops a message rather than queue behind a clogged link.
   */
  send(channel: Channel, bytes: Uint8Array): void;
  /**
   * Looks for new network paths for this connection, whose lanes live on. False where it cannot, or where that is under
   * way: whoever then hears nothing makes a new connection.
   */
  restart(): boolean;
  /** Which way it takes now; null where that is not known. Absent where there is no network. */
  route?(): Promise<Route | null>;
  /** Closes both lanes; the other side's `close` follows. Idempotent. */
  close(): void;
}

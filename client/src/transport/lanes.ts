import { loadPart } from '../load-part.js';
import type { Channel, Route, Transport, TransportEvents, TransportKind } from './transport.js';
import { TransportError } from './transport-error.js';

/** Both sides open this channel by themselves. Free: ids up to 1023 always are, and the reliable one gets 0 or 1. */
const UNRELIABLE_ID = 101;

/** Bytes of one reliable message: what Chromium and libwebrtc announce as their limit, the lowest in use. */
export const RELIABLE_MESSAGE_BYTES_MAX = 256 * 1024;

/**
 * Bytes queued on the unreliable lane before it drops: a few packets. SCTP slows down at loss; what waits in its queue
 * is old when it leaves, and the next packet holds all of it. 4 KiB cost a second of lag at 10 % loss and 120 ms.
 */
const UNRELIABLE_QUEUE_BYTES_MAX = 256;

/**
 * After the lane was clogged, packets leave at most this often for a while: every second one at 60 Hz, which holds what the
 * one before had. After losses SCTP may have a single datagram's worth under way, and where all of that is lost it stands
 * still until a timer of up to seconds runs out. At 120 ms, 20 ms of jitter and 10 % loss, 1,800 frames met 167 to 445
 * stalled ticks in place of 1,050 to 1,530 (two Chromium pages, a link made bad by the kernel).
 */
const SPARING_GAP_MS = 25;
const SPARING_MS = 30_000;

/** Bytes kept for an owner who does not listen yet; owners listen at once, so only a hostile peer gets here. */
const EARLY_BYTES_MAX = 1024 * 1024;

/** Milliseconds for both channels' closing handshakes, which also deliver what was sent last. */
const CLOSE_MS_MAX = 1_000;

type State = 'connecting' | 'open' | 'closed';

export interface LanesEvents {
  /** Both lanes can send. */
  open(): void;
  /** The connection ended before that. */
  failed(cause: Error | undefined): void;
  /** Looks for new paths; see `Transport.restart`. Absent where what made the connection cannot. */
  restart?(): boolean;
  /** Nobody needs the connection beneath any more. Called once, also after `failed`. */
  release(): void;
}

/** The two lanes over the data channels of one connection, whoever made it. */
export class Lanes implements Transport {
  readonly kind: TransportKind;
  readonly #owner: LanesEvents;
  #connection: RTCPeerConnection | undefined;
  #reliable: RTCDataChannel | undefined;
  #unreliable: RTCDataChannel | undefined;
  #state: State = 'connecting';
  #isSettling = false;
  #released = false;
  #closing: ReturnType<typeof setTimeout> | undefined;
  #events: TransportEvents | undefined;
  #early: { channel: Channel; bytes: Uint8Array }[] = [];
  #earlyBytes = 0;
  #closeReason: string | undefined;
  /** When the last packet left, and until when they are spared. */
  #packetMs = Number.NEGATIVE_INFINITY;
  #sparingUntilMs = Number.NEGATIVE_INFINITY;

  constructor(kind: TransportKind, owner: LanesEvents) {
    this.kind = kind;
    this.#owner = owner;
  }

  /**
   * Opens the unreliable lane, and takes the reliable one when the other side made it. To be called before the
   * connection is negotiated.
   */
  attach(connection: RTCPeerConnection): void {
    this.#connection = connection;
    this.#unreliable = this.#adopt(
      'unreliable',
      connection.createDataChannel('unreliable', {
        negotiated: true,
        id: UNRELIABLE_ID,
        ordered: false,
        maxRetransmits: 0,
      }),
    );
    connection.addEventListener('datachannel', ({ channel }) => {
      if (this.#reliable === undefined) void this.#settle(connection);
      this.adoptReliable(channel);
    });
  }

  /**
   * Takes messages straight from the channel, as it is where the library above it queues, or delivers by timers. This
   * must be done in the turn in which the channel appears: its messages come from the next turn on.
   */
  adoptReliable(channel: RTCDataChannel): void {
    if (this.#reliable !== undefined) {
      channel.close();
      return;
    }
    this.#reliable = this.#adopt('reliable', channel);
    this.#checkOpen();
  }

  listen(events: TransportEvents): void {
    this.#events = events;
    this.#earlyBytes = 0;
    for (const { channel, bytes } of this.#early.splice(0)) events.message(channel, bytes);
    if (this.#closeReason !== undefined) this.#reportClose(this.#closeReason);
  }

  send(channel: Channel, bytes: Uint8Array): void {
    const lane = channel === 'reliable' ? this.#reliable : this.#unreliable;
    if (this.#state !== 'open' || lane?.readyState !== 'open') return;
    if (bytes.byteLength > RELIABLE_MESSAGE_BYTES_MAX) {
      throw new TransportError(
        'too-large',
        `message of ${bytes.byteLength} bytes exceeds ${RELIABLE_MESSAGE_BYTES_MAX}: send it in parts`,
      );
    }
    if (channel === 'unreliable' && !this.#mayLeave(lane)) return;
    try {
      // Channels copy what they are given before `send` returns.
      lane.send(hasOwnBuffer(bytes) ? bytes : bytes.slice());
    } catch (error) {
      if (channel === 'reliable') this.ended(error instanceof Error ? error : undefined);
    }
  }

  #mayLeave(lane: RTCDataChannel): boolean {
    const nowMs = performance.now();
    const isClogged = lane.bufferedAmount > UNRELIABLE_QUEUE_BYTES_MAX;
    if (isClogged) this.#sparingUntilMs = nowMs + SPARING_MS;
    if (isClogged || (nowMs < this.#sparingUntilMs && nowMs - this.#packetMs < SPARING_GAP_MS)) return false;
    this.#packetMs = nowMs;
    return true;
  }

  restart(): boolean {
    return this.#state === 'open' && this.#owner.restart?.() === true;
  }

  async route(): Promise<Route | null> {
    const { routeOf } = await loadPart(() => import('./route.js'));
    return this.#state === 'open' && this.#connection !== undefined ? routeOf(this.#connection) : null;
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    // The channels say goodbye to the other side; ending the connection at once would leave it to notice by itself.
    this.#reliable?.close();
    this.#unreliable?.close();
    this.#closing = setTimeout(() => this.#release(), CLOSE_MS_MAX);
  }

  /** Gives up a connection that is not open. */
  abandon(): void {
    this.#state = 'closed';
    this.#release();
  }

  /** Something failed that only a connection in the making needs. */
  connectingFailed(error: Error): void {
    if (this.#state === 'connecting') this.ended(error);
  }

  /** The connection ended by itself: with an error when it was lost, without one when the other side closed it. */
  ended(error: Error | undefined): void {
    if (this.#state === 'closed') return;
    const wasConnecting = this.#state === 'connecting';
    this.#state = 'closed';
    this.#release();
    if (wasConnecting) {
      this.#owner.failed(error);
      return;
    }
    const reason =
      error === undefined
        ? 'The other player closed the connection.'
        : 'The connection to the other player was lost. Check your network and try again.';
    if (this.#events === undefined) this.#closeReason = reason;
    else this.#reportClose(reason);
  }

  #adopt(name: Channel, channel: RTCDataChannel): RTCDataChannel {
    channel.binaryType = 'arraybuffer';
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      // Text is nothing we send.
      if (data instanceof ArrayBuffer) this.#received(name, new Uint8Array(data));
    });
    channel.addEventListener('open', () => this.#checkOpen());
    channel.addEventListener('close', () => (name === 'reliable' ? this.#reliableClosed() : this.#unreliableClosed()));
    return channel;
  }

  /**
   * Holds the lanes back while the browser is not through with a channel that the other side made. Chromium calls such
   * a channel open, as the standard wants, before the thread that sends has opened it, and what is sent in between is
   * lost without an error. A question that passes through all its threads is answered only after that.
   */
  async #settle(connection: RTCPeerConnection): Promise<void> {
    this.#isSettling = true;
    try {
      await connection.getStats();
    } catch {
      // The answer does not matter, and a connection that ended says so itself.
    }
    this.#isSettling = false;
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.#state !== 'connecting' || this.#isSettling) return;
    if (this.#reliable?.readyState !== 'open' || this.#unreliable?.readyState !== 'open') return;
    this.#state = 'open';
    this.#owner.open();
  }

  #received(channel: Channel, bytes: Uint8Array): void {
    if (this.#state === 'closed') return;
    if (this.#events !== undefined) {
      this.#events.message(channel, bytes);
      return;
    }
    if (this.#earlyBytes + bytes.byteLength > EARLY_BYTES_MAX) {
      if (channel === 'reliable') this.ended(undefined);
      return;
    }
    this.#earlyBytes += bytes.byteLength;
    this.#early.push({ channel, bytes });
  }

  #reliableClosed(): void {
    // After a close of ours, it says that everything was delivered.
    if (this.#state === 'closed') this.#release();
    else this.ended(undefined);
  }

  /** The other side closed: its last reliable messages may still be on their way. */
  #unreliableClosed(): void {
    if (this.#state === 'closed') return;
    this.#closing = setTimeout(() => this.ended(undefined), CLOSE_MS_MAX);
  }

  #release(): void {
    clearTimeout(this.#closing);
    if (this.#released) return;
    this.#released = true;
    this.#owner.release();
  }

  #reportClose(reason: string): void {
    this.#closeReason = undefined;
    this.#events?.close(reason);
  }
}

/** Channels take no shared memory. */
function hasOwnBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
}

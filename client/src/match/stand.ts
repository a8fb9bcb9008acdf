import type { Game } from '@riposte/shared';
import type { Pairing } from '../lobby/room.js';
import { Feed, type FeedSource } from '../session/feed.js';
import type { Transport } from '../transport/transport.js';

/** Tells the match to the spectators whom the server sends to this side, player or spectator itself. */
export class Stand<S, I> {
  readonly #source: () => FeedSource<S, I> | undefined;
  /** By the spectator's seat. */
  readonly #transports = new Map<string, Transport>();
  readonly #feed: Feed<S, I>;
  #isOver = false;

  /** `source` gives the match, once there is one. */
  constructor(game: Game<S, I>, source: () => FeedSource<S, I> | undefined) {
    this.#source = source;
    this.#feed = new Feed(game, {
      send: (seat, channel, bytes) => this.#transports.get(seat)?.send(channel, bytes),
      dropped: (seat) => this.#forget(seat),
    });
  }

  /** Connects with a spectator by `connect`, and tells it the match. Rejects when it is not reached. */
  async show(pairing: Pairing, connect: (pairing: Pairing) => Promise<Transport>): Promise<void> {
    this.#attach(pairing.peer.seat, await connect(pairing));
  }

  #attach(seat: string, transport: Transport): void {
    if (this.#isOver) {
      transport.close();
      return;
    }
    this.#transports.get(seat)?.close();
    this.#transports.set(seat, transport);
    const feed = this.#feed;
    feed.open(performance.now(), seat);
    const isCurrent = (): boolean => this.#transports.get(seat) === transport;
    transport.listen({
      message: (channel, bytes) => isCurrent() && feed.receive(performance.now(), seat, channel, bytes),
      close: () => isCurrent() && this.#forget(seat),
    });
  }

  #forget(seat: string): void {
    this.#feed.closed(seat);
    this.#transports.delete(seat);
  }

  /** Sends what is due; in every frame of the page. */
  poll(nowMs: number): void {
    const source = this.#source();
    if (source !== undefined) this.#feed.poll(nowMs, source);
  }

  /** The match is over here: `finished` with all its frames, `over` before them, or `left` while others may play on. */
  end(how: 'finished' | 'over' | 'left'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#feed.end(performance.now(), this.#source(), how === 'over' ? 'fault' : how);
  }

  close(): void {
    for (const transport of this.#transports.values()) transport.close();
    this.#transports.clear();
  }
}

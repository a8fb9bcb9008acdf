import type { Game } from '@riposte/shared';
import type { Pairing, Room } from '../lobby/room.js';
import type { Feed, FeedSource } from '../session/feed.js';
import type { Transport } from '../transport/transport.js';

/** Tells the match to the spectators whom the server sends to this side, player or spectator itself. */
export class Stand<S, I> {
  readonly #game: Game<S, I>;
  readonly #source: () => FeedSource<S, I> | undefined;
  /** By the spectator's seat. */
  readonly #transports = new Map<string, Transport>();
  /** Loaded when the first spectator comes. */
  #feed: Feed<S, I> | undefined;
  #isOver = false;

  /** `source` gives the match, once there is one. */
  constructor(game: Game<S, I>, source: () => FeedSource<S, I> | undefined) {
    this.#game = game;
    this.#source = source;
  }

  /** Spectators who are told the match by this side. */
  get spectators(): number {
    return this.#feed?.watchers ?? 0;
  }

  /** Connects with every spectator that the room names; `connect` makes the connection of a pairing. */
  follow(room: Pick<Room, 'onPairing'>, connect: (pairing: Pairing) => Promise<Transport>): () => void {
    return room.onPairing((pairing) => {
      // A source makes the offer: the other direction is this side's own source.
      if (pairing.peer.role !== 'spectator' || !pairing.initiator || this.#isOver) return;
      // Who is not reached asks for another source by itself.
      this.#show(pairing, connect).catch(() => undefined);
    });
  }

  async #show(pairing: Pairing, connect: (pairing: Pairing) => Promise<Transport>): Promise<void> {
    const { Feed } = await import('../session/feed.js');
    this.#feed ??= new Feed(this.#game, {
      send: (seat, channel, bytes) => this.#transports.get(seat)?.send(channel, bytes),
      dropped: (seat) => this.#forget(seat),
    });
    this.#attach(this.#feed, pairing.peer.seat, await connect(pairing));
  }

  #attach(feed: Feed<S, I>, seat: string, transport: Transport): void {
    if (this.#isOver) {
      transport.close();
      return;
    }
    this.#transports.get(seat)?.close();
    this.#transports.set(seat, transport);
    feed.open(performance.now(), seat);
    const isCurrent = (): boolean => this.#transports.get(seat) === transport;
    transport.listen({
      message: (channel, bytes) => isCurrent() && feed.receive(performance.now(), seat, channel, bytes),
      close: () => isCurrent() && this.#forget(seat),
    });
  }

  #forget(seat: string): void {
    this.#feed?.closed(seat);
    this.#transports.delete(seat);
  }

  /** Sends what is due; in every frame of the page. */
  poll(nowMs: number): void {
    const source = this.#source();
    if (source !== undefined) this.#feed?.poll(nowMs, source);
  }

  /** The match is over here: `finished` with all its frames, `over` before them, or `left` while others may play on. */
  end(how: 'finished' | 'over' | 'left'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#feed?.end(performance.now(), this.#source(), how === 'over' ? 'fault' : how);
  }

  close(): void {
    for (const transport of this.#transports.values()) transport.close();
    this.#transports.clear();
  }
}

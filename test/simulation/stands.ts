import type { Game } from '@riposte/shared';
import { Feed, type FeedSource } from '../../client/src/session/feed.js';
import { type WatchEvent, WatchSession } from '../../client/src/session/watch-session.js';
import { ConditionedTransport, type LinkConditions } from '../../client/src/transport/conditions.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import type { Transport } from '../../client/src/transport/transport.js';
import type { VirtualClock } from '../../client/src/transport/virtual-clock.js';

/** Somebody who can tell a match: a player, or a spectator who passes it on. */
export class Teller<S, I> {
  readonly feed: Feed<S, I>;
  readonly #transports = new Map<string, Transport>();
  readonly #clock: VirtualClock;
  readonly #source: () => FeedSource<S, I> | undefined;

  constructor(game: Game<S, I>, clock: VirtualClock, source: () => FeedSource<S, I> | undefined) {
    this.#clock = clock;
    this.#source = source;
    this.feed = new Feed(game, {
      send: (spectator, channel, bytes) => this.#transports.get(spectator)?.send(channel, bytes),
      dropped: () => undefined,
    });
  }

  connect(spectator: string, transport: Transport): void {
    const { feed } = this;
    this.#transports.set(spectator, transport);
    feed.open(this.#clock.nowMs, spectator);
    transport.listen({
      message: (channel, bytes) => feed.receive(this.#clock.nowMs, spectator, channel, bytes),
      close: () => feed.closed(spectator),
    });
  }

  draw(): void {
    const source = this.#source();
    if (source !== undefined) this.feed.poll(this.#clock.nowMs, source);
  }

  end(reason: 'finished' | 'left' | 'fault'): void {
    this.feed.end(this.#clock.nowMs, this.#source(), reason);
  }

  /** It is gone, and its connections with it. */
  kill(): void {
    for (const transport of this.#transports.values()) transport.close();
    this.#transports.clear();
  }
}

/** One who watches, and may tell others. */
export class Spectator<S, I> {
  readonly name: string;
  readonly session: WatchSession<S, I>;
  readonly teller: Teller<S, I>;
  readonly events: WatchEvent[] = [];
  /** The most ticks that were run in one drawn frame. */
  mostTicks = 0;
  isAsleep = false;
  isDead = false;
  #transport: Transport | undefined;
  readonly #clock: VirtualClock;

  constructor(name: string, game: Game<S, I>, clock: VirtualClock, delay = 0) {
    this.name = name;
    this.#clock = clock;
    this.session = new WatchSession(
      { game, delay },
      {
        send: (channel, bytes) => this.#transport?.send(channel, bytes),
        event: (event) => this.events.push(event),
      },
    );
    this.teller = new Teller(game, clock, () => this.session.source);
  }

  /** Watches by a source from now on. */
  watch(source: Teller<S, I>, link: LinkConditions, random: () => number): void {
    const clock = this.#clock;
    const [one, other] = loopbackPair(clock.schedule).map(
      (end) => new ConditionedTransport(end, link, clock.schedule, random),
    ) as [ConditionedTransport, ConditionedTransport];
    this.#transport = one;
    source.connect(this.name, other);
    this.session.open(clock.nowMs);
    const ifCurrent = (read: () => void): void => {
      if (this.#transport === one && !this.isAsleep && !this.isDead) read();
    };
    one.listen({
      message: (channel, bytes) => ifCurrent(() => this.session.receive(clock.nowMs, channel, bytes)),
      close: () => ifCurrent(() => this.session.closed()),
    });
  }

  draw(): void {
    if (this.isAsleep || this.isDead) return;
    const ticks = this.session.dueTicks(this.#clock.nowMs);
    this.mostTicks = Math.max(this.mostTicks, ticks);
    for (let tick = 0; tick < ticks; tick++) this.session.tick();
    this.teller.draw();
  }

  kill(): void {
    this.isDead = true;
    this.teller.kill();
    this.#transport?.close();
  }

  get ended(): Extract<WatchEvent, { type: 'ended' }> | undefined {
    return this.events.find((event) => event.type === 'ended');
  }
}

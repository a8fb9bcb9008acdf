/** What a host can watch: counts and times in the text format of Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RoomAccess } from './store/room.js';

/** Where the figures come from that are read when somebody asks. */
export interface MetricsSources {
  /** Open websockets of this process. */
  connections(): number;
  /** Open rooms; those whose peers are negotiating are `pairing`. */
  rooms(): Promise<{ rooms: number; pairing: number }>;
}

/** Seconds: a pair that is there at once, up to somebody who waits for ten minutes. */
const PAIR_BUCKETS_S = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];

/** Counts what happens in one server. Labels hold only words of ours, never what a client sent. */
export class Metrics {
  readonly #registry = new Registry();
  // Plain numbers, handed over when somebody asks: a labelled count costs as much as the message that it is for.
  readonly #relayed = { 'socket.io': 0, peerjs: 0 };
  readonly #waiting = { code: 0, quick: 0 };
  readonly #refusals: Counter<'reason'>;
  readonly #rateLimited: Counter;
  readonly #stepRetries: Counter;
  readonly #spectators: Gauge;
  readonly #matches: Counter<'size'>;
  readonly #timeToPair: Histogram<'by' | 'size'>;
  #watchesProcess = false;

  constructor({ connections, rooms }: MetricsSources) {
    const registers = [this.#registry];
    new Gauge({
      name: 'riposte_connections',
      help: 'Open websockets of this process.',
      registers,
      collect() {
        this.set(connections());
      },
    });
    new Gauge({
      name: 'riposte_rooms',
      help: 'Open rooms in the store, and those whose players are being connected.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counts = await rooms().catch(() => undefined);
        // A store that is away has no figure, which is not the figure 0.
        this.reset();
        if (counts === undefined) return;
        this.set({ state: 'open' }, counts.rooms);
        this.set({ state: 'pairing' }, counts.pairing);
      },
    });
    const waiting = this.#waiting;
    new Gauge({
      name: 'riposte_waiting',
      help: 'Connections of this process that wait for another player.',
      labelNames: ['by'] as const,
      registers,
      collect() {
        for (const by of ['code', 'quick'] as const) this.set({ by }, waiting[by]);
      },
    });
    this.#timeToPair = new Histogram({
      name: 'riposte_time_to_pair_seconds',
      help: 'From the request for a match of so many players to being paired.',
      labelNames: ['by', 'size'],
      buckets: PAIR_BUCKETS_S,
      registers,
    });
    this.#spectators = new Gauge({
      name: 'riposte_spectators',
      help: 'Connections of this process that hold a seat to watch.',
      registers,
    });
    this.#matches = new Counter({
      name: 'riposte_matches_total',
      help: 'Rooms that this process has seen full, by their number of players.',
      labelNames: ['size'],
      registers,
    });
    const relayed = this.#relayed;
    new Counter({
      name: 'riposte_relayed_messages_total',
      help: 'Messages of a negotiation passed from one player to the other.',
      labelNames: ['way'] as const,
      registers,
      collect() {
        this.reset();
        for (const way of ['socket.io', 'peerjs'] as const) this.inc({ way }, relayed[way]);
      },
    });
    this.#refusals = new Counter({
      name: 'riposte_refusals_total',
      help: 'Requests and connections that were refused.',
      labelNames: ['reason'],
      registers,
    });
    this.#stepRetries = new Counter({
      name: 'riposte_store_retries_total',
      help: 'Steps with a room that were taken again because another server was faster.',
      registers,
    });
    this.#rateLimited = new Counter({
      name: 'riposte_rate_limited_total',
      help: 'Refusals as rate-limited or flood: requests that came too fast.',
      registers,
    });
    for (const by of ['code', 'quick'] as const) this.#timeToPair.zero({ by, size: 2 });
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  /** Everything, as text. The process itself is watched from the first call on: nobody pays who does not ask. */
  async text(): Promise<string> {
    if (!this.#watchesProcess) {
      this.#watchesProcess = true;
      collectDefaultMetrics({ register: this.#registry });
    }
    return this.#registry.metrics();
  }

  /** @param reason a code of ours in kebab case. */
  refused(reason: string): void {
    this.#refusals.inc({ reason });
    if (reason === 'rate-limited' || reason === 'flood') this.#rateLimited.inc();
  }

  stepRetried(): void {
    this.#stepRetries.inc();
  }

  relayed(way: 'socket.io' | 'peerjs'): void {
    this.#relayed[way]++;
  }

  /** A room of so many players is full. */
  matchStarted(size: number): void {
    this.#matches.inc({ size });
  }

  /** So many more connections watch, or fewer. */
  watching(change: 1 | -1): void {
    this.#spectators.inc(change);
  }

  waits(by: RoomAccess): void {
    this.#waiting[by]++;
  }

  /**
   * @param size players of the room.
   * @param waitedMs milliseconds since the request; `undefined`: gave up, or asked over an earlier connection.
   */
  waitedFor(by: RoomAccess, size: number, waitedMs: number | undefined): void {
    this.#waiting[by]--;
    if (waitedMs !== undefined) this.#timeToPair.observe({ by, size }, waitedMs / 1000);
  }
}

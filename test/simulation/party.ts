import { type Game, Random, type RecordingWriter } from '@riposte/shared';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import * as party from '../../client/src/session/party.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionEvent, SessionOptions } from '../../client/src/session/session-types.js';
import { ConditionedTransport, type LinkConditions } from '../../client/src/transport/conditions.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import type { Transport } from '../../client/src/transport/transport.js';
import { VirtualClock } from '../../client/src/transport/virtual-clock.js';

export interface PartyOptions<S, I> {
  readonly game: Game<S, I>;
  /** The games of the players in place of `game`, where somebody's goes wrong. */
  readonly games?: readonly Game<S, I>[];
  readonly players: number;
  readonly link?: LinkConditions;
  readonly seed?: number;
  readonly frames?: number;
  readonly inputDelay?: number | 'auto';
  readonly input: (player: number) => () => Partial<I>;
}

/** One of several players: its session, and its connections by player. */
export class PartyPeer<S, I> {
  readonly me: number;
  readonly events: SessionEvent[] = [];
  readonly session: Session<S, I>;
  readonly recordings: RecordingWriter[] = [];
  asleepUntilMs = 0;
  nextDrawMs = 0;
  drawsPerSecond = 60;
  bytes = 0;
  packets = 0;
  readonly #transports = new Map<number, Transport>();
  readonly #clock: VirtualClock;
  readonly #input: () => Partial<I>;
  readonly #inbox: (() => void)[] = [];

  constructor(clock: VirtualClock, options: SessionOptions<S, I>, input: () => Partial<I>) {
    this.me = options.me;
    this.#clock = clock;
    this.#input = input;
    this.session = new Session(
      {
        ...options,
        party,
        record: (agreed) => {
          const writer = matchRecording(options.game, options.me, agreed, undefined, 'simulation');
          this.recordings.push(writer);
          return writer;
        },
      },
      {
        send: (player, channel, bytes) => {
          if (channel === 'unreliable') {
            this.bytes += bytes.length;
            this.packets++;
          }
          this.#transports.get(player)?.send(channel, bytes);
        },
        event: (event) => this.events.push(event),
      },
    );
  }

  connect(player: number, transport: Transport): void {
    const clock = this.#clock;
    this.#transports.set(player, transport);
    this.session.open(clock.nowMs, player);
    const ifCurrent = (read: () => void): void => {
      const take = (): void => {
        if (this.#transports.get(player) === transport) read();
      };
      if (clock.nowMs < this.asleepUntilMs) this.#inbox.push(take);
      else take();
    };
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.session.receive(clock.nowMs, player, channel, bytes)),
      close: (reason) => ifCurrent(() => this.session.closed(player, reason)),
    });
  }

  draw(): void {
    this.nextDrawMs += 1000 / this.drawsPerSecond;
    if (this.#clock.nowMs < this.asleepUntilMs) return;
    const ticks = this.session.dueTicks(this.#clock.nowMs);
    for (const read of this.#inbox.splice(0)) read();
    for (let tick = 0; tick < ticks; tick++) this.session.tick(this.#clock.nowMs, this.#input());
  }

  get ended(): Extract<SessionEvent, { type: 'ended' }> | undefined {
    return this.events.find((event) => event.type === 'ended');
  }

  /** The page is gone: nothing is sent or read any more. */
  kill(): void {
    for (const transport of this.#transports.values()) transport.close();
    this.#transports.clear();
    this.asleepUntilMs = Number.POSITIVE_INFINITY;
  }
}

/** Three to eight players in one virtual world, each connected to each. */
export class Party<S, I> {
  readonly clock = new VirtualClock();
  readonly peers: PartyPeer<S, I>[];
  readonly #options: PartyOptions<S, I>;
  readonly #luck = new Random(new Int32Array(2), 0);
  /** By sender and receiver. */
  readonly #ends: (ConditionedTransport | undefined)[][];

  constructor(options: PartyOptions<S, I>) {
    this.#options = options;
    this.#luck.seed(options.seed ?? 1);
    this.#ends = Array.from({ length: options.players }, () => []);
    this.peers = Array.from({ length: options.players }, (_, me) => this.#peer(me, false));
    for (let one = 0; one < options.players; one++) {
      for (let other = one + 1; other < options.players; other++) this.reconnect(one, other);
    }
  }

  #peer(me: number, returning: boolean): PartyPeer<S, I> {
    const { players, frames, inputDelay = 1, input } = this.#options;
    const game = this.#options.games?.[me] ?? this.#options.game;
    const name = `Player ${me + 1}`;
    const peer = new PartyPeer<S, I>(
      this.clock,
      { game, me, players, name, seed: 7, inputDelay, frames, returning },
      input(me),
    );
    // The screens do not draw at the same moments.
    peer.nextDrawMs = this.clock.nowMs + ((me + 1) * 16) / (players + 1);
    return peer;
  }

  /** The two get a new connection. */
  reconnect(one: number, other: number): void {
    const { link = { delayMs: 0, jitterMs: 0, lossRate: 0 } } = this.#options;
    const ends = loopbackPair(this.clock.schedule).map(
      (end) => new ConditionedTransport(end, link, this.clock.schedule, () => this.#luck.unit()),
    );
    this.#ends[one]![other] = ends[0];
    this.#ends[other]![one] = ends[1];
    this.peers[one]!.connect(other, ends[0]!);
    this.peers[other]!.connect(one, ends[1]!);
  }

  /** Changes one way of a connection. */
  setLink(from: number, to: number, link: LinkConditions): void {
    const end = this.#ends[from]![to];
    if (end !== undefined) end.conditions = link;
  }

  /** Nothing arrives any more between the two, both ways or one: the reliable lane waits. */
  silence(from: number, to: number): void {
    this.setLink(from, to, { delayMs: 1e9, jitterMs: 0, lossRate: 1 });
  }

  /** Separates the players of one side from all others. */
  partition(side: readonly number[]): void {
    for (const { me: from } of this.peers) {
      for (const { me: to } of this.peers) if (side.includes(from) !== side.includes(to)) this.silence(from, to);
    }
  }

  kill(player: number): void {
    this.peers[player]!.kill();
  }

  /** A player's page is loaded again: it returns with nothing but its seat, and is connected to all who are there. */
  reload(player: number): void {
    this.kill(player);
    this.peers[player] = this.#peer(player, true);
    for (const { me, asleepUntilMs } of this.peers) {
      if (me !== player && asleepUntilMs !== Number.POSITIVE_INFINITY) this.reconnect(player, me);
    }
  }

  run(ms: number): void {
    const endMs = this.clock.nowMs + ms;
    for (;;) {
      const next = this.peers.reduce((first, peer) => (peer.nextDrawMs < first.nextDrawMs ? peer : first));
      if (next.nextDrawMs > endMs) break;
      this.clock.advance(next.nextDrawMs - this.clock.nowMs);
      next.draw();
    }
    this.clock.advance(endMs - this.clock.nowMs);
  }

  /** Runs until all who are alive have ended; throws when they have not after `maxMs`. */
  runToEnd(maxMs: number): void {
    const end = this.clock.nowMs + maxMs;
    const isPlaying = ({ ended, asleepUntilMs }: PartyPeer<S, I>) =>
      ended === undefined && asleepUntilMs !== Number.POSITIVE_INFINITY;
    while (this.peers.some(isPlaying)) {
      if (this.clock.nowMs > end) throw new Error(`the match did not end within ${maxMs} ms`);
      this.run(100);
    }
  }
}

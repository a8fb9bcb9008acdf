import { type Game, Random, type RecordingWriter } from '@riposte/shared';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import { type Agreed, Session, type SessionEvent, type SessionOptions } from '../../client/src/session/session.js';
import { ConditionedTransport, type LinkConditions } from '../../client/src/transport/conditions.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import type { Transport } from '../../client/src/transport/transport.js';
import { VirtualClock } from './clock.js';

/** One of the two peers: its session, what it told, and whether its machine is asleep. */
export class SimulatedPeer<S, I> {
  readonly events: SessionEvent[] = [];
  readonly session: Session<S, I>;
  asleepUntilMs = 0;
  nextDrawMs = 0;
  drawsPerSecond = 60;
  /** What the machine can make. */
  ticksPerSecondMax = Number.POSITIVE_INFINITY;
  maxTicksPerDraw = 0;
  packets = 0;
  bytes = 0;
  readonly #transport: Transport;
  readonly #clock: VirtualClock;
  readonly #input: () => Partial<I>;
  #inbox: (() => void)[] = [];

  constructor(clock: VirtualClock, transport: Transport, options: SessionOptions<S, I>, input: () => Partial<I>) {
    this.#clock = clock;
    this.#transport = transport;
    this.#input = input;
    this.session = new Session(options, {
      send: (channel, bytes) => {
        if (channel === 'unreliable') {
          this.packets++;
          this.bytes += bytes.length;
        }
        transport.send(channel, bytes);
      },
      event: (event) => this.events.push(event),
    });
  }

  /** The page is connected. */
  open(): void {
    const clock = this.#clock;
    this.session.open(clock.nowMs);
    this.#transport.listen({
      message: (channel, bytes) => this.#take(() => this.session.receive(clock.nowMs, channel, bytes)),
      close: (reason) => this.#take(() => this.session.closed(reason)),
    });
  }

  /** A sleeping machine reads its messages when it wakes. */
  #take(read: () => void): void {
    if (this.#clock.nowMs < this.asleepUntilMs) this.#inbox.push(read);
    else read();
  }

  sleep(ms: number): void {
    this.asleepUntilMs = this.#clock.nowMs + ms;
  }

  /** One drawn frame. A machine that is busy with ticks draws the next one late. */
  draw(): void {
    this.nextDrawMs += 1000 / this.drawsPerSecond;
    if (this.#clock.nowMs < this.asleepUntilMs) return;
    const ticks = this.session.dueTicks(this.#clock.nowMs);
    for (const read of this.#inbox.splice(0)) read();
    this.maxTicksPerDraw = Math.max(this.maxTicksPerDraw, ticks);
    for (let tick = 0; tick < ticks; tick++) this.session.tick(this.#clock.nowMs, this.#input());
    this.nextDrawMs = Math.max(this.nextDrawMs, this.#clock.nowMs + (ticks * 1000) / this.ticksPerSecondMax);
  }

  get ended(): Extract<SessionEvent, { type: 'ended' }> | undefined {
    return this.events.find((event) => event.type === 'ended');
  }

  close(): void {
    this.#transport.close();
  }
}

export interface PairOptions<S, I> {
  readonly game: Game<S, I>;
  /** Each player's own build of the game, where they differ. */
  readonly games?: readonly [Game<S, I>, Game<S, I>];
  /** Both ways alike, or `links`: from player 0, from player 1. */
  readonly link?: LinkConditions;
  readonly links?: readonly [LinkConditions, LinkConditions];
  /** What each machine can make, and how often each screen draws. */
  readonly ticksPerSecond?: readonly [number, number];
  readonly drawsPerSecond?: readonly [number, number];
  /** Seeds the link's luck. */
  readonly seed?: number;
  readonly frames?: number;
  readonly inputDelay?: number | 'auto';
  readonly inputDelays?: readonly [number, number];
  readonly inputs: readonly [() => Partial<I>, () => Partial<I>];
  /** When the second page is connected: both at once by default. */
  readonly secondOpensMs?: number;
  readonly session?: Partial<SessionOptions<S, I>>;
}

/** Two peers in one virtual world, each drawn by its own screen. */
export class Pair<S, I> {
  readonly clock = new VirtualClock();
  readonly peers: readonly [SimulatedPeer<S, I>, SimulatedPeer<S, I>];
  readonly recordings: [RecordingWriter?, RecordingWriter?] = [];
  readonly #ends: readonly ConditionedTransport[];

  constructor(options: PairOptions<S, I>) {
    const { link = { delayMs: 0, jitterMs: 0, lossRate: 0 }, seed = 1 } = options;
    const luck = new Random(new Int32Array(2), 0);
    luck.seed(seed);
    this.#ends = loopbackPair(this.clock.schedule).map(
      (end, me) => new ConditionedTransport(end, options.links?.[me] ?? link, this.clock.schedule, () => luck.unit()),
    );
    const peer = (me: 0 | 1) =>
      new SimulatedPeer<S, I>(
        this.clock,
        this.#ends[me]!,
        {
          game: options.games?.[me] ?? options.game,
          me,
          name: me === 0 ? 'Ada' : 'Bo',
          seed: 7,
          inputDelay: options.inputDelays?.[me] ?? options.inputDelay ?? 1,
          frames: options.frames,
          record: (agreed) => this.#record(options.games?.[me] ?? options.game, me, agreed),
          ...options.session,
        },
        options.inputs[me],
      );
    this.peers = [peer(0), peer(1)];
    for (const [me, one] of this.peers.entries()) {
      one.ticksPerSecondMax = options.ticksPerSecond?.[me] ?? one.ticksPerSecondMax;
      one.drawsPerSecond = options.drawsPerSecond?.[me] ?? one.drawsPerSecond;
      // The two screens do not draw at the same moments.
      one.nextDrawMs = (me + 1) * 8;
    }
    this.peers[0].open();
    this.clock.schedule(options.secondOpensMs ?? 0, () => this.peers[1].open());
  }

  /** Changes the link, both ways. */
  setLink(link: LinkConditions): void {
    for (const end of this.#ends) end.conditions = link;
  }

  #record(game: Game<S, I>, me: 0 | 1, agreed: Agreed): RecordingWriter {
    const writer = matchRecording(game, me, agreed, 'simulation');
    this.recordings[me] = writer;
    return writer;
  }

  /** Lets time pass, drawing both pages. */
  run(ms: number): void {
    const endMs = this.clock.nowMs + ms;
    for (;;) {
      const [one, two] = this.peers;
      const next = one.nextDrawMs <= two.nextDrawMs ? one : two;
      if (next.nextDrawMs > endMs) break;
      this.clock.advance(next.nextDrawMs - this.clock.nowMs);
      next.draw();
    }
    this.clock.advance(endMs - this.clock.nowMs);
  }

  /** Runs until both have ended; throws when they have not after `maxMs`. */
  runToEnd(maxMs: number): void {
    const end = this.clock.nowMs + maxMs;
    while (this.peers.some((peer) => peer.ended === undefined)) {
      if (this.clock.nowMs > end) throw new Error(`the match did not end within ${maxMs} ms`);
      this.run(100);
    }
  }
}

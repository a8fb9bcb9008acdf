import { type Game, Random, type RecordingWriter } from '@riposte/shared';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import type { Agreed } from '../../client/src/session/handshake.js';
import { Session } from '../../client/src/session/session.js';
import type { SessionEvent, SessionOptions } from '../../client/src/session/session-types.js';
import { ConditionedTransport, type LinkConditions } from '../../client/src/transport/conditions.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import type { Transport } from '../../client/src/transport/transport.js';
import { VirtualClock } from '../../client/src/transport/virtual-clock.js';

/** One of the two peers: its session, what it told, and whether its machine is asleep. */
export class SimulatedPeer<S, I> {
  readonly events: SessionEvent[] = [];
  /** Told of each event as it happens, as a page is. */
  onEvent: ((event: SessionEvent) => void) | undefined;
  readonly session: Session<S, I>;
  asleepUntilMs = 0;
  nextDrawMs = 0;
  drawsPerSecond = 60;
  /** What the machine can make. */
  ticksPerSecondMax = Number.POSITIVE_INFINITY;
  maxTicksPerDraw = 0;
  packets = 0;
  bytes = 0;
  /** As the session gave it: its bytes are reused. */
  lastPacket: Uint8Array = new Uint8Array();
  #transport: Transport | undefined;
  readonly #clock: VirtualClock;
  readonly #input: () => Partial<I>;
  readonly #other: number;
  #inbox: (() => void)[] = [];

  constructor(
    clock: VirtualClock,
    options: SessionOptions<S, I>,
    input: () => Partial<I>,
    isLost: () => boolean = () => false,
  ) {
    this.#clock = clock;
    this.#input = input;
    this.#other = 1 - options.me;
    this.session = new Session(options, {
      send: (_player, channel, bytes) => {
        if (channel === 'unreliable') {
          this.packets++;
          this.bytes += bytes.length;
          this.lastPacket = bytes;
        }
        if (channel === 'reliable' && isLost()) return;
        this.#transport?.send(channel, bytes);
      },
      event: (event) => {
        this.events.push(event);
        this.onEvent?.(event);
      },
    });
  }

  /** The page is connected, for the first time or again. */
  connect(transport: Transport): void {
    const clock = this.#clock;
    this.#transport = transport;
    this.session.open(clock.nowMs, this.#other);
    // A connection that was replaced has nothing to say any more.
    const ifCurrent = (read: () => void): void => this.#take(() => this.#transport === transport && read());
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.session.receive(clock.nowMs, this.#other, channel, bytes)),
      close: (reason) => ifCurrent(() => this.session.closed(this.#other, reason)),
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

  /** The page is gone: its connection with it. */
  close(): void {
    this.#transport?.close();
    this.#transport = undefined;
    this.asleepUntilMs = Number.POSITIVE_INFINITY;
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
  /** Which reliable message, counted from 1 over both ways, is lost after all. */
  readonly losesReliable?: number;
}

/** Two peers in one virtual world, each drawn by its own screen. */
export class Pair<S, I> {
  readonly clock = new VirtualClock();
  readonly peers: [SimulatedPeer<S, I>, SimulatedPeer<S, I>];
  readonly recordings: [RecordingWriter?, RecordingWriter?] = [];
  readonly #options: PairOptions<S, I>;
  readonly #luck = new Random(new Int32Array(2), 0);
  #ends: readonly ConditionedTransport[];
  #reliableMessages = 0;

  constructor(options: PairOptions<S, I>) {
    this.#options = options;
    this.#luck.seed(options.seed ?? 1);
    this.#ends = this.#link();
    this.peers = [this.#peer(0, {}), this.#peer(1, {})];
    this.peers[0].connect(this.#ends[0]!);
    this.clock.schedule(options.secondOpensMs ?? 0, () => this.peers[1].connect(this.#ends[1]!));
  }

  #link(): ConditionedTransport[] {
    const { link = { delayMs: 0, jitterMs: 0, lossRate: 0 }, links } = this.#options;
    return loopbackPair(this.clock.schedule).map(
      (end, me) => new ConditionedTransport(end, links?.[me] ?? link, this.clock.schedule, () => this.#luck.unit()),
    );
  }

  #peer(me: 0 | 1, session: Partial<SessionOptions<S, I>>): SimulatedPeer<S, I> {
    const options = this.#options;
    const game = options.games?.[me] ?? options.game;
    const peer = new SimulatedPeer<S, I>(
      this.clock,
      {
        game,
        me,
        name: me === 0 ? 'Ada' : 'Bo',
        seed: 7,
        inputDelay: options.inputDelays?.[me] ?? options.inputDelay ?? 1,
        frames: options.frames,
        record: (agreed) => this.#record(game, me, agreed),
        ...options.session,
        ...session,
      },
      options.inputs[me],
      () => ++this.#reliableMessages === options.losesReliable,
    );
    peer.ticksPerSecondMax = options.ticksPerSecond?.[me] ?? peer.ticksPerSecondMax;
    peer.drawsPerSecond = options.drawsPerSecond?.[me] ?? peer.drawsPerSecond;
    // The two screens do not draw at the same moments.
    peer.nextDrawMs = this.clock.nowMs + (me + 1) * 8;
    return peer;
  }

  /** Changes the link, both ways. */
  setLink(link: LinkConditions): void {
    for (const end of this.#ends) end.conditions = link;
  }

  /** The connection ends under both. */
  cut(): void {
    this.setLink({ delayMs: 0, jitterMs: 0, lossRate: 1 });
    for (const [me, { session }] of this.peers.entries()) session.closed(1 - me, 'The connection was cut.');
  }

  /** Both get a new connection, which knows nothing of the one before. */
  reconnect(): void {
    this.#ends = this.#link();
    for (const [me, peer] of this.peers.entries()) peer.connect(this.#ends[me]!);
  }

  /** A player's page is reloaded: it returns with nothing but its seat. */
  reload(me: 0 | 1): void {
    this.peers[me].close();
    this.peers[me] = this.#peer(me, { returning: true });
    this.reconnect();
  }

  #record(game: Game<S, I>, me: 0 | 1, agreed: Agreed): RecordingWriter {
    const writer = matchRecording(game, me, agreed, undefined, 'simulation');
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

import type { Game, RecordingWriter } from '@riposte/shared';
import { AuthoritySession } from '../../client/src/authority/authority-session.js';
import type {
  AuthorityEvent,
  AuthorityOptions,
  ClientEvent,
  ClientOptions,
} from '../../client/src/authority/authority-types.js';
import { ClientSession } from '../../client/src/authority/client-session.js';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import { ConditionedTransport, type LinkConditions } from '../../client/src/transport/conditions.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import type { Transport } from '../../client/src/transport/transport.js';
import { VirtualClock } from '../../client/src/transport/virtual-clock.js';
import { Witness } from '../../shared/testing/sparks.js';
import { Luck } from './luck.js';

/** How often the authority's process wakes. */
const WAKE_MS = 4;

const PERFECT: LinkConditions = { delayMs: 0, jitterMs: 0, lossRate: 0 };

export interface AuthorityWorldOptions<S, I> {
  readonly game: Game<S, I>;
  /** What each player's page runs, where it is not the authority's game. */
  readonly games?: readonly Game<S, I>[];
  /** One a player. */
  readonly inputs: readonly (() => Partial<I>)[];
  /** Each player's link, both ways alike; the last one holds for all after it. */
  readonly links?: readonly LinkConditions[];
  /** Share of unreliable messages that arrive twice. */
  readonly duplicateRate?: number;
  readonly drawsPerSecond?: readonly number[];
  readonly seed?: number;
  readonly authority?: Partial<AuthorityOptions<S, I>>;
  readonly client?: Partial<ClientOptions<S, I>>;
}

/** One player's page. */
export class SimulatedClient<S, I> {
  readonly events: ClientEvent[] = [];
  readonly session: ClientSession<S, I>;
  /** What the page was told of effects and facts. */
  readonly page = new Witness();
  /** The newest one: another begins where a whole state was taken. */
  recording: RecordingWriter | undefined;
  asleepUntilMs = 0;
  nextDrawMs = 0;
  /** The most frames that were unconfirmed after a tick. */
  deepest = 0;
  ends: readonly [ConditionedTransport, ConditionedTransport] | undefined;
  #transport: Transport | undefined;
  #inbox: (() => void)[] = [];
  readonly #clock: VirtualClock;
  readonly #input: () => Partial<I>;

  constructor(clock: VirtualClock, options: ClientOptions<S, I>, input: () => Partial<I>) {
    this.#clock = clock;
    this.#input = input;
    this.session = new ClientSession(options, {
      send: (channel, bytes) => this.#transport?.send(channel, bytes),
      event: (event) => this.events.push(event),
    });
  }

  connect(transport: Transport): void {
    this.#transport = transport;
    this.session.open(this.#clock.nowMs);
    transport.listen({
      message: (channel, bytes) => {
        const read = () => this.session.receive(this.#clock.nowMs, channel, bytes);
        // A sleeping page reads its messages when it wakes.
        if (this.#clock.nowMs < this.asleepUntilMs) this.#inbox.push(read);
        else read();
      },
      close: (reason) => this.session.closed(reason),
    });
  }

  draw(drawMs: number): void {
    this.nextDrawMs += drawMs;
    if (this.#clock.nowMs < this.asleepUntilMs) return;
    for (const read of this.#inbox.splice(0)) read();
    this.collect();
    const { session } = this;
    for (let due = session.dueTicks(this.#clock.nowMs); due > 0; due--) {
      session.tick(this.#clock.nowMs, this.#input());
      const ahead = (session.sim?.lastFrame() ?? -1) + 1 - session.authorityFrame;
      this.deepest = Math.max(this.deepest, ahead);
      this.collect();
    }
  }

  collect(): void {
    const queue = this.session.collectEffects();
    if (queue !== undefined) this.page.poll(queue);
  }

  get ended(): Extract<ClientEvent, { type: 'ended' }> | undefined {
    return this.events.find((event) => event.type === 'ended');
  }
}

/** An authority and its players in one virtual world, each player with its own link and screen. */
export class AuthorityWorld<S, I> {
  readonly clock = new VirtualClock();
  readonly events: AuthorityEvent[] = [];
  readonly authority: AuthoritySession<S, I>;
  readonly clients: SimulatedClient<S, I>[];
  recording: RecordingWriter | undefined;
  readonly #options: AuthorityWorldOptions<S, I>;
  readonly #luck: Luck;
  readonly #transports: (Transport | undefined)[] = [];
  #nextWakeMs = 0;
  authorityAsleepUntilMs = 0;

  constructor(options: AuthorityWorldOptions<S, I>) {
    this.#options = options;
    this.#luck = new Luck(options.seed ?? 1, 0);
    const { game } = options;
    this.authority = new AuthoritySession(
      {
        game,
        seed: 7,
        record: (names) => {
          const inputDelays = names.map(() => 0);
          const agreed = { seed: 7, settings: {}, names, inputDelays, frames: Number.POSITIVE_INFINITY };
          this.recording = matchRecording(game, -1, agreed, undefined, 'simulation');
          return this.recording;
        },
        ...options.authority,
      },
      {
        send: (player, channel, bytes) => this.#transports[player]?.send(channel, bytes),
        event: (event) => this.events.push(event),
      },
    );
    this.clients = options.inputs.map((_, player) => this.#client(player));
    for (let player = 0; player < this.clients.length; player++) this.connect(player);
  }

  #client(player: number): SimulatedClient<S, I> {
    const { game, games, inputs, client } = this.#options;
    const options: ClientOptions<S, I> = {
      game: games?.[player] ?? game,
      name: `Player ${player}`,
      record: (match) => {
        made.recording = matchRecording(game, player, match, undefined, 'simulation');
        return made.recording;
      },
      ...client,
    };
    const made = new SimulatedClient<S, I>(this.clock, options, inputs[player]!);
    // No two screens draw at the same moments.
    made.nextDrawMs = this.clock.nowMs + 3 + player * 5;
    return made;
  }

  linkOf(player: number): LinkConditions {
    const { links = [PERFECT], duplicateRate = 0 } = this.#options;
    return { duplicateRate, ...(links[Math.min(player, links.length - 1)] ?? PERFECT) };
  }

  /** Gives a player a connection, in place of any before. */
  connect(player: number): void {
    const client = this.clients[player]!;
    const [one, two] = loopbackPair(this.clock.schedule);
    const ends = [this.#mistreated(one!, player), this.#mistreated(two!, player)] as const;
    client.ends = ends;
    const here = ends[0];
    this.#transports[player] = here;
    here.listen({
      message: (channel, bytes) => {
        if (this.#transports[player] === here) this.authority.receive(this.clock.nowMs, player, channel, bytes);
      },
      close: () => {
        if (this.#transports[player] === here) this.authority.closed(player);
      },
    });
    client.connect(ends[1]);
  }

  #mistreated(end: Transport, player: number): ConditionedTransport {
    const random = () => this.#luck.unit();
    return new ConditionedTransport(end, this.linkOf(player), this.clock.schedule, random);
  }

  /** Changes a player's link, both ways. */
  setLink(player: number, link: LinkConditions): void {
    for (const end of this.clients[player]?.ends ?? []) end.conditions = link;
  }

  /** A player's page is loaded again: it knows nothing of the match. */
  reload(player: number): void {
    this.clients[player] = this.#client(player);
    this.connect(player);
  }

  run(ms: number): void {
    const endMs = this.clock.nowMs + ms;
    for (;;) {
      let nextMs = this.#nextWakeMs;
      let player = -1;
      for (const [index, { nextDrawMs }] of this.clients.entries()) {
        if (nextDrawMs >= nextMs) continue;
        nextMs = nextDrawMs;
        player = index;
      }
      if (nextMs > endMs) break;
      this.clock.advance(Math.max(0, nextMs - this.clock.nowMs));
      if (player >= 0) this.clients[player]!.draw(1000 / (this.#options.drawsPerSecond?.[player] ?? 60));
      else {
        this.#nextWakeMs += WAKE_MS;
        if (this.clock.nowMs >= this.authorityAsleepUntilMs) this.authority.poll(this.clock.nowMs);
      }
    }
    this.clock.advance(endMs - this.clock.nowMs);
  }

  get ended(): Extract<AuthorityEvent, { type: 'ended' }> | undefined {
    return this.events.find((event) => event.type === 'ended');
  }

  /** Runs until all have ended; throws when they have not after `maxMs`. */
  runToEnd(maxMs: number): void {
    const endMs = this.clock.nowMs + maxMs;
    while (this.ended === undefined || this.clients.some(({ ended }) => ended === undefined)) {
      if (this.clock.nowMs > endMs) throw new Error(`the match did not end within ${maxMs} ms`);
      this.run(100);
    }
  }
}

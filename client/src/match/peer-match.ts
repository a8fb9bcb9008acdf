import { type Game, RiposteError } from '@riposte/shared';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { watchVisibility } from '../frame-loop/visibility.js';
import { Listeners } from '../listeners.js';
import { loadPart } from '../load-part.js';
import type { Pairing, Room } from '../lobby/room.js';
import type { MatchRecorder } from '../recorder/match-recorder.js';
import { REPORT_MARK } from '../recorder/report-mark.js';
import type { Session } from '../session/session.js';
import type { EndCause, SessionOptions } from '../session/session-types.js';
import type { Channel, Route, Transport } from '../transport/transport.js';
import { drawMatch } from './draw-match.js';
import type { Desync, Match, MatchEvents, MatchOptions, MatchStatus, Phase } from './match.js';
import { frameNotKept, guarded, MatchError } from './match-error.js';
import type { MatchParts } from './parts.js';
import { Series, type SeriesEvent } from './series.js';
import type { Stand } from './stand.js';
import { tellEffects } from './tell-effects.js';

/** How long a match that is over keeps its connections, so that the last goodbye arrives. */
const LINGER_MS = 1000;
/** How long after a finished match all may take to ask for another one. */
const REMATCH_MS = 60_000;

/** Ends after which the match stands as it was played; others count as failed when it never ran. */
const FAILED: ReadonlySet<EndCause> = new Set(['refused', 'peer-fault', 'game-fault']);

export interface PeerMatchOptions<S, I> extends Omit<MatchOptions<S, I>, 'signal'>, MatchParts {
  /** This side's player number in the first match: its seat. */
  readonly me: number;
  readonly room: string | null;
  /** By seat. */
  readonly names: readonly string[];
  readonly seed: number;
  /** This page was in the match before it was reloaded, and the match came after so many others. */
  readonly returning?: boolean;
  readonly rematches?: number;
}

/** Matches over transports: drives the sessions from the page's frames, draws, and keeps the recording. */
export class PeerMatch<S, I> implements Match<S, I> {
  readonly game: Game<S, I>;
  readonly #options: PeerMatchOptions<S, I>;
  /** By seat; a connection that is lost stays here until another takes its place. */
  readonly #transports = new Map<number, Transport>();
  readonly #connected = new Set<number>();
  readonly #series: Series<S, I>;
  readonly #listeners = new Listeners<MatchEvents>();
  /** As chosen last, also for the next match. */
  #inputDelay: number | 'auto';
  #stopLoop: () => void = () => undefined;
  /** Once anybody watches. */
  #stand: Stand<S, I> | undefined;
  #follow: () => () => void = () => () => undefined;
  #stopFollowing: () => void = () => undefined;
  #closing: ReturnType<typeof setTimeout> | undefined;
  #recorder: MatchRecorder<S, I> | undefined;
  #desync: Desync | null = null;
  #sentPackets = 0;
  #sentBytes = 0;
  #receivedPackets = 0;
  #phase: Phase = 'syncing';
  #cause: EndCause | null = null;
  #reason: string | null = null;

  /** `attach` the connections to the other players next. */
  constructor(game: Game<S, I>, options: PeerMatchOptions<S, I>) {
    this.game = game;
    this.#options = options;
    this.#inputDelay = options.inputDelay ?? 'auto';
    const { me: seat, names, rematches = 0 } = options;
    this.#series = new Series(
      { seat, seats: names.length, rematches, session: (played) => this.#sessionOptions(played) },
      {
        send: (to, channel, bytes) => this.#send(to, channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
    this.#recorder = this.#newRecorder();
    this.#startLoop();
  }

  get me(): number {
    return this.#series.me;
  }

  get #session(): Session<S, I> {
    return this.#series.session;
  }

  /** Matches of these players before this one. */
  get rematches(): number {
    return this.#series.rematches;
  }

  #sessionOptions(rematches: number): Omit<SessionOptions<S, I>, 'me' | 'players' | 'epochs'> {
    const { game } = this;
    const options = this.#options;
    const { party, recorder, me: seat } = options;
    const isFirst = rematches === (options.rematches ?? 0);
    return {
      game,
      party,
      name: options.names[seat] ?? '',
      // Another one each match, and yet all of them by the one that was asked for.
      seed: (options.seed + rematches) >>> 0,
      settings: isFirst ? options.settings : this.#session.running?.agreed.settings,
      maxPrediction: options.maxPrediction,
      inputDelay: this.#inputDelay,
      frames: options.frames,
      clock: () => performance.now(),
      returning: isFirst && options.returning,
      record: recorder && ((agreed) => this.#recorder!.record(this.me, agreed)),
    };
  }

  #newRecorder(): MatchRecorder<S, I> | undefined {
    const { recorder, archive } = this.#options;
    return (
      recorder &&
      new recorder.MatchRecorder({
        game: this.game,
        archive,
        send: (seat, piece) => this.#send(seat, 'reliable', piece),
        told: (desync) => this.#part(desync),
      })
    );
  }

  #part(desync: Desync): void {
    this.#desync = desync;
    this.#listeners.emit('desync', desync);
  }

  #startLoop(): void {
    const stopLoop = frameLoop({ advance: (nowMs) => this.#advance(nowMs), draw: (nowMs) => this.#draw(nowMs) });
    const stopWatching = watchVisibility((hidden) => this.#session.setHidden(hidden));
    this.#stopLoop = () => {
      stopLoop();
      stopWatching();
    };
  }

  /** Shows each match to the room's spectators; `connect` makes the connection of a pairing. */
  showIn(room: Pick<Room, 'onPairing'>, connect: (pairing: Pairing) => Promise<Transport>): void {
    this.#follow = () =>
      room.onPairing((pairing) => {
        if (pairing.peer.role !== 'spectator') return;
        const stand = this.#standFor(this.#session);
        // Who is not reached asks for another source by itself.
        stand.then((shown) => shown?.show(pairing, connect)).catch(() => undefined);
      });
    this.#stopFollowing = this.#follow();
  }

  /** Where a match is shown; undefined when it is over before that is loaded. */
  async #standFor(session: Session<S, I>): Promise<Stand<S, I> | undefined> {
    const { Stand } = await loadPart(() => import('./stand.js'));
    if (session !== this.#session || this.#cause !== null) return undefined;
    this.#stand ??= new Stand(this.game, () => {
      const { running } = session;
      // Who is not taken in again yet has no say in what is final.
      if (running === undefined || running.seats?.isOutside === true) return undefined;
      return { agreed: running.agreed, driver: running.driver, newest: running.driver.checker.newest };
    });
    return this.#stand;
  }

  /** The seat in the room of a player of this match. */
  seatOf(player: number): number {
    return this.#series.seatOf(player);
  }

  /** A connection to a seat, the first or a later one: the one before, which is lost, is closed. */
  attach(seat: number, transport: Transport): void {
    this.#transports.get(seat)?.close();
    this.#transports.set(seat, transport);
    this.#connected.add(seat);
    // In this order: listening delivers what the peer has sent already.
    this.#series.open(performance.now(), seat);
    // A connection that was replaced has nothing to say any more.
    const ifCurrent = (run: () => void): void => {
      if (this.#transports.get(seat) === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) =>
        ifCurrent(() => {
          if (channel === 'unreliable') this.#receivedPackets++;
          if (channel === 'reliable' && bytes[0] === REPORT_MARK) this.#recorder?.receive(seat, bytes);
          else this.#series.receive(performance.now(), seat, channel, bytes);
        }),
      close: (reason) =>
        ifCurrent(() => {
          this.#connected.delete(seat);
          this.#series.closed(seat, reason);
        }),
    });
  }

  /** Whether the connection to a seat is there, as far as it says itself; it may be silent all the same. */
  isConnected(seat: number): boolean {
    return this.#connected.has(seat);
  }

  /** Looks for new network paths to a seat over the connection that there is. False where it cannot. */
  restart(seat: number): boolean {
    return this.#transports.get(seat)?.restart() === true;
  }

  #send(seat: number, channel: Channel, bytes: Uint8Array): void {
    if (channel === 'unreliable') {
      this.#sentPackets++;
      this.#sentBytes += bytes.length;
    }
    this.#transports.get(seat)?.send(channel, bytes);
  }

  #advance(nowMs: number): void {
    this.#guard(() => {
      for (let due = this.#session.dueTicks(nowMs); due > 0; due--) {
        this.#session.tick(nowMs, this.#options.input());
        tellEffects(this.#session.driver, this.#options);
      }
    });
    this.#stand?.poll(nowMs);
  }

  #draw(nowMs: number): void {
    const session = this.#session;
    drawMatch(this, session.sim, session.alpha(nowMs), this.#options.draw);
  }

  /** A game that throws ends the match in words; it must not take the page down. */
  #guard(run: () => void): void {
    guarded(run, (message) => this.#session.fail(message));
  }

  #handleEvent(event: SeriesEvent): void {
    switch (event.type) {
      case 'syncing':
        this.#beginNext();
        return;
      case 'rematch':
        this.#listeners.emit('rematch', event.player);
        return;
      case 'closed':
        this.#close(event.message);
        return;
      case 'running':
      case 'interrupted':
        this.#setPhase(event.type);
        return;
      case 'link':
        this.#listeners.emit('link', event.player, event.isUp);
        return;
      case 'presence':
        this.#listeners.emit('presence', event.player, event.presence);
        return;
      case 'paused':
        this.#listeners.emit('pause', event.by);
        return;
      case 'desync':
        this.#recorder?.parted(this.seatOf(event.player), event.frame);
        if (this.#desync === null) this.#part({ frame: event.frame });
        return;
      case 'ended':
        this.#finish(event.cause, event.message);
    }
  }

  #finish(cause: EndCause, message: string): void {
    const ran = this.#session.sim !== undefined;
    this.#cause = cause;
    this.#reason = message;
    tellEffects(this.#session.driver, this.#options, true);
    this.#recorder?.end(cause);
    // Of more than two the others may play on.
    const isOverForAll = cause !== 'left' || this.#options.names.length === 2;
    const stand = this.#stand;
    stand?.end(cause === 'finished' ? 'finished' : isOverForAll ? 'over' : 'left');
    this.#stopFollowing();
    setTimeout(() => stand?.close(), LINGER_MS);
    this.#stopLoop();
    this.#closing = setTimeout(() => this.#series.close('Not all players asked for another match.'), REMATCH_MS);
    this.#setPhase(FAILED.has(cause) || !ran ? 'failed' : 'ended');
  }

  /** Nothing but the connections is left of the match before; who watched it watches anew. */
  #beginNext(): void {
    clearTimeout(this.#closing);
    this.#recorder = this.#newRecorder();
    this.#desync = null;
    this.#cause = null;
    this.#reason = null;
    this.#stand = undefined;
    this.#stopFollowing = this.#follow();
    this.#startLoop();
    this.#setPhase('syncing');
  }

  #close(message: string): void {
    clearTimeout(this.#closing);
    setTimeout(() => {
      for (const transport of this.#transports.values()) transport.close();
    }, LINGER_MS);
    this.#listeners.emit('closed', message);
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    this.#listeners.emit('phase', phase, this.status());
  }

  status(): MatchStatus {
    const session = this.#session;
    const { sim, driver } = session;
    const stats = sim?.stats;
    const nowMs = performance.now();
    const names = session.running?.agreed.names ?? this.#namesByPlayer();
    return {
      phase: this.#phase,
      room: this.#options.room,
      frame: sim?.lastFrame() ?? -1,
      confirmedFrame: driver?.checker.newest ?? -1,
      inputDelay: driver?.local.inputDelay ?? 0,
      rttMs: session.rttMs,
      rollbacks: stats?.rollbacks ?? 0,
      maxRollbackFrames: stats?.maxRollbackFrames ?? 0,
      resimulatedFrames: stats?.resimulatedFrames ?? 0,
      stalledFrames: driver?.stalledFrames ?? 0,
      droppedPackets: session.droppedPackets,
      sentPackets: this.#sentPackets,
      sentBytes: this.#sentBytes,
      receivedPackets: this.#receivedPackets,
      comparedFrames: session.comparedFrames,
      remoteInputChanges: driver?.remoteInputChanges ?? 0,
      desync: this.#desync,
      transport: [...this.#transports.values()][0]?.kind ?? null,
      players: names.map((name, player) => ({ name, me: player === this.me, presence: session.presenceOf(player) })),
      cause: this.#cause,
      reason: this.#reason,
      peerInputDelay: session.running?.peerInputDelay ?? 0,
      slowMachine: session.running?.slowMachine ?? null,
      resumeLeftMs: session.resumeLeftMs(nowMs),
      measures: session.running?.measures(nowMs) ?? null,
      rematch: this.#series.wanted,
      pausedBy: session.pausedBy,
    };
  }

  #namesByPlayer(): string[] {
    const { names } = this.#options;
    return names.map((_, player) => names[this.#series.seatOf(player)] ?? '');
  }

  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void {
    return this.#listeners.add(event, listener);
  }

  stateAt(frame: number): S {
    const { sim } = this.#session;
    if (sim === undefined) throw frameNotKept(frame);
    return sim.stateAt(frame);
  }

  hashAt(frame: number): number {
    const hash = this.#session.driver?.hashAt(frame);
    if (hash === undefined) throw frameNotKept(frame);
    return hash;
  }

  async recording(): Promise<Uint8Array> {
    return this.#recorded().bytes();
  }

  async report(): Promise<Uint8Array> {
    return this.#recorded().report();
  }

  #recorded(): MatchRecorder<S, I> {
    if (this.#recorder !== undefined) return this.#recorder;
    throw new RiposteError('bad-recording', 'there is no recording: `record` is false');
  }

  setInputDelay(inputDelay: number | 'auto'): void {
    this.#session.setInputDelay(inputDelay);
    this.#inputDelay = inputDelay;
  }

  async route(): Promise<Route | null> {
    const routes = await Promise.all([...this.#transports.values()].map((transport) => transport.route?.() ?? null));
    return routes.find((route) => route === 'relayed') ?? routes[0] ?? null;
  }

  pause(): void {
    this.#session.pause(performance.now());
  }

  resume(): void {
    this.#session.resume(performance.now());
  }

  async rematch(): Promise<void> {
    const next = new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        for (const stop of stops) stop();
        end();
      };
      const fail = (message: string): void => settle(() => reject(new MatchError('no-rematch', message)));
      const stops = [
        this.on('phase', (phase, { reason }) => {
          if (phase === 'running') settle(resolve);
          else if (phase === 'ended' || phase === 'failed') fail(reason ?? 'The next match did not begin.');
        }),
        this.on('closed', fail),
      ];
      if (!this.#series.ask(performance.now())) {
        fail('A rematch can be asked for once a match is finished, while all players are there: create a new match.');
      }
    });
    await next;
  }

  leave(): void {
    this.#session.leave();
    this.#series.close('You left.');
  }
}

import type { RecordingWriter } from '@riposte/shared';
import { type Game, RiposteError } from '@riposte/shared';
import { stateAfter } from '../display/state-after.js';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { watchVisibility } from '../frame-loop/visibility.js';
import { engineName } from '../recorder/engine.js';
import { Session } from '../session/session.js';
import type { EndCause, SessionEvent } from '../session/session-types.js';
import type { Transport } from '../transport/transport.js';
import { Listeners } from './listeners.js';
import type { Match, MatchEvents, MatchOptions, MatchStatus, Phase } from './match.js';
import { frameNotKept, gameFault } from './match-error.js';
import type { MatchParts } from './parts.js';
import { Stand } from './stand.js';
import { tellEffects } from './tell-effects.js';

/** How long a finished match keeps its connection, so that the last goodbye arrives. */
const LINGER_MS = 1000;

/** Ends after which the match stands as it was played; others count as failed when it never ran. */
const FAILED: ReadonlySet<EndCause> = new Set(['refused', 'peer-fault', 'game-fault']);

export interface PeerMatchOptions<S, I> extends MatchOptions<S, I>, MatchParts {
  readonly me: number;
  readonly room: string | null;
  readonly names: readonly string[];
  readonly seed: number;
  /** This page was in the match before it was reloaded. */
  readonly returning?: boolean;
}

/** A match over a transport: drives the session from the page's frames, draws, and keeps the recording. */
export class PeerMatch<S, I> implements Match<S, I> {
  readonly me: number;
  readonly game: Game<S, I>;
  /** Who watches by way of this side. */
  readonly stand: Stand<S, I>;
  readonly #options: PeerMatchOptions<S, I>;
  /** By player; a connection that is lost stays here until another takes its place. */
  readonly #transports = new Map<number, Transport>();
  readonly #connected = new Set<number>();
  readonly #session: Session<S, I>;
  readonly #listeners = new Listeners<MatchEvents>();
  readonly #stopLoop: () => void;
  #recording: RecordingWriter | undefined;
  #phase: Phase = 'syncing';
  #cause: EndCause | null = null;
  #reason: string | null = null;

  /** `attach` the connections to the other players next. */
  constructor(game: Game<S, I>, options: PeerMatchOptions<S, I>) {
    this.game = game;
    this.me = options.me;
    this.#options = options;
    const { party, recorder } = options;
    this.#session = new Session(
      {
        game,
        me: options.me,
        players: options.names.length,
        party,
        name: options.names[options.me] ?? '',
        seed: options.seed,
        settings: options.settings,
        maxPrediction: options.maxPrediction,
        inputDelay: options.inputDelay ?? 'auto',
        frames: options.frames,
        clock: () => performance.now(),
        returning: options.returning,
        ...(recorder !== undefined && {
          record: (agreed) => {
            this.#recording = recorder.matchRecording(game, options.me, agreed, engineName(), options.archive);
            return this.#recording;
          },
        }),
      },
      {
        send: (player, channel, bytes) => this.#transports.get(player)?.send(channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
    this.stand = new Stand(game, () => {
      const { running } = this.#session;
      return running && { agreed: running.agreed, driver: running.driver, newest: running.driver.checker.newest };
    });
    const stopLoop = frameLoop((nowMs) => this.#frame(nowMs));
    const stopWatching = watchVisibility((hidden) => this.#session.setHidden(hidden));
    this.#stopLoop = () => {
      stopLoop();
      stopWatching();
    };
    options.signal?.addEventListener('abort', () => this.leave(), { once: true });
  }

  /** A connection to a player, the first or a later one: the one before, which is lost, is closed. */
  attach(player: number, transport: Transport): void {
    this.#transports.get(player)?.close();
    this.#transports.set(player, transport);
    this.#connected.add(player);
    // In this order: listening delivers what the peer has sent already.
    this.#session.open(performance.now(), player);
    // A connection that was replaced has nothing to say any more.
    const ifCurrent = (run: () => void): void => {
      if (this.#transports.get(player) === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.#session.receive(performance.now(), player, channel, bytes)),
      close: (reason) =>
        ifCurrent(() => {
          this.#connected.delete(player);
          this.#session.closed(player, reason);
        }),
    });
  }

  /** Whether the connection to a player is there, as far as it says itself; it may be silent all the same. */
  isConnected(player: number): boolean {
    return this.#connected.has(player);
  }

  /** Looks for new network paths to a player over the connection that there is. False where it cannot. */
  restart(player: number): boolean {
    return this.#transports.get(player)?.restart() === true;
  }

  #frame(nowMs: number): void {
    this.#guard(() => {
      for (let due = this.#session.dueTicks(nowMs); due > 0; due--) {
        this.#session.tick(nowMs, this.#options.input());
        tellEffects(this.#session.driver, this.#options);
      }
    });
    this.stand.poll(nowMs);
    const { sim } = this.#session;
    if (sim === undefined || this.#options.draw === undefined) return;
    const info = { me: this.me, alpha: this.#session.alpha(nowMs), frame: sim.lastFrame(), status: this.status() };
    this.#options.draw(sim.state, info, (frame) => stateAfter(sim, frame));
  }

  /** A game that throws ends the match in words; it must not take the page down. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#session.fail(gameFault(error));
      if (!(error instanceof RiposteError)) console.error(error);
    }
  }

  #handleEvent(event: SessionEvent): void {
    switch (event.type) {
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
      case 'desync':
        this.#listeners.emit('desync', { frame: event.frame });
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
    this.#recording?.end(cause);
    // Of more than two the others may play on.
    const isOverForAll = cause !== 'left' || this.#options.names.length === 2;
    this.stand.end(cause === 'finished' ? 'finished' : isOverForAll ? 'over' : 'left');
    this.#stopLoop();
    setTimeout(() => {
      for (const transport of this.#transports.values()) transport.close();
      this.stand.close();
    }, LINGER_MS);
    this.#setPhase(FAILED.has(cause) || !ran ? 'failed' : 'ended');
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
    const names = session.running?.agreed.names ?? this.#options.names;
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
      comparedFrames: session.comparedFrames,
      remoteInputChanges: driver?.remoteInputChanges ?? 0,
      desync: session.desync,
      transport: [...this.#transports.values()][0]?.kind ?? null,
      players: names.map((name, player) => ({ name, me: player === this.me, presence: session.presenceOf(player) })),
      cause: this.#cause,
      reason: this.#reason,
      peerInputDelay: session.running?.peerInputDelay ?? 0,
      slowMachine: session.running?.slowMachine ?? null,
      resumeLeftMs: session.resumeLeftMs(nowMs),
      measures: session.running?.measures(nowMs) ?? null,
    };
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
    if (this.#recording === undefined) {
      throw new RiposteError('bad-recording', 'there is no recording: the match has not begun, or `record` is false');
    }
    return this.#recording.bytes();
  }

  setInputDelay(inputDelay: number | 'auto'): void {
    this.#session.setInputDelay(inputDelay);
  }

  leave(): void {
    this.#session.leave();
  }
}

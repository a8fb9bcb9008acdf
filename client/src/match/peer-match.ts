import type { RecordingWriter } from '@riposte/shared';
import { type Game, RiposteError } from '@riposte/shared';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { engineName } from '../recorder/engine.js';
import { matchRecording } from '../recorder/match-recording.js';
import { Session } from '../session/session.js';
import type { EndCause, SessionEvent } from '../session/session-types.js';
import type { Transport } from '../transport/transport.js';
import { Listeners } from './listeners.js';
import type { Match, MatchEvents, MatchOptions, MatchStatus, Phase } from './match.js';
import { frameNotKept, gameFault } from './match-error.js';
import { tellEffects } from './tell-effects.js';

/** How long a finished match keeps its connection, so that the last goodbye arrives. */
const LINGER_MS = 1000;

/** Ends after which the match stands as it was played; others count as failed when it never ran. */
const FAILED: ReadonlySet<EndCause> = new Set(['refused', 'peer-fault', 'game-fault']);

export interface PeerMatchOptions<S, I> extends MatchOptions<S, I> {
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
  readonly #options: PeerMatchOptions<S, I>;
  #transport: Transport;
  #isConnected = true;
  readonly #session: Session<S, I>;
  readonly #listeners = new Listeners<MatchEvents>();
  readonly #stopLoop: () => void;
  #recording: RecordingWriter | undefined;
  #phase: Phase = 'syncing';
  #cause: EndCause | null = null;
  #reason: string | null = null;

  constructor(game: Game<S, I>, options: PeerMatchOptions<S, I>, transport: Transport) {
    this.game = game;
    this.me = options.me;
    this.#options = options;
    this.#transport = transport;
    this.#session = new Session(
      {
        game,
        me: options.me,
        name: options.names[options.me] ?? '',
        seed: options.seed,
        settings: options.settings,
        maxPrediction: options.maxPrediction,
        inputDelay: options.inputDelay ?? 'auto',
        frames: options.frames,
        clock: () => performance.now(),
        returning: options.returning,
        ...(options.record !== false && {
          record: (agreed) => {
            this.#recording = matchRecording(game, options.me, agreed, engineName());
            return this.#recording;
          },
        }),
      },
      {
        send: (channel, bytes) => this.#transport.send(channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
    this.attach(transport);
    this.#stopLoop = frameLoop((nowMs) => this.#frame(nowMs));
    options.signal?.addEventListener('abort', () => this.leave(), { once: true });
  }

  /** Goes on over another connection; the one before, which is lost, is closed. */
  attach(transport: Transport): void {
    if (this.#transport !== transport) this.#transport.close();
    this.#transport = transport;
    this.#isConnected = true;
    // In this order: listening delivers what the peer has sent already.
    this.#session.open(performance.now());
    // A connection that was replaced has nothing to say any more.
    const ifCurrent = (run: () => void): void => {
      if (this.#transport === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.#session.receive(performance.now(), channel, bytes)),
      close: (reason) =>
        ifCurrent(() => {
          this.#isConnected = false;
          this.#session.closed(reason);
        }),
    });
  }

  /** Whether the connection is there, as far as it says itself; it may be silent all the same. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  #frame(nowMs: number): void {
    this.#guard(() => {
      for (let due = this.#session.dueTicks(nowMs); due > 0; due--) {
        this.#session.tick(nowMs, this.#options.input());
        tellEffects(this.#session.driver, this.#options);
      }
    });
    const { sim } = this.#session;
    if (sim === undefined || this.#options.draw === undefined) return;
    this.#options.draw(sim.state, {
      me: this.me,
      alpha: this.#session.alpha(nowMs),
      frame: sim.lastFrame(),
      status: this.status(),
    });
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
    this.#stopLoop();
    setTimeout(() => this.#transport.close(), LINGER_MS);
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
      transport: this.#transport.kind,
      players: names.map((name, player) => ({ name, me: player === this.me })),
      cause: this.#cause,
      reason: this.#reason,
      peerInputDelay: session.running?.peer.peerInputDelay ?? 0,
      slowMachine: session.running?.slowMachine ?? null,
      resumeLeftMs: session.resumeLeftMs(performance.now()),
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

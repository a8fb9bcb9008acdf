import { type Game, type RecordingWriter, RiposteError } from '@riposte/shared';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { Listeners } from '../listeners.js';
import { drawMatch } from '../match/draw-match.js';
import type { Match, MatchEvents, MatchOptions, MatchStatus, Phase } from '../match/match.js';
import { frameNotKept, guarded, MatchError, noReport } from '../match/match-error.js';
import { blankStatus } from '../match/status.js';
import { tellEffects } from '../match/tell-effects.js';
import { matchRecording } from '../recorder/match-recording.js';
import type { EndCause } from '../session/session-types.js';
import type { Channel, Route, Transport } from '../transport/transport.js';
import type { ClientEvent } from './authority-types.js';
import { ClientSession } from './client-session.js';
import { type AuthorityMeasures, measuresOf } from './measures.js';

/** The seat of whoever made the room: an authority makes its own. */
export const AUTHORITY_SEAT = 0;

/** How long a finished match keeps its connection, so that the last goodbye arrives. */
const LINGER_MS = 1000;

/** Ends after which the match counts as failed, also when it ran. */
const FAILED: ReadonlySet<EndCause> = new Set(['refused', 'peer-fault', 'game-fault']);

export interface ClientMatchOptions<S, I> extends MatchOptions<S, I> {
  readonly room: string | null;
  /** Called when the authority refused an input of this player, with the reason in words. */
  readonly onDenied?: (denied: { readonly frame: number; readonly reason: string }) => void;
}

export interface AuthorityMatchStatus extends MatchStatus {
  /** Null before the match. */
  readonly authority: AuthorityMeasures | null;
}

/** A match that an authority runs, as its page holds it: drives the session from the page's frames, and draws. */
export class ClientMatch<S, I> implements Match<S, I> {
  readonly game: Game<S, I>;
  readonly #options: ClientMatchOptions<S, I>;
  readonly #session: ClientSession<S, I>;
  readonly #listeners = new Listeners<MatchEvents>();
  readonly #stopLoop: () => void;
  #transport: Transport | undefined;
  #isConnected = false;
  #sentPackets = 0;
  #sentBytes = 0;
  #receivedPackets = 0;
  #recording: RecordingWriter | undefined;
  #phase: Phase = 'syncing';
  #cause: EndCause | null = null;
  #reason: string | null = null;

  readonly #abort = (): void => this.leave();

  /** `attach` the connection to the authority next. */
  constructor(game: Game<S, I>, options: ClientMatchOptions<S, I>) {
    const { inputDelay, record } = options;
    this.game = game;
    this.#options = options;
    this.#session = new ClientSession(
      {
        game,
        name: options.name ?? '',
        inputDelay: inputDelay === 'auto' ? undefined : inputDelay,
        clock: () => performance.now(),
        record: (match) => {
          this.#recording = matchRecording(game, this.me, match, options.archive);
          return this.#recording;
        },
        ...(record === false && { record: undefined }),
      },
      {
        send: (channel, bytes) => this.#send(channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
    this.#stopLoop = frameLoop({ advance: (nowMs) => this.#advance(nowMs), draw: (nowMs) => this.#draw(nowMs) });
    options.signal?.addEventListener('abort', this.#abort);
  }

  /** -1 before the authority has said which player this is. */
  get me(): number {
    return this.#session.begin?.player ?? -1;
  }

  /** Whether the connection is there, as far as it says itself; it may be silent all the same. */
  isConnected(_seat = AUTHORITY_SEAT): boolean {
    return this.#isConnected;
  }

  /** Looks for new paths of the same connection; false where that cannot be. */
  restart(_seat = AUTHORITY_SEAT): boolean {
    return this.#transport?.restart() === true;
  }

  /** Goes on over another connection; the one before, which is lost, is closed. */
  attach(_seat: number, transport: Transport): void {
    this.#transport?.close();
    this.#transport = transport;
    this.#isConnected = true;
    this.#session.open(performance.now());
    // A connection that was replaced has nothing to say any more.
    const ifCurrent = (run: () => void): void => {
      if (this.#transport === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) =>
        ifCurrent(() => {
          if (channel === 'unreliable') this.#receivedPackets++;
          this.#session.receive(performance.now(), channel, bytes);
        }),
      close: (reason) =>
        ifCurrent(() => {
          this.#isConnected = false;
          this.#session.closed(reason);
        }),
    });
  }

  #send(channel: Channel, bytes: Uint8Array): void {
    if (channel === 'unreliable') {
      this.#sentPackets++;
      this.#sentBytes += bytes.length;
    }
    this.#transport?.send(channel, bytes);
  }

  #advance(nowMs: number): void {
    this.#guard(() => {
      for (let due = this.#session.dueTicks(nowMs); due > 0; due--) {
        this.#session.tick(nowMs, this.#options.input());
        tellEffects(this.#session, this.#options);
      }
    });
  }

  #draw(nowMs: number): void {
    const session = this.#session;
    drawMatch(this, session.sim, session.alpha(nowMs), this.#options.draw);
  }

  /** A game that throws ends the match in words; it must not take the page down. */
  #guard(run: () => void): void {
    guarded(run, (message) => this.#session.fail(message));
  }

  #handleEvent(event: ClientEvent): void {
    if (event.type === 'denied') this.#options.onDenied?.({ frame: event.frame, reason: event.reason });
    else if (event.type === 'ended') this.#finish(event.cause, event.message);
    else {
      this.#listeners.emit('link', AUTHORITY_SEAT, event.type === 'running');
      this.#setPhase(event.type);
    }
  }

  #finish(cause: EndCause, message: string): void {
    this.#cause = cause;
    this.#reason = message;
    tellEffects(this.#session, this.#options, true);
    this.#stopLoop();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    setTimeout(() => this.#transport?.close(), LINGER_MS);
    this.#setPhase(FAILED.has(cause) || this.#session.sim === undefined ? 'failed' : 'ended');
    this.#listeners.emit('closed', message);
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    this.#listeners.emit('phase', phase, this.status());
  }

  status(): AuthorityMatchStatus {
    const session = this.#session;
    const { sim, begin, figures } = session;
    const stats = sim?.stats;
    const nowMs = performance.now();
    const measures = measuresOf(session, nowMs);
    const names = begin?.names ?? [this.#options.name ?? ''];
    return {
      ...blankStatus,
      phase: this.#phase,
      room: this.#options.room,
      frame: sim?.lastFrame() ?? -1,
      confirmedFrame: session.authorityFrame - 1,
      inputDelay: session.inputDelay,
      rttMs: session.lead.rtt.smoothedMs,
      rollbacks: stats?.rollbacks ?? 0,
      maxRollbackFrames: stats?.maxRollbackFrames ?? 0,
      resimulatedFrames: stats?.resimulatedFrames ?? 0,
      stalledFrames: session.stalledFrames,
      droppedPackets: session.droppedPackets,
      sentPackets: this.#sentPackets,
      sentBytes: this.#sentBytes,
      receivedPackets: this.#receivedPackets,
      // Each update proves the state by its hash.
      comparedFrames: figures === undefined ? 0 : session.authorityFrame,
      transport: this.#transport?.kind ?? null,
      players: names.map((name, player) => ({ name, me: player === this.me, presence: 'here' })),
      cause: this.#cause,
      reason: this.#reason,
      resumeLeftMs: session.resumeLeftMs(nowMs),
      measures,
      authority: measures,
    };
  }

  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void {
    return this.#listeners.add(event, listener);
  }

  #confirmed(frame: number) {
    const { sim, authorityFrame } = this.#session;
    if (sim === undefined || frame > authorityFrame) throw frameNotKept(frame);
    return sim;
  }

  stateAt(frame: number): S {
    return this.#confirmed(frame).stateAt(frame);
  }

  hashAt(frame: number): number {
    return this.#confirmed(frame).hashAt(frame);
  }

  async recording(): Promise<Uint8Array> {
    if (this.#recording !== undefined) return this.#recording.bytes();
    throw new RiposteError('bad-recording', 'there is no recording: the match has not begun, or `record` is false');
  }

  async report(): Promise<Uint8Array> {
    throw noReport();
  }

  /** Prediction hides the link, so that `auto` is no delay. */
  setInputDelay(inputDelay: number | 'auto'): void {
    this.#session.setInputDelay(inputDelay === 'auto' ? 0 : inputDelay);
  }

  async route(): Promise<Route | null> {
    return (await this.#transport?.route?.()) ?? null;
  }

  /** The authority plays on: nobody else stops a match. */
  pause(): void {}

  resume(): void {}

  async rematch(): Promise<void> {
    throw new MatchError('no-rematch', 'The authority decides what is played: join its room again for another match.');
  }

  leave(): void {
    this.#session.leave();
  }
}

import { type Game, type RecordingWriter, RiposteError } from '@riposte/shared';
import type { StateAfter } from '../display/state-after.js';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { Listeners, tell } from '../listeners.js';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import type { Pairing, Room } from '../lobby/room.js';
import { matchRecording } from '../recorder/match-recording.js';
import { type WatchEvent, WatchSession } from '../session/watch-session.js';
import type { Route, Transport } from '../transport/transport.js';
import { type ConnectOptions, connectPeer } from './connect.js';
import { drawMatch } from './draw-match.js';
import type { DrawInfo, EffectListeners, Match, MatchEvents, MatchStatus, Phase } from './match.js';
import { frameNotKept, guarded, MatchError, noReport } from './match-error.js';
import { Stand } from './stand.js';
import { blankStatus } from './status.js';
import { tellEffects } from './tell-effects.js';

/** A source that is silent for so long is not waited for, and one that cannot be reached is asked for again so often. */
const SILENT_MS = 2500;
const RETRY_MS = 2000;
/** How long this side's own connections stay open after the end, so that the last word arrives. */
const LINGER_MS = 1000;

export interface WatchMatchOptions<S> extends ConnectOptions, EffectListeners {
  /** The code of the match to watch. */
  readonly room: string;
  readonly draw?: (state: S, info: DrawInfo, stateAfter: StateAfter<S>) => void;
  readonly onPhase?: (phase: Phase, status: MatchStatus) => void;
  /** Shown to the others, up to 24 characters. */
  readonly name?: string;
  /** Frames behind the newest final one, 0 to 600; 0 by default. */
  readonly delay?: number;
  /** False keeps no recording. */
  readonly record?: boolean;
}

/** A match that is watched: told by one source at a time, drawn, recorded, and passed on to others. */
class WatchedMatch<S, I> implements Match<S, I> {
  readonly me = -1;
  readonly game: Game<S, I>;
  readonly stand: Stand<S, I>;
  readonly #options: WatchMatchOptions<S>;
  readonly #session: WatchSession<S, I>;
  readonly #listeners = new Listeners<MatchEvents>();
  readonly #stopLoop: () => void;
  #transport: Transport | undefined;
  #recording: RecordingWriter | undefined;
  readonly #abort = (): void => this.leave();
  #phase: Phase = 'syncing';
  #ended: Extract<WatchEvent, { type: 'ended' }> | undefined;

  constructor(game: Game<S, I>, options: WatchMatchOptions<S>) {
    this.game = game;
    this.#options = options;
    this.#session = new WatchSession(
      {
        game,
        delay: options.delay,
        ...(options.record !== false && {
          record: (match) => {
            this.#recording = matchRecording(game, -1, match);
            return this.#recording;
          },
        }),
      },
      {
        send: (channel, bytes) => this.#transport?.send(channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
    this.stand = new Stand(game, () => this.#session.source);
    this.#stopLoop = frameLoop({ advance: (nowMs) => this.#advance(nowMs), draw: (nowMs) => this.#draw(nowMs) });
    options.signal?.addEventListener('abort', this.#abort);
  }

  /** A connection to a source: the one before is closed. */
  attach(transport: Transport): void {
    this.#transport?.close();
    this.#transport = transport;
    this.#session.open(performance.now());
    const ifCurrent = (run: () => void): void => {
      if (this.#transport === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.#session.receive(performance.now(), channel, bytes)),
      close: () => ifCurrent(() => this.#session.closed()),
    });
  }

  #advance(nowMs: number): void {
    const session = this.#session;
    this.#guard(() => {
      for (let due = session.dueTicks(nowMs); due > 0; due--) {
        session.tick();
        tellEffects(session, this.#options);
      }
    });
    this.stand.poll(nowMs);
  }

  #draw(nowMs: number): void {
    const session = this.#session;
    drawMatch(this, session.sim, session.alpha(nowMs), this.#options.draw);
  }

  /** A game that throws ends the watching in words; it must not take the page down. */
  #guard(run: () => void): void {
    guarded(run, (message) => this.#session.fail(message));
  }

  #handleEvent(event: WatchEvent): void {
    if (event.type === 'desync') this.#listeners.emit('desync', { frame: event.frame });
    else if (event.type === 'ended') this.#finish(event);
    else this.#setPhase(event.type);
  }

  #finish(event: Extract<WatchEvent, { type: 'ended' }>): void {
    this.#ended = event;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    tellEffects(this.#session, this.#options, true);
    this.stand.end(event.cause === 'finished' ? 'finished' : event.cause === 'left' ? 'left' : 'over');
    this.#stopLoop();
    setTimeout(() => {
      this.#transport?.close();
      this.stand.close();
    }, LINGER_MS);
    const failed = event.cause === 'refused' || event.cause === 'game-fault' || this.#session.sim === undefined;
    this.#setPhase(failed ? 'failed' : 'ended');
    this.#listeners.emit('closed', event.message);
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    this.#listeners.emit('phase', phase, this.status());
  }

  status(): MatchStatus {
    const session = this.#session;
    return {
      ...blankStatus,
      phase: this.#phase,
      room: this.#options.room,
      frame: session.frame,
      confirmedFrame: session.newest,
      droppedPackets: session.droppedPackets,
      comparedFrames: session.comparedFrames,
      desync: session.desync,
      transport: this.#transport?.kind ?? null,
      players: (session.agreed?.names ?? []).map((name, player) => ({
        name,
        me: false,
        presence: session.sim?.isGone(player, session.frame) === true ? 'gone' : 'here',
      })),
      cause: this.#ended === undefined || this.#ended.cause === 'left' ? null : this.#ended.cause,
      reason: this.#ended?.message ?? null,
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
    const hash = this.#session.source?.driver.checker.hashOf(frame - 1);
    if (hash === undefined) throw frameNotKept(frame);
    return hash;
  }

  async recording(): Promise<Uint8Array> {
    if (this.#recording !== undefined) return this.#recording.bytes();
    const why = this.#options.record === false ? '`record` is false' : 'nothing of the match is known yet';
    throw new RiposteError('bad-recording', `there is no recording: ${why}`);
  }

  async report(): Promise<Uint8Array> {
    throw noReport();
  }

  /** Who watches has no input. */
  setInputDelay(): void {}

  async route(): Promise<Route | null> {
    return (await this.#transport?.route?.()) ?? null;
  }

  /** Who watches stops nobody. */
  pause(): void {}

  resume(): void {}

  async rematch(): Promise<void> {
    throw new MatchError(
      'no-rematch',
      'Who watches cannot ask for a rematch: when the players do, watch the room again.',
    );
  }

  leave(): void {
    this.#session.leave();
  }
}

/**
 * Watches a match of others, at any moment of it: as it is from then on, as far behind as asked. Resolves with the first
 * frame. The players notice nothing of it, and it goes on by another source when its own is gone.
 *
 * @throws LobbyError, TransportError or MatchError, each with a `code` and a sentence that says what to do;
 * RiposteError `bad-argument` for a delay that cannot be, `not-loaded` when a part of this package cannot be loaded.
 */
export async function watchMatch<S, I>(game: Game<S, I>, options: WatchMatchOptions<S>): Promise<Match<S, I>> {
  const { name, signal, room: code } = options;
  const report = (phase: Phase): void => tell(options.onPhase, phase, { ...blankStatus, phase, room: code });
  report('connecting');
  const lobby = await connectLobby({ server: options.server, name: name || undefined, signal });
  try {
    const room = await lobby.watch(code, { game: game.id, version: game.version });
    report('lobby');
    const match = new WatchedMatch(game, options);
    return await firstFrame(match, room, lobby, options);
  } catch (error) {
    lobby.close();
    throw error;
  }
}

/** Follows the room until the match is shown, and from then on for as long as it is. */
function firstFrame<S, I>(
  match: WatchedMatch<S, I>,
  room: Room,
  lobby: Lobby,
  options: WatchMatchOptions<S>,
): Promise<Match<S, I>> {
  const connect = (pairing: Pairing): Promise<Transport> => connectPeer(pairing, options, room);
  const stopStand = room.onPairing((pairing) => {
    // A source makes the offer: the other direction is this side's own source.
    if (pairing.peer.role !== 'spectator' || !pairing.initiator) return;
    // Who is not reached asks for another source by itself.
    match.stand.show(pairing, connect).catch(() => undefined);
  });
  const stopSource = keepSource(room, match, connect);
  return new Promise((resolve, reject) => {
    if (options.onPhase !== undefined) match.on('phase', options.onPhase);
    match.on('phase', () => {
      // As it is by now: the page may have ended it.
      const { phase, cause, reason } = match.status();
      if (phase === 'running') resolve(match);
      if (phase !== 'ended' && phase !== 'failed') return;
      stopStand();
      stopSource();
      lobby.close();
      reject(new MatchError(cause ?? 'lost', reason ?? 'There is nothing more to watch.'));
    });
    room.onEnd((error) => {
      if (match.status().phase === 'syncing') {
        reject(error);
        match.leave();
      }
    });
  });
}

/** Connects with the source that the room names, and asks for another one when it is silent or gone. */
function keepSource<S, I>(
  room: Room,
  match: WatchedMatch<S, I>,
  connect: (pairing: Pairing) => Promise<Transport>,
): () => void {
  let newest: Pairing | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const ask = (): void => {
    clearTimeout(timer);
    if (newest === undefined || isOver) return;
    // What goes wrong here, the next attempt may put right; the session's own time-out ends them.
    room.pairAgain(newest.peer.seat).catch(() => undefined);
    timer = setTimeout(ask, SILENT_MS + RETRY_MS);
  };
  const stopFollowing = room.onPairing(async (pairing) => {
    if (pairing.initiator) return;
    newest = pairing;
    clearTimeout(timer);
    try {
      const transport = await connect(pairing);
      if (isOver || newest !== pairing) transport.close();
      else match.attach(transport);
    } catch {
      if (newest === pairing) timer = setTimeout(ask, RETRY_MS);
    }
  });
  match.on('phase', (phase) => {
    if (phase === 'running') clearTimeout(timer);
    if (phase !== 'interrupted') return;
    clearTimeout(timer);
    timer = setTimeout(ask, SILENT_MS);
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    stopFollowing();
  };
}

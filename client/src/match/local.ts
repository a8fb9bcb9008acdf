import { type Game, type RecordingWriter, RiposteError, RollbackSim } from '@riposte/shared';
import type { StateAfter } from '../display/state-after.js';
import { frameLoop } from '../frame-loop/frame-loop.js';
import { Listeners } from '../listeners.js';
import type { RecordingArchive } from '../recorder/archive.js';
import { matchRecording } from '../recorder/match-recording.js';
import { Pacer } from '../session/pacer.js';
import { RollbackDriver } from '../session/rollback-driver.js';
import type { EndCause } from '../session/session-types.js';
import { drawMatch } from './draw-match.js';
import type { DrawInfo, EffectListeners, Match, MatchEvents, MatchStatus, Phase } from './match.js';
import { frameNotKept, guarded, MatchError, noReport } from './match-error.js';
import { randomSeed } from './seed.js';
import { blankStatus } from './status.js';
import { tellEffects } from './tell-effects.js';

/** A page that was away does not fast-forward what nobody waits for. */
const BACKLOG_FRAMES_MAX = 3;

/** A player on this machine: keys, or a computer that plays by the state before the frame, which it reads only. */
export type LocalInput<S, I> = (state: S) => Partial<I>;

export interface LocalOptions<S, I> extends EffectListeners {
  /** One a player. */
  readonly inputs: readonly LocalInput<S, I>[];
  /** The player whose side the page takes, where a person plays alone; -1, for nobody's, by default. */
  readonly me?: number;
  readonly draw?: (state: S, info: DrawInfo, stateAfter: StateAfter<S>) => void;
  readonly names?: readonly string[];
  /** 32-bit unsigned; random by default. */
  readonly seed?: number;
  /** Ends the match after this many frames. */
  readonly frames?: number;
  /** Keeps the recording as the match is played; nowhere by default. */
  readonly archive?: RecordingArchive;
}

/** All players on one machine: the same game, ticks and recording as over a network, with nothing to predict. */
class LocalMatch<S, I> implements Match<S, I> {
  readonly me: number;
  readonly game: Game<S, I>;
  readonly #options: LocalOptions<S, I>;
  readonly #names: readonly string[];
  #driver: RollbackDriver<S, I>;
  #recording: RecordingWriter;
  readonly #pacer: Pacer;
  readonly #words: Int32Array;
  readonly #listeners = new Listeners<MatchEvents>();
  #stopLoop: () => void;
  readonly #seed: number;
  #rematches = 0;
  #isPaused = false;
  #phase: Phase = 'running';
  #cause: EndCause | null = null;
  #reason: string | null = null;

  constructor(game: Game<S, I>, options: LocalOptions<S, I>) {
    const players = options.inputs.length;
    if (players !== game.players) {
      throw new RiposteError('bad-argument', `${players} inputs; expected ${game.players}, one a player`);
    }
    if (options.names !== undefined && options.names.length !== players) {
      throw new RiposteError('bad-argument', `${options.names.length} names; expected ${players}, one a player`);
    }
    this.#seed = options.seed ?? randomSeed();
    this.game = game;
    this.me = options.me ?? -1;
    this.#options = options;
    this.#names = options.names ?? Array.from({ length: players }, (_, player) => `Player ${player + 1}`);
    this.#words = new Int32Array(game.input.words);
    this.#pacer = new Pacer(game.tickRate, BACKLOG_FRAMES_MAX);
    [this.#driver, this.#recording] = this.#begin();
    this.#stopLoop = this.#startLoop();
  }

  /** Another match, with another seed. */
  #begin(): [RollbackDriver<S, I>, RecordingWriter] {
    const game = this.game;
    const options = this.#options;
    const seed = (this.#seed + this.#rematches) >>> 0;
    const agreed = {
      seed,
      settings: {},
      names: this.#names,
      inputDelays: this.#names.map(() => 0),
      frames: options.frames ?? Number.POSITIVE_INFINITY,
    };
    const recording = matchRecording(game, -1, agreed, options.archive);
    const sim = new RollbackSim(game, { players: options.inputs.length, seed });
    const { frames } = options;
    this.#pacer.start(performance.now());
    return [new RollbackDriver(sim, { me: 0, inputDelay: 0, frames, recording }), recording];
  }

  #startLoop(): () => void {
    return frameLoop({ advance: (nowMs) => this.#advance(nowMs), draw: (nowMs) => this.#draw(nowMs) });
  }

  #advance(nowMs: number): void {
    guarded(
      () => {
        for (let due = this.#isPaused ? 0 : this.#pacer.due(nowMs); due > 0; due--) this.#tick();
      },
      (message) => this.#end('game-fault', message),
    );
    // Before the picture, whose drawing may throw.
    if (this.#driver.isComplete) this.#end('finished', 'The match is over.');
  }

  #draw(nowMs: number): void {
    drawMatch(this, this.#driver.sim, this.#isPaused ? 1 : this.#pacer.alpha(nowMs), this.#options.draw);
  }

  #tick(): void {
    const { sim } = this.#driver;
    this.#pacer.ticked();
    // A listener may have left the match.
    if (this.#driver.isComplete || this.#cause !== null) return;
    for (const [player, input] of this.#options.inputs.entries()) {
      if (player === 0) continue;
      this.game.input.encode(input(sim.state), this.#words, 0);
      sim.putInput(player, sim.lastFrame() + 1, this.#words, 0);
    }
    this.game.input.encode(this.#options.inputs[0]!(sim.state), this.#words, 0);
    this.#driver.tick(this.#words);
    tellEffects(this.#driver, this.#options);
  }

  #end(cause: EndCause, reason: string): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    this.#reason = reason;
    tellEffects(this.#driver, this.#options, true);
    this.#recording.end(cause);
    this.#stopLoop();
    this.#setPaused(false);
    this.#phase = cause === 'game-fault' ? 'failed' : 'ended';
    this.#listeners.emit('phase', this.#phase, this.status());
  }

  status(): MatchStatus {
    return {
      ...blankStatus,
      phase: this.#phase,
      frame: this.#driver.sim.lastFrame(),
      confirmedFrame: this.#driver.checker.newest,
      players: this.#names.map((name, player) => ({
        name,
        me: this.me === -1 || this.me === player,
        presence: 'here',
      })),
      cause: this.#cause,
      reason: this.#reason,
      rematch: this.#cause === 'finished' ? [] : null,
      pausedBy: this.#isPaused ? this.#pauser : null,
    };
  }

  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void {
    return this.#listeners.add(event, listener);
  }

  stateAt(frame: number): S {
    return this.#driver.sim.stateAt(frame);
  }

  hashAt(frame: number): number {
    const hash = this.#driver.hashAt(frame);
    if (hash === undefined) throw frameNotKept(frame);
    return hash;
  }

  async recording(): Promise<Uint8Array> {
    return this.#recording.bytes();
  }

  async report(): Promise<Uint8Array> {
    throw noReport();
  }

  /** Inputs on one machine play at once, whatever is asked. */
  setInputDelay(): void {}

  /** Who pauses: the one who plays alone, or else player 0 for all who sit here. */
  get #pauser(): number {
    return Math.max(0, this.me);
  }

  async route(): Promise<null> {
    return null;
  }

  pause(): void {
    if (this.#cause === null) this.#setPaused(true);
  }

  resume(): void {
    this.#setPaused(false);
  }

  #setPaused(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#pacer.start(performance.now());
    this.#listeners.emit('pause', isPaused ? this.#pauser : null);
  }

  /** Begins at once; on one machine nobody changes sides, where keys and hands have their places. */
  async rematch(): Promise<void> {
    if (this.#cause !== 'finished') throw new MatchError('no-rematch', 'There is a rematch once a match is finished.');
    this.#rematches++;
    this.#cause = null;
    this.#reason = null;
    [this.#driver, this.#recording] = this.#begin();
    this.#stopLoop = this.#startLoop();
    this.#phase = 'running';
    this.#listeners.emit('phase', this.#phase, this.status());
  }

  leave(): void {
    this.#end('left', 'You left the match.');
  }
}

/**
 * Plays with all players on one machine, without a network. Throws `bad-argument` unless there is one input a player, and
 * one name where there are any.
 */
export function playLocal<S, I>(game: Game<S, I>, options: LocalOptions<S, I>): Match<S, I> {
  return new LocalMatch(game, options);
}

import {
  DesyncChecker,
  type EffectQueue,
  type EventLog,
  type RecordingWriter,
  type RollbackSim,
  type SimRecorder,
} from '@riposte/shared';
import { LocalInput } from './local-input.js';

/**
 * The per-tick loop of one peer: what arrived since the last tick is applied together, by one rollback at most, then
 * the local input advances the match by a frame, and every frame that became final is hashed, compared and recorded.
 */
export class RollbackDriver<S, I> {
  readonly sim: RollbackSim<S, I>;
  checker: DesyncChecker;
  /** The first frame that is held here: later than 0 when the match was joined late, or taken from another player. */
  firstFrame = 0;
  readonly me: number;
  readonly local: LocalInput<S, I>;
  /** Of the final frames, if they are recorded. */
  recorder: SimRecorder<S, I> | undefined;
  /** Where the recording takes down what happens beside them. */
  events: EventLog | undefined;
  readonly #words: number;
  /** What a player presses in a final frame, and what all pressed in the one before. */
  readonly #pressed: Int32Array;
  readonly #last: Int32Array;
  #initialHash = 0;
  /** The match ends when frames up to `endFrame - 1` are confirmed; infinite until that is known. */
  #endFrame: number;
  #remoteInputChanges = 0;

  constructor(
    sim: RollbackSim<S, I>,
    options: {
      readonly me: number;
      readonly inputDelay: number;
      readonly frames?: number | undefined;
      readonly recording?: RecordingWriter | undefined;
      /** The chain hash over the frames before the sim's first, where that is not frame 0. */
      readonly chain?: number;
    },
  ) {
    this.sim = sim;
    this.me = options.me;
    this.local = new LocalInput(sim, options.me, options.inputDelay);
    this.#endFrame = options.frames ?? Number.POSITIVE_INFINITY;
    this.#words = sim.game.input.words;
    this.#pressed = new Int32Array(this.#words);
    this.#last = new Int32Array(sim.players * this.#words);
    this.checker = this.#begin(sim.lastFrame() + 1, options.chain, options.recording);
    const neutral = Int32Array.from(sim.game.input.neutral);
    for (let player = 0; player < sim.players; player++) this.#last.set(neutral, player * this.#words);
  }

  /**
   * The sim was given another state before `frame`, which the match goes on from: with the chain over the frames before it,
   * and a recording of its own.
   */
  restart(frame: number, chain: number, recording: RecordingWriter | undefined): void {
    this.checker = this.#begin(frame, chain, recording);
  }

  #begin(frame: number, chain: number | undefined, recording: RecordingWriter | undefined): DesyncChecker {
    this.firstFrame = frame;
    this.#initialHash = this.sim.hashAt(frame);
    this.recorder = recording?.recorderOf(this.sim);
    this.events = recording?.events;
    this.sim.onRollback = this.events?.rollback;
    return new DesyncChecker(undefined, frame, chain);
  }

  /** How often another player's confirmed input changed from one frame to the next. */
  get remoteInputChanges(): number {
    return this.#remoteInputChanges;
  }

  /** Ticks that could not advance because another player's input was too far behind. */
  get stalledFrames(): number {
    return this.sim.stalledFrames;
  }

  /**
   * The last frame of which another player's input is taken: the frames that were final in the last tick, and all since,
   * keep theirs a while, however many a player sends ahead.
   */
  get takenThrough(): number {
    return this.checker.newest + this.sim.history / 2;
  }

  get endFrame(): number {
    return this.#endFrame;
  }

  /** The match ends before `frame` at the latest. */
  endBy(frame: number): void {
    this.#endFrame = Math.min(this.#endFrame, frame);
  }

  /** Every frame of the match is confirmed, and its hash known. */
  get isComplete(): boolean {
    return this.checker.newest + 1 >= this.#endFrame;
  }

  /**
   * One tick with the local player's input words. False when the match could not advance: at the prediction limit (the
   * input then waits), is `isPaused`, or at its end.
   */
  tick(input: Int32Array, isPaused = false): boolean {
    const { sim } = this;
    const frame = sim.lastFrame() + 1;
    const isOver = frame >= this.#endFrame;
    const stands = isPaused || isOver;
    // Who was let in again after it had run the last frame plays no more in which it could press.
    if (isOver) this.local.holdUntil(this.#endFrame);
    if (stands) sim.settle();
    else if (sim.mayAdvance(this.me)) this.local.place(frame, input);
    else this.local.keep(input);
    const advanced = !stands && sim.advance();
    this.#finalize();
    const { events } = this;
    const { inputDelay } = this.local;
    // Nearly always there is nothing to tell, and looking costs less than a call.
    if (events !== undefined && (inputDelay !== events.inputDelay || !(advanced || stands))) {
      events.tick(sim.lastFrame(), advanced || stands, inputDelay);
    }
    return advanced;
  }

  /**
   * What became of the game's effects since the last call, and the facts of the frames that are final: once a tick.
   * `isLast` for a match that is cut short: no frame becomes final after it.
   */
  collectEffects(isLast = false): EffectQueue {
    const queue = this.sim.collectEffects(this.checker.newest, isLast || this.isComplete);
    return this.events?.passOn(this.sim.lastFrame(), queue) ?? queue;
  }

  /** Hashes, records and counts the frames that became final. */
  #finalize(): void {
    const { sim, checker } = this;
    const last = Math.min(sim.confirmedFrame, this.#endFrame - 1);
    for (let frame = checker.newest + 1; frame <= last; frame++) {
      const hash = sim.hashAt(frame + 1);
      checker.record(hash);
      this.recorder?.final(hash);
      this.#countChanges(frame);
      const outcome = sim.outcome;
      if (outcome !== undefined && outcome.frame === frame) {
        this.#endFrame = Math.min(this.#endFrame, frame + 1);
        return;
      }
    }
  }

  #countChanges(frame: number): void {
    for (let player = 0; player < this.sim.players; player++) {
      if (player === this.me || !this.sim.readInput(player, frame, this.#pressed, 0)) continue;
      const base = player * this.#words;
      let changed = false;
      for (let word = 0; word < this.#words; word++) {
        const value = this.#pressed[word]!;
        if (value !== this.#last[base + word]) changed = true;
        this.#last[base + word] = value;
      }
      if (changed) this.#remoteInputChanges++;
    }
  }

  /** The hash of the state before a confirmed frame, or undefined when it is not final or no longer kept. */
  hashAt(frame: number): number | undefined {
    return frame === this.firstFrame ? this.#initialHash : this.checker.hashOf(frame - 1);
  }
}

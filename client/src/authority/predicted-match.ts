import { RollbackSim } from '@riposte/shared';
import { type Begin, InputsCodec, inputsHead } from '@riposte/shared/protocol';
import { LocalInput } from '../session/local-input.js';
import { Meter } from '../session/measures.js';
import type { ClientOptions } from './authority-types.js';
import { ReplayBudget } from './replay-budget.js';
import { type Taken, UpdateReader } from './update-reader.js';

/** Frames that may be predicted at all: a second at 60 Hz, and no more than a packet of small inputs holds. */
const PREDICTION_MAX = 60;

/**
 * What a client has of a running match: the simulation ahead of the authority, the own inputs, and the updates that put
 * it right. Frames that have to run again fill at most a share of a tick, by the measured cost of a step: where a late
 * correction needs more, the present is an earlier frame at once, right up to there, and the rest follows tick by tick.
 */
export class PredictedMatch<S, I> {
  readonly begin: Begin;
  readonly sim: RollbackSim<S, I>;
  readonly meter: Meter<S>;
  readonly reader: UpdateReader<S, I>;
  /** Most frames of inputs that a packet holds. */
  readonly framesMax: number;
  readonly #local: LocalInput<S, I>;
  readonly #codec: InputsCodec;
  readonly #head = inputsHead();
  readonly #budget: ReplayBudget;
  readonly #advance: () => void;
  /** The frame of the next tick: the simulation may be behind it. */
  #nextFrame = 0;
  /** The authority needs none of the own inputs up to this frame. */
  #ackedThrough = -1;
  #deferrals = 0;

  constructor({ game, clock }: ClientOptions<S, I>, begin: Begin, inputDelay: number) {
    const { seed, settings, names, player } = begin;
    this.begin = begin;
    // Without a clock: a window that shrinks for a slow game would keep its inputs from ever being on time.
    const setup = { seed, settings, players: names.length, maxPrediction: PREDICTION_MAX };
    this.sim = new RollbackSim(game, { ...setup, saving: 'every' });
    this.meter = new Meter(game.state, game.tickRate, clock, false);
    this.sim.watch = this.meter;
    this.reader = new UpdateReader(this.sim, begin, this.meter);
    this.#local = new LocalInput(this.sim, player, inputDelay);
    this.#codec = new InputsCodec(game.input.words, game.input.bits);
    this.#budget = new ReplayBudget(clock, game.tickRate);
    this.#advance = () => this.sim.advance();
    this.framesMax = Math.min(PREDICTION_MAX, this.#codec.framesMax);
  }

  set inputDelay(inputDelay: number) {
    this.#local.inputDelay = inputDelay;
  }

  /** The frame of the next tick. */
  get nextFrame(): number {
    return Math.max(this.#nextFrame, this.sim.lastFrame() + 1);
  }

  /** Frames that were ticked and are still to be run, again or for the first time: 0 unless the budget was too small. */
  get catchingUp(): number {
    return this.nextFrame - 1 - this.sim.lastFrame();
  }

  /** Frames that may run again in a tick, beside its own; infinite before the cost of a step is known. */
  get replayBudget(): number {
    return this.#budget.frames;
  }

  /** How many updates left frames to later ticks. */
  get deferrals(): number {
    return this.#deferrals;
  }

  /** All of the match is proven. */
  get isComplete(): boolean {
    return this.reader.held >= this.reader.endFrame;
  }

  /**
   * One tick with the local player's input words: its own frame, and those that were left over, as far as the budget
   * goes. `windowFrames` says how many frames may be ahead of the authority's word.
   */
  tick(nowMs: number, input: Int32Array, windowFrames: number): 'advanced' | 'stalled' | 'over' {
    const { sim, reader } = this;
    const frame = this.nextFrame;
    const isOver = frame >= reader.endFrame;
    const advances = !isOver && !reader.wantsState && frame - reader.held < windowFrames;
    if (advances) this.#local.place(frame, input);
    else this.#local.keep(input);
    if (advances) this.#nextFrame = frame + 1;
    // One more than the budget: else a budget of 1 would never catch up.
    sim.replayLeft = this.replayBudget + (advances ? 1 : 0);
    sim.settle();
    while (this.catchingUp > 0 && sim.replayLeft >= 1 && !reader.wantsState) {
      sim.replayLeft--;
      this.#budget.step(this.#advance);
    }
    reader.prove(nowMs);
    return advances ? 'advanced' : isOver ? 'over' : 'stalled';
  }

  takeUpdate(nowMs: number, bytes: Uint8Array): Taken {
    const last = this.nextFrame - 1;
    const lacked = this.catchingUp;
    const taken = this.reader.take(nowMs, bytes);
    this.#ackedThrough = Math.max(this.#ackedThrough, taken === 'dropped' ? -1 : this.reader.head.ack);
    this.sim.settle();
    this.#nextFrame = Math.max(last, this.sim.lastFrame()) + 1;
    if (this.catchingUp > lacked) this.#deferrals++;
    return taken;
  }

  /** Takes a whole state as that before `frame`; false, with nothing changed, for one that is none. */
  takeState(nowMs: number, frame: number, bytes: Uint8Array): boolean {
    const last = this.nextFrame - 1;
    const isTaken = this.reader.takeState(nowMs, frame, bytes);
    this.#nextFrame = Math.max(last, this.sim.lastFrame()) + 1;
    return isTaken;
  }

  /** The last frame whose own input is known. */
  get newestInput(): number {
    return this.sim.confirmedThrough(this.begin.player);
  }

  /** What the authority lacks of the own inputs. The bytes are reused by the next call. */
  packet(): Uint8Array {
    const { sim, begin, reader } = this;
    const codec = this.#codec;
    const { words } = sim.game.input;
    const head = this.#head;
    const newest = this.newestInput;
    // The newest one in any case: also of an input that is too late the authority says by how much.
    const needed = Math.min(newest, this.#ackedThrough + 1);
    const first = Math.max(needed, newest + 1 - codec.framesMax, begin.frame);
    head.lastFrame = newest;
    head.count = Math.max(0, newest - first + 1);
    sim.readInput(begin.player, newest - head.count + 1, codec.inputs, words, head.count);
    head.held = reader.wantsState ? 0 : reader.held;
    head.wantsState = reader.wantsState;
    return codec.encode(head);
  }
}

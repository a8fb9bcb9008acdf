import { buttons } from '../input/controls.js';
import { RollbackSim } from '../rollback/sim.js';
import type { StateModel } from '../state/model.js';
import { stateDistance } from './distance.js';
import type { Held } from './held.js';
import { type PendingInput, requireSequence } from './reconcile.js';
import { type Apply, modelFace, type StateFace, valueFace } from './state-face.js';
import { checkNumbers, copyValue, type Limits } from './values.js';

/** Two seconds of inputs at 60 Hz: an authority that is further behind is not one to predict against. */
const HISTORY_DEFAULT = 128;

/** More inputs than a page can run again in a tick of any game; the simulation keeps twice as many frames at most. */
const HISTORY_MAX = 32_768;

/** Inputs are any values, so they lie aside by frame. To the simulation they say only that they are there. */
const input = buttons('pushed');
const PUSHED = { pushed: true };
type Pushed = ReturnType<typeof input.create>;

interface CommonOptions<S, I> {
  /** What an input does to the state: changes it in place, or returns the new one. Runs again whenever it must. */
  readonly apply: Apply<S, I>;
  /**
   * How far the prediction was from the authority, for the report. By default the Euclidean length over all numbers
   * that differ; any other field that differs counts as 1.
   */
  readonly distance?: (predicted: S, authoritative: S) => number;
  /** How many unconfirmed inputs are kept; 128 by default. */
  readonly history?: number;
  /** How many inputs are run again in one tick at most, beside the step of a new one; all of them by default. */
  readonly budget?: number;
  /** The confirmed sequence to start from; 0 by default. */
  readonly initialSequence?: number;
  /** The ranges of numbers, by path. Numbers that are not finite are refused anyway. */
  readonly limits?: { readonly input?: Limits; readonly state?: Limits };
}

/** A state model, or the first state where states are plain values such as a number. */
export type PredictionOptions<S, I> = CommonOptions<S, I> &
  (
    | { readonly model: StateModel<S>; readonly initialState?: S }
    | { readonly model?: undefined; readonly initialState: S }
  );

/** What an update of the authority did. */
export interface ReconcileResult {
  /** The confirmed sequence. */
  readonly sequence: number;
  /**
   * The distance between prediction and authority at the acknowledged moment. Where no prediction of that moment is
   * kept, that between the present and the authority's state. 0 for a repeated update.
   */
  readonly error: number;
  /** Inputs that are confirmed now. */
  readonly dropped: number;
  /** Inputs that were run again at once. */
  readonly replayed: number;
  /** Inputs that are not confirmed yet. */
  readonly pending: number;
}

/** How the present stands to the authority. */
export interface PredictionStatus {
  /** As many inputs as are kept were pushed since the confirmed sequence last advanced: look into the connection. */
  readonly stalled: boolean;
  /** Inputs that the predicted state still lacks: it is catching up while this is not 0. */
  readonly catchingUp: number;
  /** The predicted state is the authority's, taken whole, since inputs after it are no longer kept. */
  readonly recovering: boolean;
}

/** A picture of a prediction that shares nothing with it. */
export interface PredictionSnapshot<S, I> {
  readonly confirmedSequence: number;
  readonly confirmedState: S;
  readonly predictedState: S;
  readonly pending: readonly PendingInput<I>[];
}

/**
 * A client's prediction against an authority: keeps inputs, not results. Each input is applied at once; each update of
 * the authority replaces the confirmed state, and the inputs that it does not cover are applied to it again. What keeps
 * the states and runs inputs again is a `RollbackSim` of one player, of which every input is a frame.
 *
 * Every method validates first, and takes back what it did where the inputs cannot be run: whatever is thrown, by
 * `apply` too, nothing has changed.
 *
 * When more than `history` inputs are unconfirmed, the oldest are forgotten. An update from before a forgotten input
 * cannot be brought to the present: its state is then taken whole as the present, and inputs go on from there, until
 * the authority confirms the last forgotten one.
 */
export class PredictionState<S, I> {
  readonly history: number;
  readonly budget: number;
  readonly #face: StateFace<S>;
  readonly #distance: ((predicted: S, authoritative: S) => number) | undefined;
  readonly #limits: { readonly input?: Limits; readonly state?: Limits };
  readonly #sim: RollbackSim<Held<S>, Pushed>;
  #confirmedSequence: number;
  #confirmed: Held<S>;
  /** The frame before which the confirmed state was put in the simulation. */
  #confirmedAt = 0;
  #authorityFrame: number | undefined;
  /** An update was taken: before the first, the initial sequence may still be given a state. */
  #isConfirmed = false;
  /** A state to compare with, and one to go back to. */
  readonly #compared: Held<S>;
  readonly #before: Held<S>;
  /** In the order of their sequence: those of the last frames before `#nextFrame`. */
  #pending: PendingInput<I>[] = [];
  /** The frame of the next input. */
  #nextFrame = 0;
  #newestSequence: number;
  /** The newest input that was forgotten unconfirmed. */
  #forgottenThrough = Number.NEGATIVE_INFINITY;
  #isRecovering = false;
  #pushedSinceAdvance = 0;
  /** Inputs run again in this tick. */
  #spent = 0;

  /** Throws `RangeError` or `TypeError`, naming the option; `bad-state` for a first state that is not plain data. */
  constructor(options: PredictionOptions<S, I>) {
    const { apply, history = HISTORY_DEFAULT, budget = Number.POSITIVE_INFINITY, initialSequence = 0 } = options;
    if (typeof apply !== 'function') throw new TypeError(`apply is ${String(apply)}; expected a function`);
    if (options.model === undefined && options.initialState === undefined) {
      throw new TypeError('model and initialState are both missing; expected one of them');
    }
    if (!Number.isInteger(history) || history < 1 || history > HISTORY_MAX) {
      throw new RangeError(`history is ${String(history)}; expected an integer from 1 to ${HISTORY_MAX}`);
    }
    if (budget !== Number.POSITIVE_INFINITY && (!Number.isInteger(budget) || budget < 1)) {
      throw new RangeError(`budget is ${String(budget)}; expected a positive integer`);
    }
    requireSequence('initialSequence', initialSequence);
    this.history = history;
    this.budget = budget;
    this.#limits = options.limits ?? {};
    this.#face = options.model === undefined ? valueFace(options.initialState) : modelFace(options.model);
    this.#distance = options.distance;
    this.#confirmedSequence = initialSequence;
    this.#newestSequence = initialSequence;
    const { model } = this.#face;
    this.#confirmed =
      options.initialState === undefined ? model.create() : this.#face.take(options.initialState, this.#limits.state);
    this.#compared = model.create();
    this.#before = model.create();
    this.#sim = new RollbackSim(
      {
        id: 'prediction',
        version: '1',
        tickRate: 60,
        players: 1,
        input,
        state: model,
        step: (held, _inputs, { frame }) => this.#step(apply, held, frame),
      },
      // One input more than are kept may be there before the oldest is forgotten, and the state before and after each.
      { history: history + 2, saving: 'every' },
    );
    this.#sim.reconcile(0, this.#confirmed);
  }

  #step(apply: Apply<S, I>, held: Held<S>, frame: number): void {
    // Only frames of pending inputs run.
    const pending = this.#pending[frame - this.#nextFrame + this.#pending.length]!;
    const next = apply(held.value, copyValue(pending.input));
    if (next !== undefined && next !== held.value) this.#face.replace(held, next);
  }

  #copyOf(held: Held<S>): S {
    const copy = this.#face.model.create();
    this.#face.model.copy(held, copy);
    return copy.value;
  }

  /** Copies of everything: what is done to them reaches nothing. A new one each time; see `read` for every frame. */
  get snapshot(): PredictionSnapshot<S, I> {
    return Object.freeze({
      confirmedSequence: this.#confirmedSequence,
      confirmedState: this.#copyOf(this.#confirmed),
      predictedState: this.#copyOf(this.#sim.state),
      pending: Object.freeze(
        this.#pending.map(({ sequence, input }) => Object.freeze({ sequence, input: copyValue(input) })),
      ),
    });
  }

  get status(): PredictionStatus {
    return {
      stalled: this.#pushedSinceAdvance >= this.history,
      catchingUp: this.#left,
      recovering: this.#isRecovering,
    };
  }

  /** Inputs that the predicted state lacks. */
  get #left(): number {
    return this.#nextFrame - 1 - this.#sim.lastFrame();
  }

  /** Copies the predicted state over `into`, where states can be written, and returns it: for every drawn frame. */
  read(into: S): S {
    const held = { value: into };
    this.#face.model.copy(this.#sim.state, held);
    return held.value;
  }

  /**
   * Predicts with the next input, which is copied. Also begins a tick: inputs left over by the budget come first.
   * Throws, changing nothing: `RangeError` unless `sequence` is an integer above all before it; `TypeError` and
   * `RangeError`, naming the field, for an input that is not finite or not within its limits.
   */
  pushInput(sequence: number, input: I): void {
    requireSequence('sequence', sequence);
    if (sequence <= this.#newestSequence) {
      throw new RangeError(`sequence is ${sequence}; expected one above ${this.#newestSequence}`);
    }
    checkNumbers('input', input, this.#limits.input);
    const entry = { sequence, input: copyValue(input) };
    const left = this.#left;
    this.#sim.applyRemote(0, this.#nextFrame, PUSHED);
    this.#pending.push(entry);
    this.#nextFrame++;
    try {
      // One step more than the budget, its own: else a budget of 1 and an input a tick would never catch up.
      this.#run(Math.min(left, this.budget) + 1);
    } catch (error) {
      this.#pending.pop();
      this.#nextFrame--;
      throw error;
    }
    this.#newestSequence = sequence;
    this.#pushedSinceAdvance++;
    this.#spent = Math.min(left, this.budget);
    if (this.#pending.length > this.history) this.#forgottenThrough = this.#pending.shift()?.sequence ?? sequence;
  }

  /**
   * Begins a tick that has no input: runs the next inputs that the budget left over. Returns how many are still left.
   */
  catchUp(): number {
    const count = Math.min(this.#left, this.budget);
    if (count > 0) this.#run(count);
    this.#spent = count;
    return this.#left;
  }

  /**
   * Takes the authority's state after it has applied all inputs up to `sequence`, and applies those after it again.
   * `authorityFrame` tells updates apart where the authority's world moves on without new input. A repeat, the same
   * sequence at the same frame, has no effect.
   *
   * Throws, changing nothing: `RangeError` unless `sequence` is an integer from the confirmed one to the newest pushed,
   * and `authorityFrame` one that does not go back; `TypeError` and `RangeError`, naming the field, for a state that is
   * not finite or not within its limits; whatever `apply` throws.
   */
  reconcile(sequence: number, authoritativeState: S, authorityFrame?: number): ReconcileResult {
    this.#requireCurrent(sequence, authorityFrame);
    const confirmed = this.#face.take(authoritativeState, this.#limits.state);
    const isRepeat = authorityFrame === undefined || authorityFrame === this.#authorityFrame;
    if (this.#isConfirmed && sequence === this.#confirmedSequence && isRepeat) {
      return { sequence, error: 0, dropped: 0, replayed: 0, pending: this.#pending.length };
    }
    const firstAfter = this.#pending.findIndex((entry) => entry.sequence > sequence);
    const dropped = firstAfter === -1 ? this.#pending.length : firstAfter;
    const pending = this.#pending.length - dropped;
    // A chain with inputs missing from it would be a state that never was.
    const isRecovering = sequence < this.#forgottenThrough;
    const replayed = isRecovering ? 0 : Math.min(pending, Math.max(0, this.budget - this.#spent));
    const frame = this.#nextFrame - (isRecovering ? 0 : pending);
    const error = this.#errorOf(this.#predictedAt(sequence, frame, isRecovering), confirmed);
    this.#run(replayed, frame, confirmed);

    this.#pending = this.#pending.slice(dropped);
    this.#isRecovering = isRecovering;
    if (sequence > this.#confirmedSequence) this.#pushedSinceAdvance = 0;
    this.#confirmedSequence = sequence;
    this.#confirmed = confirmed;
    this.#confirmedAt = frame;
    this.#authorityFrame = authorityFrame ?? this.#authorityFrame;
    this.#isConfirmed = true;
    this.#spent += replayed;
    return { sequence, error, dropped, replayed, pending };
  }

  #requireCurrent(sequence: number, authorityFrame: number | undefined): void {
    requireSequence('confirmed sequence', sequence);
    if (sequence < this.#confirmedSequence || sequence > this.#newestSequence) {
      throw new RangeError(
        `confirmed sequence is ${sequence}; expected ${this.#confirmedSequence} to ${this.#newestSequence}`,
      );
    }
    if (authorityFrame === undefined) return;
    requireSequence('authorityFrame', authorityFrame);
    if (this.#authorityFrame !== undefined && authorityFrame < this.#authorityFrame) {
      throw new RangeError(`authorityFrame is ${authorityFrame}; expected ${this.#authorityFrame} or later`);
    }
  }

  /** What was predicted for `sequence`, the state before `frame`; the present where that is not kept. */
  #predictedAt(sequence: number, frame: number, isRecovering: boolean): Held<S> {
    if (sequence === this.#confirmedSequence) return this.#confirmed;
    const isKept = !isRecovering && frame >= this.#confirmedAt && frame <= this.#sim.lastFrame() + 1;
    return isKept ? this.#sim.stateAt(frame, this.#compared) : this.#sim.state;
  }

  #errorOf(predicted: Held<S>, confirmed: Held<S>): number {
    const error: unknown =
      this.#distance === undefined
        ? stateDistance(this.#face.model, predicted, confirmed)
        : this.#distance(predicted.value, confirmed.value);
    if (typeof error === 'number' && Number.isFinite(error)) return error;
    throw new TypeError(`distance is ${String(error)}; expected a finite number`);
  }

  /** Runs `count` inputs from `frame` on, first of all on top of the present. When one throws, all is as it was before. */
  #run(count: number, frame = this.#sim.lastFrame() + 1, state?: Held<S>): void {
    const sim = this.#sim;
    const head = sim.lastFrame();
    // From here on all can be made again; before it nothing is changed, or read any more.
    const kept = Math.min(Math.max(frame, this.#confirmedAt), head + 1);
    sim.stateAt(kept, this.#before);
    try {
      if (state === undefined) this.#advanceTo(head + count);
      else this.#replay(frame, state, count);
      this.#face.check(sim.state.value);
    } catch (error) {
      this.#replay(kept, this.#before, head + 1 - kept);
      throw error;
    }
  }

  /** The present is `state`, that before `frame`, and `count` inputs on top of it. */
  #replay(frame: number, state: Held<S>, count: number): void {
    this.#sim.replayLeft = count;
    this.#sim.reconcile(frame, state);
    this.#advanceTo(frame + count - 1);
  }

  /** What the present lacks runs after it as at first. */
  #advanceTo(frame: number): void {
    while (this.#sim.lastFrame() < frame) this.#sim.advance();
  }
}

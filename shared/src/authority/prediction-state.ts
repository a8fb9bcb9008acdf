import type { StateModel } from '../state/model.js';
import { type PendingInput, requireSequence } from './reconcile.js';
import { type Apply, modelFace, type StateFace, type StateStore, valueFace } from './state-face.js';
import { checkNumbers, copyValue, type Limits } from './values.js';

/** Two seconds of inputs at 60 Hz: an authority that is further behind is not one to predict against. */
const HISTORY_DEFAULT = 128;

/** More inputs than a page can run again in a tick of any game. */
const HISTORY_MAX = 65_536;

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

interface Entry<S, I> {
  readonly sequence: number;
  readonly input: I;
  /** The state after this input, by the newest prediction of it; undefined while there is none. */
  after: StateStore<S> | undefined;
}

interface Candidate<S> {
  readonly state: S;
  readonly stores: readonly StateStore<S>[];
}

/**
 * A client's prediction against an authority: keeps inputs, not results. Each input is applied at once; each update of
 * the authority replaces the confirmed state, and the inputs that it does not cover are applied to it again.
 *
 * Every method validates first, computes a candidate, and then takes it: whatever is thrown, by `apply` too, nothing
 * has changed.
 *
 * When more than `history` inputs are unconfirmed, the oldest are forgotten. An update from before a forgotten input
 * cannot be brought to the present: its state is then taken whole as the present, and inputs go on from there, until
 * the authority confirms the last forgotten one.
 */
export class PredictionState<S, I> {
  readonly history: number;
  readonly budget: number;
  readonly #face: StateFace<S>;
  readonly #apply: Apply<S, I>;
  readonly #distance: (predicted: S, authoritative: S) => number;
  readonly #limits: { readonly input?: Limits; readonly state?: Limits };
  #confirmedSequence: number;
  #confirmed: S;
  #authorityFrame: number | undefined;
  /** An update was taken: before the first, the initial sequence may still be given a state. */
  #isConfirmed = false;
  #predicted: S;
  /** Where the next candidate is computed. */
  #spare: S;
  /** In the order of their sequence. */
  #pending: Entry<S, I>[] = [];
  /** How many of the pending inputs the predicted state holds. */
  #applied = 0;
  #newestSequence: number;
  /** The newest input that was forgotten unconfirmed. */
  #forgottenThrough = Number.NEGATIVE_INFINITY;
  #isRecovering = false;
  #pushedSinceAdvance = 0;
  /** Inputs run again in this tick. */
  #spent = 0;
  readonly #free: StateStore<S>[] = [];

  /** Throws `RangeError` or `TypeError`, naming the option. */
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
    this.#apply = apply;
    this.#limits = options.limits ?? {};
    this.#face = options.model === undefined ? valueFace(options.initialState) : modelFace(options.model);
    this.#distance = options.distance ?? this.#face.distance;
    this.#confirmedSequence = initialSequence;
    this.#newestSequence = initialSequence;
    this.#confirmed =
      options.initialState === undefined
        ? this.#face.create()
        : this.#face.take(options.initialState, this.#limits.state);
    this.#spare = this.#face.create();
    this.#predicted = this.#copyOf(this.#confirmed);
  }

  #copyOf(state: S): S {
    return this.#face.copy(state, this.#face.create());
  }

  /** Copies of everything: what is done to them reaches nothing. A new one each time; see `read` for every frame. */
  get snapshot(): PredictionSnapshot<S, I> {
    return Object.freeze({
      confirmedSequence: this.#confirmedSequence,
      confirmedState: this.#copyOf(this.#confirmed),
      predictedState: this.#copyOf(this.#predicted),
      pending: Object.freeze(
        this.#pending.map(({ sequence, input }) => Object.freeze({ sequence, input: copyValue(input) })),
      ),
    });
  }

  get status(): PredictionStatus {
    return {
      stalled: this.#pushedSinceAdvance >= this.history,
      catchingUp: this.#pending.length - this.#applied,
      recovering: this.#isRecovering,
    };
  }

  /** Copies the predicted state over `into`, where states can be written, and returns it: for every drawn frame. */
  read(into: S): S {
    return this.#face.copy(this.#predicted, into);
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
    const entry: Entry<S, I> = { sequence, input: copyValue(input), after: undefined };
    const left = this.#pending.length - this.#applied;
    // One step more than the budget, its own: else a budget of 1 and an input a tick would never catch up.
    const run = [...this.#pending.slice(this.#applied), entry].slice(0, this.budget + 1);
    const candidate = this.#compute(this.#predicted, run);
    this.#pending.push(entry);
    this.#take(candidate, run);
    this.#newestSequence = sequence;
    this.#pushedSinceAdvance++;
    this.#spent = Math.min(left, this.budget);
    if (this.#pending.length > this.history) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#pending.splice(0, 1);
    if (oldest === undefined) return;
    this.#release(oldest);
    this.#applied = Math.max(0, this.#applied - 1);
    this.#forgottenThrough = oldest.sequence;
  }

  /**
   * Begins a tick that has no input: runs the next inputs that the budget left over. Returns how many are still left.
   */
  catchUp(): number {
    const run = this.#pending.slice(this.#applied, Math.min(this.#pending.length, this.#applied + this.budget));
    if (run.length > 0) this.#take(this.#compute(this.#predicted, run), run);
    this.#spent = run.length;
    return this.#pending.length - this.#applied;
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
    const error = this.#errorAt(sequence, dropped, confirmed);
    const isRecovering = sequence < this.#forgottenThrough;
    const pending = this.#pending.length - dropped;
    // A chain with inputs missing from it would be a state that never was.
    const replayed = isRecovering ? 0 : Math.min(pending, Math.max(0, this.budget - this.#spent));
    const run = this.#pending.slice(dropped, dropped + replayed);
    const candidate = this.#compute(confirmed, run);

    for (const entry of this.#pending.slice(0, dropped)) this.#release(entry);
    this.#pending = this.#pending.slice(dropped);
    this.#applied = 0;
    this.#take(candidate, run);
    if (isRecovering) this.#applied = pending;
    this.#isRecovering = isRecovering;
    if (sequence > this.#confirmedSequence) this.#pushedSinceAdvance = 0;
    this.#confirmedSequence = sequence;
    this.#confirmed = confirmed;
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

  /** How far the prediction for `sequence` was from `confirmed`; `dropped` is the number of inputs up to it. */
  #errorAt(sequence: number, dropped: number, confirmed: S): number {
    const isWhole = this.#confirmedSequence >= this.#forgottenThrough;
    let predicted = this.#predicted;
    const last = this.#pending[dropped - 1];
    if (last?.after !== undefined) predicted = this.#spare = last.after.load(this.#spare);
    // No input since the confirmed state: it is the prediction.
    else if (last === undefined && (isWhole || sequence === this.#confirmedSequence)) predicted = this.#confirmed;
    const error: unknown = this.#distance(predicted, confirmed);
    if (typeof error === 'number' && Number.isFinite(error)) return error;
    throw new TypeError(`distance is ${String(error)}; expected a finite number`);
  }

  /** The state after `entries` on top of `from`, and the states between. Changes nothing but the spare state. */
  #compute(from: S, entries: readonly Entry<S, I>[]): Candidate<S> {
    const face = this.#face;
    const stores: StateStore<S>[] = [];
    try {
      let state = face.copy(from, this.#spare);
      for (const { input } of entries) {
        state = face.step(this.#apply, state, copyValue(input));
        const store = this.#free.pop() ?? face.createStore();
        stores.push(store);
        store.save(state);
      }
      face.check(state);
      return { state, stores };
    } catch (error) {
      this.#free.push(...stores);
      throw error;
    }
  }

  /** Makes a candidate the present; `entries` are those it was computed with. */
  #take({ state, stores }: Candidate<S>, entries: readonly Entry<S, I>[]): void {
    this.#spare = this.#predicted;
    this.#predicted = state;
    for (const [index, entry] of entries.entries()) {
      this.#release(entry);
      entry.after = stores[index];
    }
    this.#applied += entries.length;
  }

  #release(entry: Entry<S, I>): void {
    if (entry.after !== undefined) this.#free.push(entry.after);
    entry.after = undefined;
  }
}

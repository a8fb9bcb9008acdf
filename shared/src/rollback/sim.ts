import { outOfRange, RiposteError, requireInteger } from '../errors.js';
import { type Game, initialState, PLAYERS_MAX, type Settings } from '../game/game.js';
import { FRAME_NEVER, InputTimeline, notKept } from '../input/timeline.js';
import { SnapshotRing } from '../state/snapshot-ring.js';
import { CostMeter } from './cost-meter.js';
import { EffectLedger, type EffectQueue } from './effect-ledger.js';
import {
  MAX_PREDICTION_DEFAULT,
  type Outcome,
  type RollbackWatch,
  type SimOptions,
  type SimStats,
} from './sim-options.js';
import { Stepper } from './stepper.js';

const HISTORY_DEFAULT = 128;

/**
 * One peer's simulation of a match. Frame `f` is one tick; `stateAt(f)` is the state before it. Inputs come in by
 * `predictStep` and `applyRemote` in any order; frames whose inputs are missing run on predictions, and are run
 * again, once a tick at most and from the earliest wrong frame, when the real input differs.
 */
export class RollbackSim<S, I> {
  readonly game: Game<S, I>;
  readonly players: number;
  readonly seed: number;
  readonly settings: Settings;
  readonly maxPrediction: number;
  /** Frames of states and inputs that are kept. */
  readonly history: number;
  watch: RollbackWatch<S> | undefined;
  /**
   * How many frames corrections may still run again. Where they would need more, the last simulated frame is an earlier
   * one after them, and `advance` goes on from there. Not bounded unless somebody sets it, as often as there is new time.
   */
  replayLeft = Number.POSITIVE_INFINITY;
  /**
   * Told of a rollback, once for each player that caused it: after which simulated frame it happened, and the first
   * frame that had run with another input of that player.
   */
  onRollback: ((head: number, player: number, first: number) => void) | undefined;
  readonly #state: S;
  readonly #ledger: EffectLedger;
  readonly #stepper: Stepper<S, I>;
  readonly #timelines: InputTimeline[];
  readonly #ring: SnapshotRing<S>;
  readonly #scratch: Int32Array;
  /** Whether `#sparse` follows what is measured. */
  readonly #adapts: boolean;
  readonly #meter: CostMeter | undefined;
  #sparse: boolean;
  #window: number;
  /** The first frame up to the head whose state was not saved; `FRAME_NEVER` when all were. */
  #gapFrom = FRAME_NEVER;
  #head = -1;
  #firstWrong = FRAME_NEVER;
  #rollbacks = 0;
  #maxRollbackFrames = 0;
  #resimulatedFrames = 0;
  #stalledFrames = 0;
  #outcome: Outcome | undefined;
  #anyoneGone = false;
  /** `#resimulatedFrames` at the last tick. */
  #countedFrames = 0;

  /** Throws `bad-argument` for an option out of range. */
  constructor(game: Game<S, I>, options: SimOptions = {}) {
    const {
      players = game.players,
      seed = 0,
      settings = {},
      maxPrediction = MAX_PREDICTION_DEFAULT,
      history = HISTORY_DEFAULT,
      predictor = game.predictor,
      slackFrames = game.slackFrames,
      saving = 'auto',
      clock,
    } = options;
    requireInteger('players', players, 1, PLAYERS_MAX);
    requireInteger('seed', seed, 0, 0xffffffff);
    requireInteger('history', history, 2, 65_536);
    // `history` is at least 2: the next power of two at or above it.
    this.history = 2 ** (32 - Math.clz32(history - 1));
    requireInteger('maxPrediction', maxPrediction, 0, saving === 'sparse' ? this.history - 1 : 1_000_000);
    this.game = game;
    this.players = players;
    this.seed = seed;
    this.settings = settings;
    this.maxPrediction = maxPrediction;
    this.#state = initialState(game, { seed, settings, players });
    this.#ledger = new EffectLedger(this.history, slackFrames);
    this.#stepper = new Stepper(game, players, this.#ledger);
    this.#timelines = Array.from(
      { length: players },
      () => new InputTimeline(this.history, game.input.neutral, predictor),
    );
    this.#ring = new SnapshotRing(game.state, this.history);
    this.#scratch = new Int32Array(game.input.words);
    this.#adapts = saving === 'auto' && maxPrediction < this.history;
    this.#sparse = saving === 'sparse';
    this.#meter = clock === undefined ? undefined : new CostMeter(clock, game.tickRate);
    this.#window = maxPrediction;
    this.#ring.save(0, this.#state);
  }

  /** The last simulated frame, -1 at the start. */
  lastFrame(): number {
    return this.#head;
  }

  /** The last simulated frame for which every player's input is known here, -1 at the start. */
  get confirmedFrame(): number {
    return this.#knownThrough(this.#head, 0);
  }

  /** The state after the last simulated frame, corrected by all that has arrived. Live: read it, do not write or keep it. */
  get state(): S {
    this.settle();
    return this.#state;
  }

  /** What rollback has cost so far, with the corrections that have arrived already made. */
  get stats(): SimStats {
    this.settle();
    return {
      rollbacks: this.#rollbacks,
      maxRollbackFrames: this.#maxRollbackFrames,
      resimulatedFrames: this.#resimulatedFrames,
      stalledFrames: this.#stalledFrames,
      stepMs: this.#meter?.stepMs ?? 0,
      saveMs: this.#meter?.saveMs ?? 0,
      window: this.#window,
    };
  }

  /** The clock that was given, in milliseconds. */
  get clock(): (() => number) | undefined {
    return this.#meter?.now;
  }

  /** How often a frame was refused at the prediction limit. */
  get stalledFrames(): number {
    return this.#stalledFrames;
  }

  /** The result, once the game's `over` has one at or before the last simulated frame. Final when its frame is confirmed. */
  get outcome(): Outcome | undefined {
    this.settle();
    return this.#outcome;
  }

  /** Every frame up to this one has this player's real input, -1 at the start. */
  confirmedThrough(player: number): number {
    return this.#timeline(player).confirmedThrough;
  }

  /** As `confirmedThrough`; for a player who is gone, the last frame that it played. */
  heldThrough(player: number): number {
    return this.#timeline(player).heldThrough;
  }

  /** Whether a player is not there in `frame`. */
  isGone(player: number, frame: number): boolean {
    return this.#timeline(player).isGone(frame);
  }

  /** The players who are not there in `frame`: one bit each. */
  goneIn(frame: number): number {
    let gone = 0;
    for (let player = 0; this.#anyoneGone && player < this.players; player++) {
      if (this.#timelines[player]!.isGone(frame)) gone |= 1 << player;
    }
    return gone;
  }

  /** The frames, from the first up to and without the second, in which a player is not there, if any come after `frame`. */
  absenceAfter(player: number, frame: number): [number, number | null] | null {
    const { goneFrom, backFrom } = this.#timeline(player);
    if (goneFrom === FRAME_NEVER || backFrom <= frame) return null;
    return [goneFrom, backFrom === FRAME_NEVER ? null : backFrom];
  }

  #timeline(player: number): InputTimeline {
    const timeline = this.#timelines[player];
    if (timeline === undefined) throw outOfRange('player', player, 0, this.players - 1);
    return timeline;
  }

  /** The last frame up to `frame` whose inputs are known of every player but those in the bit set `apart`. */
  #knownThrough(frame: number, apart: number): number {
    let known = frame;
    for (let player = 0; player < this.players; player++) {
      if ((apart & (1 << player)) !== 0) continue;
      const through = this.#timelines[player]!.confirmedThrough;
      if (through < known) known = through;
    }
    return known;
  }

  /**
   * Advances one frame with the given players' inputs and predictions for the others. Corrections that have arrived
   * are made first. Returns false, with the inputs not taken, at the prediction limit.
   * Throws `bad-input` or `input-conflict`, changing nothing, for an input that cannot be taken.
   */
  predictStep(inputs: { readonly [player: number]: Partial<I> } = {}): boolean {
    const frame = this.#head + 1;
    let given = 0;
    for (const key in inputs) {
      const player = Number(key);
      const timeline = this.#timeline(player);
      this.game.input.encode(inputs[player]!, this.#scratch, 0);
      timeline.check(frame, this.#scratch, 0);
      given |= 1 << player;
    }
    if (this.#isRefused(given)) return false;
    for (const key in inputs) this.applyRemote(Number(key), frame, inputs[key]!);
    return this.advance();
  }

  /** Makes the corrections that have arrived; true, and counted, when the next frame lies beyond the prediction limit. */
  #isRefused(given: number): boolean {
    this.settle();
    const frame = this.#head + 1;
    const isRefused = frame - this.#knownThrough(frame, given) > this.#window;
    if (isRefused) this.#stalledFrames++;
    return isRefused;
  }

  /** `predictStep` for inputs that were put before: advances one frame, or returns false at the prediction limit. */
  advance(): boolean {
    if (this.#isRefused(0)) return false;
    // Only now: a correction that is more than may run again goes back.
    const frame = this.#head + 1;
    const known = this.#knownThrough(frame, 0);
    this.#simulate(frame, known);
    if (this.#meter === undefined) return true;
    this.#meter.tick(frame - known, this.#resimulatedFrames - this.#countedFrames);
    this.#countedFrames = this.#resimulatedFrames;
    this.#window = Math.min(this.maxPrediction, this.#meter.affordableFrames);
    if (this.#adapts) this.#sparse = this.#meter.favorsSparse;
    return true;
  }

  /** Whether the next frame is within the prediction limit, once `player`'s own input for it is put. */
  mayAdvance(player: number): boolean {
    const frame = this.#head + 1;
    return frame - this.#knownThrough(frame, 1 << player) <= this.#window;
  }

  /**
   * Takes the real input of a player for a past, present or future frame. Past predictions that it contradicts are
   * corrected by one rollback before the state is next read or advanced. Returns whether it contradicts one.
   * Throws, changing nothing: `bad-input`; `input-conflict` for a second, different input (the first one stands);
   * `input-too-old` below the history (then `reconcile`); `input-too-far` beyond it.
   */
  applyRemote(player: number, frame: number, input: Partial<I>): boolean {
    this.game.input.encode(input, this.#scratch, 0);
    return this.putInput(player, frame, this.#scratch, 0);
  }

  /** `applyRemote` for an input as its words, `from[at]` on. */
  putInput(player: number, frame: number, from: Int32Array, at: number): boolean {
    return this.putInputs(player, frame, 1, from, at);
  }

  /**
   * `applyRemote` for `count` inputs of one player, for `first` and the frames after it, as their words from
   * `from[at]` on. Those that are known already are only compared, unless this is an authority's word, which `overrules`
   * them.
   */
  putInputs(player: number, first: number, count: number, from: Int32Array, at: number, overrules = false): boolean {
    const timeline = this.#timeline(player);
    requireInteger('frame', first, 0);
    const oldest = Math.min(this.#gapFrom, this.#oldest());
    // Frames that are still to be run again keep their inputs.
    const done = Math.min(this.confirmedFrame, this.#firstWrong - 1, this.#gapFrom - 2);
    const newest = Math.max(done, this.#head + 1 - this.history) + this.history;
    if (first + count - 1 > newest) throw notKept(first + count - 1, 0, newest);
    let contradicts = false;
    const unknown = overrules ? first : timeline.check(first, from, at, count);
    for (let frame = unknown; frame < first + count; frame++) {
      const wordsAt = at + (frame - first) * timeline.words;
      if (frame < oldest && (overrules || !timeline.isConfirmed(frame))) throw notKept(frame, oldest, newest);
      if (timeline.put(frame, from, wordsAt, overrules) && frame <= this.#head) {
        contradicts = true;
        this.#changeFrom(timeline, frame);
      }
    }
    return contradicts;
  }

  /** Makes the corrections that have arrived, by one rollback to the earliest wrong frame. Without any, does nothing. */
  settle(): void {
    const head = this.#head;
    let first = this.#firstWrong;
    const wrongFrames = Math.max(0, head - first + 1);
    if (first !== FRAME_NEVER) {
      this.#firstWrong = FRAME_NEVER;
      this.#rollbacks++;
      if (wrongFrames > this.#maxRollbackFrames) this.#maxRollbackFrames = wrongFrames;
      this.#tellRollback(head);
    }
    // Frames that were not saved while predicted are final now: their states are made again, to be kept and hashed.
    if (this.#gapFrom !== FRAME_NEVER && this.#gapFrom <= this.#knownThrough(head, 0) + 1) {
      first = Math.min(first, this.#gapFrom - 1);
    }
    if (first === FRAME_NEVER) return;
    this.watch?.begin(wrongFrames, this.#state);
    while (!this.#ring.load(first, this.#state)) first--;
    this.#resimulate(first, head);
    this.watch?.end(this.#state);
  }

  #tellRollback(head: number): void {
    for (let player = 0; player < this.players; player++) {
      const timeline = this.#timelines[player]!;
      if (timeline.wrongFrom !== FRAME_NEVER) this.onRollback?.(head, player, timeline.wrongFrom);
      timeline.wrongFrom = FRAME_NEVER;
    }
  }

  #resimulate(first: number, head: number): void {
    if (first < this.#gapFrom) this.#gapFrom = FRAME_NEVER;
    const known = this.#knownThrough(head, 0);
    this.#head = first - 1;
    for (; this.#head < head && this.replayLeft > 0; this.replayLeft--) {
      this.#simulate(this.#head + 1, known);
      this.#resimulatedFrames++;
    }
  }

  /** Runs one frame; those up to `known` have all their inputs. When the game throws, the state is that before the frame again. */
  #simulate(frame: number, known: number): void {
    const stepper = this.#stepper;
    for (let player = 0; player < this.players; player++) {
      const timeline = this.#timelines[player]!;
      stepper.press(player, timeline.values, timeline.use(frame));
      if (this.#anyoneGone) stepper.connect(player, !timeline.isGone(frame));
    }
    const meter = this.#meter?.isDue() === true ? this.#meter : undefined;
    const startMs = meter?.now() ?? 0;
    try {
      stepper.step(this.#state, frame);
    } catch (error) {
      this.#recover(frame);
      throw error;
    }
    const steppedMs = meter?.now() ?? 0;
    this.#head = frame;
    const isSaved = !this.#sparse || frame <= known;
    if (isSaved) this.#ring.save(frame + 1, this.#state);
    else if (this.#gapFrom === FRAME_NEVER) this.#gapFrom = frame + 1;
    meter?.sample(steppedMs - startMs, isSaved ? meter.now() - steppedMs : Number.NaN);
    if (this.game.over !== undefined && (this.#outcome === undefined || this.#outcome.frame >= frame)) {
      const result = this.game.over(this.#state);
      this.#outcome = result === undefined ? undefined : { frame, result };
    }
  }

  /** After a fault of the game in `frame`: back to the newest saved state before it. */
  #recover(frame: number): void {
    let last = frame;
    while (!this.#ring.load(last, this.#state)) last--;
    this.#head = last - 1;
    this.#ledger.failed();
    this.#gapFrom = FRAME_NEVER;
  }

  /**
   * From `frame` on this player is gone: its input is neutral and the game sees it as not connected. The frame is
   * agreed among the peers: the one after the last input that any of them holds. Throws, changing nothing,
   * `bad-argument` unless every input before that frame and none from it on is known here, or `player-gone`.
   */
  disconnect(player: number, frame: number): void {
    const timeline = this.#timeline(player);
    if (frame <= this.#head && !this.#ring.has(frame) && frame < this.#gapFrom) throw this.#notKept(frame);
    timeline.leave(frame);
    this.#anyoneGone = true;
    this.#changeFrom(timeline, frame);
  }

  /**
   * A player who is gone plays again from `frame` on, agreed among the peers before any of them has confirmed it.
   * Throws, changing nothing, `bad-argument` for a frame that is final here, or a player who is not gone.
   */
  admit(player: number, frame: number): void {
    requireInteger('frame', frame, this.confirmedFrame + 1);
    const timeline = this.#timeline(player);
    // Put off, it was not there in frames that may have run as if it had been.
    const first = Math.min(frame, timeline.backFrom);
    timeline.admit(frame);
    this.#changeFrom(timeline, first);
  }

  /** From `frame` on a player does something else, or is or is not there: frames that have run otherwise were wrong. */
  #changeFrom(timeline: InputTimeline, frame: number): void {
    if (frame > this.#head) return;
    timeline.ranWrong(frame);
    if (frame < this.#firstWrong) this.#firstWrong = frame;
  }

  /** A copy of the state before `frame`, corrected by all that has arrived; in `copy` if given. Throws `frame-not-kept`. */
  stateAt(frame: number, copy = this.game.state.create()): S {
    this.settle();
    if (frame === this.#head + 1) this.game.state.copy(this.#state, copy);
    else if (frame > this.#head || !this.#ring.load(frame, copy)) throw this.#notKept(frame);
    return copy;
  }

  /** The hash of `stateAt(frame)`, 32-bit unsigned. Throws `frame-not-kept`. */
  hashAt(frame: number): number {
    this.settle();
    const next = this.#head + 1;
    // Beyond the present lies what ran before it was put right.
    const hash = frame > next ? undefined : this.#ring.hash(frame);
    if (hash === undefined && frame !== next) throw this.#notKept(frame);
    return hash ?? this.game.state.hash(this.#state);
  }

  /**
   * Copies the words of a player's confirmed inputs of `count` frames from `first` on, of which those before frame 0 are
   * neutral. False, with `into` of no use, when one is not known or no longer kept.
   */
  readInput(player: number, first: number, into: Int32Array, at: number, count = 1): boolean {
    return this.#timeline(player).read(first, into, at, count);
  }

  /** News of effects, and the facts up to `through`: once a tick. `isLast` closes the match, and cancels what comes after. */
  collectEffects(through = this.confirmedFrame, isLast = false): EffectQueue {
    this.settle();
    this.#ledger.collect(this.#head, Math.min(through, this.confirmedFrame), isLast);
    return this.#ledger;
  }

  #notKept(frame: number): RiposteError {
    return new RiposteError(
      'frame-not-kept',
      `the state at frame ${frame} is not kept; expected ${this.#oldest()} to ${this.#head + 1}`,
    );
  }

  /** The first frame whose state the history reaches. */
  #oldest(): number {
    return Math.max(0, this.#head + 2 - this.history);
  }

  /**
   * Takes a state from elsewhere as `stateAt(frame)` and runs the inputs after it again up to the last simulated
   * frame; for a later frame, goes there. Inputs before `frame` are no longer waited for; `before` has those of the
   * frame before it, player by player, where they are known. Returns the frames run again.
   * Throws, changing nothing: `bad-state`; `frame-not-kept` for a frame below the history.
   */
  reconcile(frame: number, state: S, before?: Int32Array): number {
    requireInteger('frame', frame, 0, FRAME_NEVER - 1);
    if (frame < this.#oldest()) throw this.#notKept(frame);
    this.game.state.copy(state, this.#state);
    const head = this.#head;
    this.#ledger.reconciled(frame, Math.min(this.confirmedFrame, this.#firstWrong - 1));
    if (frame > head + 1) this.#ring.clear();
    this.#firstWrong = FRAME_NEVER;
    if (this.#outcome !== undefined && this.#outcome.frame >= frame) this.#outcome = undefined;
    for (const [player, timeline] of this.#timelines.entries()) {
      timeline.settleBefore(frame, before, player * timeline.words);
      timeline.wrongFrom = FRAME_NEVER;
    }
    this.#gapFrom = FRAME_NEVER;
    this.#ring.save(frame, this.#state);
    this.#resimulate(frame, head);
    return this.#head - frame + 1;
  }
}

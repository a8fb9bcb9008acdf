import { RiposteError, requireInteger } from '../errors.js';
import { type Game, initialState, PLAYERS_MAX, type Settings } from '../game/game.js';
import type { FieldDifference } from '../state/model.js';
import { SnapshotRing } from '../state/snapshot-ring.js';
import { InputTape } from './input-tape.js';
import { Stepper } from './stepper.js';

/** What a sync test can find, as the word that its `cause` begins with. */
export const SyncFault = {
  /** A snapshot changed after it was saved: it shares memory with the live state or with another snapshot. */
  alias: 'alias',
  /** A load left something of the newer state in place, such as a key that was added after the save. */
  keptKey: 'kept-key',
  /** A snapshot does not give back what was saved, or hashes otherwise than the state. */
  lossySnapshot: 'lossy-snapshot',
  /** The same state and inputs gave two results: the step reads something that is not saved. */
  outsideState: 'outside-state',
  /** The step called something that differs between machines or runs. */
  guard: 'guard',
  /** The game or its state model threw an error of its own. */
  threw: 'threw',
  /** Every state was the same, so that nothing was compared. */
  neverMoves: 'never-moves',
} as const;
export type SyncFault = (typeof SyncFault)[keyof typeof SyncFault];

export interface SyncTestOptions<I> {
  /** How many frames are run, 1 to 10,000,000. */
  readonly frames: number;
  /** How many frames each rollback goes back, 1 to 1,024; as many as there are at the start. */
  readonly distance: number;
  /** Of the game's generators and of the drawn inputs; 32-bit unsigned, 0 by default. */
  readonly seed?: number;
  /** Seats; the game's number by default. */
  readonly players?: number;
  readonly settings?: Settings;
  /** What a player does in a frame; drawn from the seed, changing every few frames, by default. May be asked again. */
  readonly inputs?: (frame: number, player: number) => Partial<I>;
  /** Called now and then with the frames run so far and those to run in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SyncMismatch {
  /** The frame whose step made it; -1 when `init` did, 0 when the state never moves. */
  readonly frame: number;
  /** Where the two differ: `a` as it was first, `b` as it was later. */
  readonly fields: readonly FieldDifference[];
  /** The kind of fault, a colon, and a sentence for people. */
  readonly cause?: `${SyncFault}: ${string}`;
}

export interface SyncTestResult {
  readonly ok: boolean;
  /** How many frames were run forward. */
  readonly frames: number;
  readonly rollbacks: number;
  /** How many different states there were, by their hashes. One is no proof of anything. */
  readonly distinctStates: number;
  readonly firstMismatch: SyncMismatch | null;
}

const FRAMES_MAX = 10_000_000;
const DISTANCE_MAX = 1024;
/** Frames between two calls of `onProgress`. */
const PROGRESS_FRAMES = 64;

/** Ends a run at its first fault. Never leaves this module. */
class Found extends Error {
  readonly fault: SyncFault;
  readonly mismatch: SyncMismatch;

  constructor(fault: SyncFault, mismatch: SyncMismatch) {
    super(mismatch.cause);
    this.fault = fault;
    this.mismatch = mismatch;
  }
}

function found(frame: number, fault: SyncFault, text: string, fields: readonly FieldDifference[] = []): Found {
  return new Found(fault, { frame, fields, cause: `${fault}: ${text}` });
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** What an error means that came out of the game's own code, or out of its state model. */
function faultOf(frame: number, error: unknown): Found {
  if (error instanceof Found) return error;
  if (error instanceof RiposteError && error.code === 'not-deterministic') {
    return found(frame, SyncFault.guard, error.message);
  }
  return found(frame, SyncFault.threw, `the game threw in ${frame < 0 ? 'init' : `frame ${frame}`}: ${textOf(error)}`);
}

/** One run: steps forward, and after every frame rolls back and runs the last frames again. */
class SyncRun<S, I> {
  /** How many frames were run forward, and rollbacks made. */
  frames = 0;
  rollbacks = 0;
  readonly hashesSeen = new Set<number>();
  readonly #game: Game<S, I>;
  readonly #options: SyncTestOptions<I>;
  readonly #players: number;
  readonly #stepper: Stepper<S, I>;
  readonly #tape: InputTape<I>;
  readonly #ring: SnapshotRing<S>;
  /** The hash of each kept state when it was first reached, beside the ring so that an alias cannot change it. */
  readonly #hashes: Uint32Array;
  #state: S;

  constructor(game: Game<S, I>, options: SyncTestOptions<I>) {
    this.#game = game;
    this.#options = options;
    this.#players = options.players ?? game.players;
    this.#stepper = new Stepper(game, this.#players);
    this.#tape = this.#newTape();
    this.#ring = new SnapshotRing(game.state, options.distance + 1);
    this.#hashes = new Uint32Array(options.distance + 1);
    this.#state = game.state.create();
  }

  #newTape(): InputTape<I> {
    const { seed = 0, inputs, distance } = this.#options;
    return new InputTape(this.#game.input, { players: this.#players, seed, inputs, capacity: distance + 1 });
  }

  #initialState(): S {
    const { seed = 0, settings = {} } = this.#options;
    return initialState(this.#game, { seed, settings, players: this.#players });
  }

  #hashAt(frame: number): number {
    return this.#hashes[frame % this.#hashes.length]!;
  }

  begin(): void {
    const { state: model } = this.#game;
    this.#state = this.#initialState();
    const again = this.#initialState();
    if (model.hash(this.#state) !== model.hash(again)) {
      const text = 'init gave two different states for the same seed and settings: it reads something outside them';
      throw found(-1, SyncFault.outsideState, text, model.diff(this.#state, again));
    }
    this.#keepNew(0);
  }

  /** Takes the inputs of the next frame. Throws what the caller's `inputs` throws, and `bad-input`. */
  record(): void {
    this.#tape.record(this.frames);
  }

  /** Runs one frame for the first time, then rolls back and runs the last frames again. */
  advance(): void {
    const frame = this.frames;
    this.#step(this.#stepper, this.#state, this.#tape, frame);
    this.frames++;
    this.#keepNew(frame + 1);
    const oldest = Math.max(0, frame + 1 - this.#options.distance);
    for (let kept = oldest; kept <= frame + 1; kept++) this.#requireUnchanged(kept, frame);
    this.#rollBack(oldest, frame);
  }

  #step(stepper: Stepper<S, I>, state: S, tape: InputTape<I>, frame: number): void {
    for (let player = 0; player < this.#players; player++) {
      stepper.press(player, tape.words, tape.at(frame, player));
    }
    stepper.step(state, frame);
    // As in a match: asked after every frame, and so part of what must be deterministic.
    this.#game.over?.(state);
  }

  /** Saves a state that is reached for the first time. */
  #keepNew(frame: number): void {
    const { state: model } = this.#game;
    const hash = model.hash(this.#state);
    this.#ring.save(frame, this.#state);
    this.#hashes[frame % this.#hashes.length] = hash;
    this.hashesSeen.add(hash);
    if (this.#ring.hash(frame) === hash) return;
    const restored = model.create();
    this.#ring.load(frame, restored);
    const text = `the snapshot of frame ${frame} does not hash like the state that was saved in it`;
    throw found(frame - 1, SyncFault.lossySnapshot, text, model.diff(this.#state, restored));
  }

  /** A kept snapshot must hash as it did when it was saved; `frame` is the frame that ran since the last look. */
  #requireUnchanged(kept: number, frame: number): void {
    if (this.#ring.hash(kept) === this.#hashAt(kept)) return;
    const text =
      `the snapshot of the state before frame ${kept} changed after it was saved: ` +
      'save and load must copy every part, also the nested ones';
    const now = this.#game.state.create();
    this.#ring.load(kept, now);
    throw found(frame, SyncFault.alias, text, this.#differencesFromFirstRun(kept, now));
  }

  #rollBack(oldest: number, newest: number): void {
    const { state: model } = this.#game;
    this.#ring.load(oldest, this.#state);
    this.rollbacks++;
    if (model.hash(this.#state) !== this.#hashAt(oldest)) throw this.#badLoad(oldest, newest);
    for (let frame = oldest; frame <= newest; frame++) {
      try {
        this.#step(this.#stepper, this.#state, this.#tape, frame);
      } catch (error) {
        const fault = faultOf(frame, error);
        if (fault.fault === SyncFault.guard) throw fault;
        const text = `frame ${frame} went well the first time, and threw when it ran again from the same state and inputs`;
        throw found(frame, SyncFault.outsideState, `${text}: ${textOf(error)}`);
      }
      // A load that shares memory shows here: the step has written into the snapshot.
      this.#requireUnchanged(oldest, frame);
      if (model.hash(this.#state) !== this.#hashAt(frame + 1)) throw this.#otherResult(frame);
      this.#ring.save(frame + 1, this.#state);
    }
  }

  #otherResult(frame: number): Found {
    const first = this.#game.state.create();
    this.#ring.load(frame + 1, first);
    const text =
      `frame ${frame} gave another result when it ran again from the same state and inputs: the step reads something ` +
      'that is not in the saved state, such as a generator, a counter, a cache or a clock';
    return found(frame, SyncFault.outsideState, text, this.#game.state.diff(first, this.#state));
  }

  /** The live state is not what was saved, though the snapshot's own hash is as it was. Finds out whose fault it is. */
  #badLoad(kept: number, frame: number): Found {
    const { state: model } = this.#game;
    const fresh = model.create();
    this.#ring.load(kept, fresh);
    if (model.hash(fresh) === this.#hashAt(kept)) {
      const text =
        `loading the state before frame ${kept} left something of the newer state in place: ` +
        'a load must also take away what was added after the save';
      return found(frame, SyncFault.keptKey, text, model.diff(fresh, this.#state));
    }
    const original = this.#firstRunState(kept);
    if (original !== undefined) {
      const snapshot = model.createSnapshot();
      snapshot.save(original);
      const restored = model.create();
      snapshot.load(restored);
      if (model.hash(restored) === this.#hashAt(kept)) {
        const text = `the snapshot of the state before frame ${kept} no longer holds what was saved in it`;
        return found(frame, SyncFault.alias, text, model.diff(original, fresh));
      }
    }
    const text = `the state before frame ${kept} came back from its snapshot as another one`;
    const fields = original === undefined ? [] : model.diff(original, fresh);
    return found(kept - 1, SyncFault.lossySnapshot, text, fields);
  }

  #differencesFromFirstRun(frame: number, now: S): FieldDifference[] {
    const original = this.#firstRunState(frame);
    return original === undefined ? [] : this.#game.state.diff(original, now);
  }

  /** `stateAt(frame)` made anew, without any snapshot; undefined when the game does not give the same again. */
  #firstRunState(frame: number): S | undefined {
    try {
      const state = this.#initialState();
      const tape = this.#newTape();
      const stepper = new Stepper(this.#game, this.#players);
      for (let ran = 0; ran < frame; ran++) {
        tape.record(ran);
        this.#step(stepper, state, tape, ran);
      }
      return this.#game.state.hash(state) === this.#hashAt(frame) ? state : undefined;
    } catch {
      return undefined;
    }
  }
}

function faultIn(frame: number, run: () => void): SyncMismatch | null {
  try {
    run();
    return null;
  } catch (error) {
    return faultOf(frame, error).mismatch;
  }
}

/**
 * Proves that a game can be rolled back, or names the fault: runs it forward on seeded inputs, and after every frame
 * loads the state `distance` frames back and runs up to there again. Every re-run frame must give the hash that it
 * gave first, and every snapshot must keep the hash that it had when it was saved. `ok` is false, with the cause
 * `never-moves`, when there was only one state: that would be no proof.
 *
 * A game wrapped by `guardDeterminism` has its forbidden calls reported as a mismatch with the cause `guard`; an error of
 * the game's own is reported with the cause `threw`.
 * Throws `bad-argument` for options out of range, `bad-input` for an input that the model refuses.
 */
export function syncTest<S, I>(game: Game<S, I>, options: SyncTestOptions<I>): SyncTestResult {
  requireInteger('frames', options.frames, 1, FRAMES_MAX);
  requireInteger('distance', options.distance, 1, DISTANCE_MAX);
  requireInteger('seed', options.seed ?? 0, 0, 0xffffffff);
  requireInteger('players', options.players ?? game.players, 1, PLAYERS_MAX);
  const run = new SyncRun(game, options);
  let firstMismatch = faultIn(-1, () => run.begin());
  while (firstMismatch === null && run.frames < options.frames) {
    if (run.frames % PROGRESS_FRAMES === 0) options.onProgress?.(run.frames, options.frames);
    run.record();
    firstMismatch = faultIn(run.frames, () => run.advance());
  }
  if (firstMismatch === null && run.hashesSeen.size < 2) {
    const text =
      `all ${run.frames + 1} states are the same, which proves nothing: ` +
      'the game does not react to these inputs, or keeps its state elsewhere';
    firstMismatch = found(0, SyncFault.neverMoves, text).mismatch;
  }
  const { frames, rollbacks, hashesSeen } = run;
  return { ok: firstMismatch === null, frames, rollbacks, distinctStates: hashesSeen.size, firstMismatch };
}

import { RiposteError } from '../errors.js';
import { type Game, initialState } from '../game/game.js';
import { FRAME_NEVER } from '../input/timeline.js';
import { Stepper } from '../rollback/stepper.js';
import { hashWords } from '../state/hash.js';
import type { StateModel } from '../state/model.js';
import { type AbsenceChange, absencesUpTo } from './absences.js';
import type { InputTrack } from './input-track.js';
import type { Keyframe } from './keyframes.js';
import type { Recording } from './reader.js';

/** Throws `other-game`, naming the part, unless the recording was made by this game in this version. */
export function requireGame<S, I>(game: Game<S, I>, { header }: Recording): void {
  const parts: [string, string | number, string | number][] = [
    ['game', header.gameId, game.id],
    ['version', header.gameVersion, game.version],
    ['tick rate', header.tickRate, game.tickRate],
    ['words of an input', header.inputWords, game.input.words],
  ];
  for (const [part, recorded, given] of parts) {
    if (recorded === given) continue;
    throw new RiposteError(
      'other-game',
      `the recording is of ${header.gameId} ${header.gameVersion}, and the game given is ${game.id} ${game.version}: ` +
        `${part} ${given}; expected ${recorded}`,
    );
  }
}

/** An error of the game's own code, with the place where it happened. */
function gameError(where: string, error: unknown): RiposteError {
  const wrapped = new RiposteError(
    'bad-game',
    `the game threw in ${where}: ${error instanceof Error ? error.message : String(error)}`,
  );
  wrapped.cause = error;
  return wrapped;
}

/**
 * The state that a keyframe holds. Throws `other-game` when it is not one of this game: the shape of its state has
 * changed and its version has not.
 */
export function keyframeState<S, I>({ state: model }: Game<S, I>, keyframe: Keyframe): S {
  const state = model.create();
  try {
    model.decode(keyframe.bytes(), state);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    throw new RiposteError(
      'other-game',
      `the state that is recorded at frame ${keyframe.frame} is not one of the game given: ${error.message}`,
    );
  }
  return state;
}

/** The state before a recording's first frame. */
function firstState<S, I>(game: Game<S, I>, { firstFrame, header, keyframes }: Recording): S {
  if (firstFrame > 0) {
    const [first] = keyframes;
    if (first !== undefined) return keyframeState(game, first);
    throw new RiposteError(
      'bad-recording',
      `the recording starts at frame ${firstFrame}, and the state before that frame is not in it`,
    );
  }
  const { seed, settings, players } = header;
  try {
    return initialState(game, { seed, settings, players });
  } catch (error) {
    throw gameError('init', error);
  }
}

/** Runs a recording's inputs through its game again, by the same stepper as a match. No garbage per frame. */
export class Resimulation<S, I> {
  readonly state: S;
  /** The frame that runs next. */
  frame: number;
  readonly #model: StateModel<S>;
  readonly #stepper: Stepper<S, I>;
  readonly #tracks: readonly InputTrack[];
  readonly #absences: readonly AbsenceChange[];
  /** The run that each player's input changes to next, and the frame where it does. */
  readonly #nextRun: Int32Array;
  readonly #nextStart: Float64Array;
  #nextAbsence: number;
  /** The next frame in which a player's input changes, or who is there. */
  #nextChange: number;
  readonly #words: Int32Array;

  /**
   * Starts at a keyframe of the recording; without one at its first frame, from the game's `init` where that is
   * frame 0. Throws `other-game` for a recording of another game or version, `bad-game` when the game's `init` throws,
   * `bad-recording` for a late recording without its first state.
   */
  constructor(game: Game<S, I>, recording: Recording, start?: Keyframe) {
    requireGame(game, recording);
    const { firstFrame, header, inputs, frames } = recording;
    const { players } = header;
    this.frame = start?.frame ?? firstFrame;
    this.state = start === undefined ? firstState(game, recording) : keyframeState(game, start);
    this.#stepper = new Stepper(game, players);
    this.#model = game.state;
    this.#tracks = recording.inputs;
    this.#absences = recording.absences;
    this.#nextRun = new Int32Array(players);
    this.#nextStart = new Float64Array(players);
    this.#words = new Int32Array(game.input.words);
    // The change before the first frame counts in it.
    this.#nextAbsence = Math.max(0, absencesUpTo(this.#absences, this.frame) - 1);
    this.#nextChange = this.frame;
    if (this.frame >= firstFrame + frames) return;
    for (const [player, track] of inputs.entries()) {
      this.#nextRun[player] = track.runAt(this.frame);
      this.#nextStart[player] = this.frame;
    }
  }

  /** The hash of the state before the next frame. */
  hash(): number {
    return this.#model.hash(this.state);
  }

  /** Puts the inputs of the next frame in place. */
  #change(): void {
    const { frame } = this;
    let next = FRAME_NEVER;
    for (let player = 0; player < this.#tracks.length; player++) {
      const track = this.#tracks[player]!;
      if (this.#nextStart[player] === frame) {
        const run = this.#nextRun[player]!;
        track.readRun(run, this.#words, 0);
        this.#stepper.press(player, this.#words, 0);
        this.#nextRun[player] = run + 1;
        this.#nextStart[player] = track.startOf(run + 1);
      }
      next = Math.min(next, this.#nextStart[player]!);
    }
    const absences = this.#absences;
    for (; (absences[this.#nextAbsence]?.frame ?? FRAME_NEVER) <= frame; this.#nextAbsence++) {
      const { gone } = absences[this.#nextAbsence]!;
      for (let player = 0; player < this.#tracks.length; player++) {
        this.#stepper.connect(player, (gone & (1 << player)) === 0);
      }
    }
    this.#nextChange = Math.min(next, absences[this.#nextAbsence]?.frame ?? FRAME_NEVER);
  }

  /** Runs the next frame, which the recording must hold; returns the hash of the state after it. Throws `bad-game`. */
  advance(): number {
    if (this.frame === this.#nextChange) this.#change();
    try {
      this.#stepper.step(this.state, this.frame);
    } catch (error) {
      throw gameError(`frame ${this.frame}`, error);
    }
    this.frame++;
    return this.hash();
  }

  /**
   * Runs the frames before `end`, which the recording must hold, for as long as each state has its hash: that after frame
   * `f` is `hashes[f - first]`. Returns whether all have; else `frame` is the one after the first that has another.
   * Throws `bad-game`.
   */
  runWhileEqual(hashes: Uint32Array, first: number, end: number): boolean {
    const { state } = this;
    const stepper = this.#stepper;
    const model = this.#model;
    const words = model.hashedWords?.(state);
    let { frame } = this;
    try {
      while (frame < end) {
        this.frame = frame;
        if (frame === this.#nextChange) this.#change();
        const until = Math.min(end, this.#nextChange);
        for (; frame < until; frame++) {
          stepper.step(state, frame);
          const hash = words === undefined ? model.hash(state) : hashWords(words, 0, words.length);
          if (hash === hashes[frame - first]) continue;
          this.frame = frame + 1;
          return false;
        }
      }
    } catch (error) {
      throw gameError(`frame ${frame}`, error);
    }
    this.frame = frame;
    return true;
  }
}

import { RiposteError } from '../errors.js';
import { type Game, initialState } from '../game/game.js';
import { Stepper } from '../rollback/stepper.js';
import type { InputTrack } from './input-track.js';
import type { Recording } from './reader.js';

/** Throws `other-game`, naming the part, unless the recording was made by this game in this version. */
function requireGame<S, I>(game: Game<S, I>, { header }: Recording): void {
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

/** Runs a recording's inputs through its game again, by the same stepper as a match. No garbage per frame. */
export class Resimulation<S, I> {
  readonly state: S;
  /** The frame that runs next. */
  frame = 0;
  readonly #game: Game<S, I>;
  readonly #stepper: Stepper<S, I>;
  readonly #tracks: readonly InputTrack[];
  /** The run that each player's input changes to next, and the frame where it does. */
  readonly #nextRun: Int32Array;
  readonly #nextStart: Float64Array;
  readonly #words: Int32Array;

  /** Throws `other-game` for a recording of another game or version, `bad-game` when the game's `init` throws. */
  constructor(game: Game<S, I>, recording: Recording) {
    requireGame(game, recording);
    const { seed, settings, players } = recording.header;
    try {
      this.state = initialState(game, { seed, settings, players });
    } catch (error) {
      throw gameError('init', error);
    }
    this.#game = game;
    this.#stepper = new Stepper(game, players);
    this.#tracks = recording.inputs;
    this.#nextRun = new Int32Array(players);
    this.#nextStart = new Float64Array(players);
    this.#words = new Int32Array(game.input.words);
  }

  /** Runs the next frame, which the recording must hold; returns the hash of the state after it. Throws `bad-game`. */
  advance(): number {
    const frame = this.frame;
    for (let player = 0; player < this.#tracks.length; player++) {
      if (this.#nextStart[player] !== frame) continue;
      const track = this.#tracks[player]!;
      const run = this.#nextRun[player]!;
      track.readRun(run, this.#words, 0);
      this.#stepper.press(player, this.#words, 0);
      this.#nextRun[player] = run + 1;
      this.#nextStart[player] = track.startOf(run + 1);
    }
    try {
      this.#stepper.step(this.state, frame);
    } catch (error) {
      throw gameError(`frame ${frame}`, error);
    }
    this.frame = frame + 1;
    return this.#game.state.hash(this.state);
  }
}

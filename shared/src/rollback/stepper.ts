import type { Game, StepContext } from '../game/game.js';
import type { InputModel } from '../input/model.js';

interface MutableContext extends StepContext {
  frame: number;
  readonly players: { connected: boolean }[];
}

/** Runs a game's step with reused arguments: the one place that calls `step`. */
export class Stepper<S, I> {
  readonly #game: Game<S, I>;
  readonly #input: InputModel<I>;
  readonly #inputs: I[];
  readonly #context: MutableContext;

  constructor(game: Game<S, I>, players: number) {
    this.#game = game;
    this.#input = game.input;
    this.#inputs = Array.from({ length: players }, () => game.input.create());
    this.#context = { frame: 0, players: Array.from({ length: players }, () => ({ connected: true })) };
  }

  /** What a player presses in the frame about to run: the words `from[at]` on. */
  press(player: number, from: Int32Array, at: number): void {
    this.#input.decode(from, at, this.#inputs[player]!);
  }

  /** Whether the game sees a player as connected from now on. */
  connect(player: number, connected: boolean): void {
    this.#context.players[player]!.connected = connected;
  }

  /** Advances `state` through `frame` with what was pressed. */
  step(state: S, frame: number): void {
    this.#context.frame = frame;
    this.#game.step(state, this.#inputs, this.#context);
  }
}

import type { Game, StepContext } from '../game/game.js';

interface MutableContext extends StepContext {
  frame: number;
  readonly players: { connected: boolean }[];
}

/** Runs a game's step with reused arguments: the one place that calls `step`. */
export class Stepper<S, I> {
  readonly words: number;
  /** The inputs of the frame about to run: `words` integers a player, player by player. */
  readonly pressed: Int32Array;
  readonly #game: Game<S, I>;
  readonly #inputs: I[];
  readonly #context: MutableContext;

  constructor(game: Game<S, I>, players: number) {
    this.words = game.input.words;
    this.pressed = new Int32Array(players * this.words);
    this.#game = game;
    this.#inputs = Array.from({ length: players }, () => game.input.create());
    this.#context = { frame: 0, players: Array.from({ length: players }, () => ({ connected: true })) };
  }

  /** Advances `state` through `frame` with the inputs in `pressed`. */
  step(state: S, frame: number): void {
    const inputs = this.#inputs;
    const input = this.#game.input;
    for (let player = 0; player < inputs.length; player++) {
      input.decode(this.pressed, player * this.words, inputs[player]!);
    }
    this.#context.frame = frame;
    this.#game.step(state, inputs, this.#context);
  }
}

import type { Game, StepContext } from '../game/game.js';
import type { InputModel } from '../input/model.js';
import { EffectLedger } from './effect-ledger.js';

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
  readonly #ledger: EffectLedger;

  /** What the steps emit goes to `ledger`; without one it is checked and forgotten. */
  constructor(game: Game<S, I>, players: number, ledger = new EffectLedger(1)) {
    this.#game = game;
    this.#input = game.input;
    this.#inputs = Array.from({ length: players }, () => game.input.create());
    this.#ledger = ledger;
    const context: MutableContext = {
      frame: 0,
      players: Array.from({ length: players }, () => ({ connected: true })),
      effect: (kind, data, key) => ledger.effect(context.frame, kind, data, key),
      fact: (kind, data) => ledger.fact(context.frame, kind, data),
    };
    this.#context = context;
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
    this.#ledger.stepped(frame);
  }
}

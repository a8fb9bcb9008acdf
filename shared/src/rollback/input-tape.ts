import type { InputModel } from '../input/model.js';
import { Random } from '../math/random.js';

/** A drawn input is held for this many frames, up to `HOLD_FRAMES_MIN + HOLD_FRAMES_SPREAD - 1`: as long as people do. */
const HOLD_FRAMES_MIN = 2;
const HOLD_FRAMES_SPREAD = 12;

export interface InputTapeOptions<I> {
  readonly players: number;
  /** 32-bit unsigned. */
  readonly seed: number;
  /** What a player does in a frame; drawn from `seed` when it is left out. Must give the same whenever it is asked. */
  readonly inputs: ((frame: number, player: number) => Partial<I>) | undefined;
  /** How many frames stay readable. */
  readonly capacity: number;
}

/** The inputs of a test run, frame after frame, with the last few kept. Two tapes made alike play alike. */
export class InputTape<I> {
  /** `words` integers a player, player by player, for each kept frame. */
  readonly words: Int32Array;
  readonly #model: InputModel<I>;
  readonly #options: InputTapeOptions<I>;
  readonly #players: readonly { readonly random: Random; readonly held: Int32Array; framesLeft: number }[];

  constructor(model: InputModel<I>, options: InputTapeOptions<I>) {
    this.#model = model;
    this.#options = options;
    this.words = new Int32Array(options.capacity * options.players * model.words);
    this.#players = Array.from({ length: options.players }, (_, player) => {
      const random = new Random(new Int32Array(2), 0);
      random.seed(options.seed, player);
      return { random, held: new Int32Array(model.words), framesLeft: 0 };
    });
  }

  /** Where a kept frame's input of a player begins in `words`. */
  at(frame: number, player: number): number {
    const { capacity, players } = this.#options;
    return ((frame % capacity) * players + player) * this.#model.words;
  }

  /** Writes the inputs of `frame`. Called once for every frame, from 0 on. Throws what `inputs` and the model throw. */
  record(frame: number): void {
    const { inputs } = this.#options;
    for (const [player, drawn] of this.#players.entries()) {
      const at = this.at(frame, player);
      if (inputs !== undefined) {
        this.#model.encode(inputs(frame, player), this.words, at);
        continue;
      }
      if (drawn.framesLeft === 0) {
        drawn.framesLeft = HOLD_FRAMES_MIN + drawn.random.below(HOLD_FRAMES_SPREAD);
        for (let word = 0; word < drawn.held.length; word++) {
          drawn.held[word] = drawn.random.next() & usedBits(this.#model.bits, word);
        }
      }
      drawn.framesLeft--;
      this.words.set(drawn.held, at);
    }
  }
}

/** The mask of the bits in use in one word of a model. */
function usedBits(bits: number, word: number): number {
  const used = bits - word * 32;
  return used >= 32 ? -1 : used <= 0 ? 0 : (1 << used) - 1;
}

import { Random } from '../../math/random.js';

/** A generator that a plain state holds: its whole memory is two words that are saved and loaded with the state. */
export class PlainRandom extends Random {
  /** The generator's memory. */
  readonly words: Int32Array;

  constructor() {
    const words = new Int32Array(2);
    super(words, 0);
    this.words = words;
  }
}

/**
 * A generator for a plain state, started from the match's seed on its own stream before `init`:
 * `plain(() => ({ dice: plainRandom() }))`, then `state.dice.below(6)` in `step`.
 */
export function plainRandom(): PlainRandom {
  return new PlainRandom();
}

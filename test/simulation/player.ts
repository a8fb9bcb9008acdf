import { press } from '../../shared/testing/mixer.js';
import type { Luck } from './luck.js';
import type { Habit } from './scenario.js';

/** What can be pressed: the numbers below this. */
export const PRESSES = 8;
/** Made once: a tick makes no garbage here. */
const INPUTS = Array.from({ length: PRESSES }, (_, word) => press(word));
/** A human changes one button in about so many ticks. */
const TICKS_BETWEEN_CHANGES = 6;

/** The input of a number from `Player.next`. */
export function inputOf(word: number): (typeof INPUTS)[number] {
  return INPUTS[word]!;
}

/** Presses as its habit says. */
export class Player {
  readonly #habit: Habit;
  readonly #luck: Luck;
  #now: Habit;
  #word = 0;
  #ticksLeft = 0;

  constructor(habit: Habit, luck: Luck) {
    this.#habit = habit;
    this.#now = habit === 'mixed' ? 'human' : habit;
    this.#luck = luck;
  }

  /** What is pressed in the next tick: a number below `PRESSES`. */
  next(): number {
    if (this.#habit === 'mixed' && --this.#ticksLeft < 0) {
      this.#ticksLeft = 30 + this.#luck.below(200);
      this.#now = this.#luck.pick(['idle', 'human', 'random']);
    }
    if (this.#now === 'random') this.#word = this.#luck.below(PRESSES);
    else if (this.#now === 'human' && this.#luck.below(TICKS_BETWEEN_CHANGES) === 0) {
      this.#word ^= 1 << this.#luck.below(3);
    }
    return this.#word;
  }
}

import type { RollbackSim } from '@riposte/shared';

/** For so few words a loop beats the fixed cost of a call of `TypedArray.set`. */
function copyInput(from: Int32Array, into: Int32Array): void {
  for (let word = 0; word < into.length; word++) into[word] = from[word]!;
}

/**
 * Places the local player's samples on frames, `inputDelay` after the one that is simulated. A frame that was sent is
 * never written again: after an increase the frames between hold the last input, after a decrease and while the match
 * cannot advance the samples wait, merged, for the next free frame.
 */
export class LocalInput<S, I> {
  /** Frames between a press and the frame that it plays in, 0 to `INPUT_DELAY_MAX`; from the next sample on. */
  inputDelay: number;
  /** The player's seat is not in the match, or may not play yet: samples are dropped. */
  isOutside: boolean;
  readonly #sim: RollbackSim<S, I>;
  readonly #player: number;
  readonly #placed: Int32Array;
  readonly #waiting: Int32Array;
  #hasWaiting = false;

  /** Frames before the first sample's hold the neutral input. */
  constructor(sim: RollbackSim<S, I>, player: number, inputDelay: number) {
    this.inputDelay = inputDelay;
    this.#sim = sim;
    this.#player = player;
    this.#placed = Int32Array.from(sim.game.input.neutral);
    this.#waiting = Int32Array.from(sim.game.input.neutral);
    const first = sim.lastFrame() + 1 + inputDelay;
    // Also whose absence begins later: its seat is given up already.
    const absence = sim.absenceAfter(player, first);
    this.isOutside = absence !== null && absence[1] === null;
    this.holdUntil(first);
  }

  /** Holds the last input in all frames before this one that have none yet. */
  holdUntil(frame: number): void {
    if (this.isOutside) return;
    for (let next = this.#sim.confirmedThrough(this.#player) + 1; next < frame; next++) {
      this.#sim.putInput(this.#player, next, this.#placed, 0);
    }
  }

  /** Keeps a sample of a tick that cannot advance. */
  keep(sample: Int32Array): void {
    if (this.isOutside) return;
    if (this.#hasWaiting) this.#sim.game.input.merge(this.#placed, this.#waiting, sample, this.#waiting);
    else copyInput(sample, this.#waiting);
    this.#hasWaiting = true;
  }

  /** Places a sample for the tick that simulates `frame`, with those that wait. */
  place(frame: number, sample: Int32Array): void {
    if (this.isOutside) return;
    this.keep(sample);
    const target = frame + this.inputDelay;
    if (target <= this.#sim.confirmedThrough(this.#player)) return;
    this.holdUntil(target);
    this.#sim.putInput(this.#player, target, this.#waiting, 0);
    copyInput(this.#waiting, this.#placed);
    this.#hasWaiting = false;
  }
}

import { Random } from '@riposte/shared';

/** Seeded luck of one part of a simulated world: streams of one seed do not disturb each other. */
export class Luck {
  readonly #random = new Random(new Int32Array(2), 0);

  constructor(seed: number, stream: number) {
    this.#random.seed(seed, stream);
  }

  /** A number in [0, 1). */
  unit(): number {
    return this.#random.unit();
  }

  chance(share: number): boolean {
    return this.#random.unit() < share;
  }

  /** An integer from 0 to `count - 1`. */
  below(count: number): number {
    return this.#random.below(count);
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.#random.unit();
  }

  /** From `from` to `to`, small numbers as likely as large ones by their order of magnitude. */
  magnitude(from: number, to: number): number {
    return from * (to / from) ** this.#random.unit();
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.#random.below(choices.length)] ?? choices[0];
  }
}

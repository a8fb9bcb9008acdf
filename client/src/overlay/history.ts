/** The newest values of one figure, in a ring that is made once. NaN where nothing was known. */
export class History {
  readonly #values: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity).fill(Number.NaN);
  }

  get capacity(): number {
    return this.#values.length;
  }

  add(value: number): void {
    this.#values[this.#count++ % this.#values.length] = value;
  }

  /** The value `ago` additions before the newest; NaN where there is none. */
  at(ago: number): number {
    const { length } = this.#values;
    if (ago >= length || ago >= this.#count) return Number.NaN;
    return this.#values[(this.#count - 1 - ago) % length]!;
  }

  /** The largest that is known; 0 when none is. */
  get max(): number {
    let max = 0;
    for (const value of this.#values) if (value > max) max = value;
    return max;
  }
}

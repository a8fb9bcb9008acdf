/** What measures tell of: the last minute. */
const KEPT_MS = 60_000;

/** One thing measured, over the last minute. Null where nothing was. */
export interface Spread {
  /** Since the beginning. */
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
}

/** Measures of one thing, the newest ones of at most the last minute, for their percentiles. */
export class Samples {
  readonly #values: Float64Array;
  readonly #takenMs: Float64Array;
  readonly #sorted: Float64Array;
  readonly #keptMs: number;
  /** All that were ever taken, and their sum. */
  count = 0;
  total = 0;

  /** At most `capacity` are kept, and none for longer than `keptMs`. */
  constructor(capacity = 2048, keptMs = KEPT_MS) {
    this.#values = new Float64Array(capacity);
    this.#takenMs = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
    this.#keptMs = keptMs;
  }

  add(nowMs: number, value: number): void {
    const at = this.count % this.#values.length;
    this.#values[at] = value;
    this.#takenMs[at] = nowMs;
    this.count++;
    this.total += value;
  }

  /** The one that was taken last; NaN before the first. */
  get newest(): number {
    return this.count === 0 ? Number.NaN : this.#values[(this.count - 1) % this.#values.length]!;
  }

  /** Those that count now, the least first. */
  #sort(nowMs: number): Float64Array {
    let kept = 0;
    for (let at = 0; at < Math.min(this.count, this.#values.length); at++) {
      if (nowMs - this.#takenMs[at]! <= this.#keptMs) this.#sorted[kept++] = this.#values[at]!;
    }
    return this.#sorted.subarray(0, kept).sort();
  }

  /** The one that `share` of them, 0 to 1, do not exceed; null when there is none. */
  percentile(nowMs: number, share: number): number | null {
    return shareOf(this.#sort(nowMs), share);
  }

  spread(nowMs: number): Spread {
    const sorted = this.#sort(nowMs);
    return { count: this.count, p50: shareOf(sorted, 0.5), p95: shareOf(sorted, 0.95), max: shareOf(sorted, 1) };
  }
}

function shareOf(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** What the figures of a session tell of: the last minute. */
const KEPT_MS = 60_000;

/** Measures of one thing, the newest ones of at most the last minute, for their percentiles. */
export class Samples {
  readonly #values: Float64Array;
  readonly #takenMs: Float64Array;
  readonly #sorted: Float64Array;
  readonly #keptMs: number;
  /** All that were ever taken. */
  count = 0;

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
  }

  /** The one that `share` of them, 0 to 1, do not exceed; null when there is none. */
  percentile(nowMs: number, share: number): number | null {
    let kept = 0;
    for (let at = 0; at < Math.min(this.count, this.#values.length); at++) {
      if (nowMs - this.#takenMs[at]! <= this.#keptMs) this.#sorted[kept++] = this.#values[at]!;
    }
    if (kept === 0) return null;
    const sorted = this.#sorted.subarray(0, kept).sort();
    return sorted[Math.max(0, Math.ceil(share * kept) - 1)] ?? null;
  }
}

/** One thing measured, over the last minute. Null where nothing was. */
export interface Spread {
  /** Since the beginning. */
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
}

export function spreadOf(samples: Samples, nowMs: number): Spread {
  const at = (share: number) => samples.percentile(nowMs, share);
  return { count: samples.count, p50: at(0.5), p95: at(0.95), max: at(1) };
}

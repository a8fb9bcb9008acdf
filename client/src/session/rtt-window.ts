/** Weight of a new round trip in the smoothed value (RFC 6298 uses an eighth). */
const SMOOTHING = 1 / 8;
/** Samples kept: about four seconds of one a tick at 60 Hz. */
const SAMPLES = 256;

/** The round trips of the last seconds, in milliseconds. */
export class RttWindow {
  readonly #samples = new Float64Array(SAMPLES);
  readonly #sorted = new Float64Array(SAMPLES);
  #count = 0;
  #smoothedMs: number | null = null;
  /** NaN before the first sample. */
  newestMs = Number.NaN;

  /** Null before the first sample. */
  get smoothedMs(): number | null {
    return this.#smoothedMs;
  }

  add(rttMs: number): void {
    this.#samples[this.#count % SAMPLES] = rttMs;
    this.#count++;
    this.newestMs = rttMs;
    this.#smoothedMs = this.#smoothedMs === null ? rttMs : this.#smoothedMs + (rttMs - this.#smoothedMs) * SMOOTHING;
  }

  /** The sample below which `share` of them lie, 0 to 1; null before the first sample. */
  percentile(share: number): number | null {
    const count = Math.min(this.#count, SAMPLES);
    if (count === 0) return null;
    const sorted = this.#sorted.subarray(0, count);
    sorted.set(this.#samples.subarray(0, count));
    sorted.sort();
    return sorted[Math.min(count - 1, Math.floor(share * count))] ?? null;
  }
}

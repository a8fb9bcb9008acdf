/** Weight of a new round trip in the smoothed value (RFC 6298 uses an eighth). */
const SMOOTHING = 1 / 8;
/** Samples kept: about four seconds of one a tick at 60 Hz. */
const SAMPLES = 256;

/** Send times are kept for this many frames, a power of two: more than can be under way. */
const SENT_RING = 256;

/** The round trips of the last seconds, in milliseconds: from when a frame's input was first sent to the word that it came. */
export class RttWindow {
  readonly #sentMs = new Float64Array(SENT_RING).fill(Number.NaN);
  #sentThrough = -1;
  readonly #samples = new Float64Array(SAMPLES);
  readonly #sorted = new Float64Array(SAMPLES);
  #count = 0;
  #smoothedMs = Number.NaN;
  /** NaN before the first sample. */
  newestMs = Number.NaN;

  /** Null before the first sample. */
  get smoothedMs(): number | null {
    return this.#count === 0 ? null : this.#smoothedMs;
  }

  /** The newest frame whose input was ever sent. */
  get sentThrough(): number {
    return this.#sentThrough;
  }

  /** The inputs of all frames up to `frame` were sent, those that were not before at `nowMs`; NaN where that is not known. */
  sent(nowMs: number, frame: number): void {
    for (let next = Math.max(this.#sentThrough + 1, frame - SENT_RING + 1); next <= frame; next++) {
      this.#sentMs[next & (SENT_RING - 1)] = nowMs;
    }
    if (frame > this.#sentThrough) this.#sentThrough = frame;
  }

  /** NaN for a frame that was never sent, or long ago. */
  whenSent(frame: number): number {
    return this.#isKept(frame) ? this.#sentMs[frame & (SENT_RING - 1)]! : Number.NaN;
  }

  #isKept(frame: number): boolean {
    return frame >= 0 && frame <= this.#sentThrough && frame > this.#sentThrough - SENT_RING;
  }

  /** The peer had the input of `frame` for `holdMs` before it said so. */
  answered(nowMs: number, frame: number, holdMs: number): void {
    if (!this.#isKept(frame)) return;
    const rttMs = nowMs - this.#sentMs[frame & (SENT_RING - 1)]! - holdMs;
    if (Number.isNaN(rttMs)) return;
    this.#samples[this.#count % SAMPLES] = Math.max(0, rttMs);
    this.#smooth();
  }

  add(rttMs: number): void {
    this.#samples[this.#count % SAMPLES] = rttMs;
    this.#smooth();
  }

  /** Takes the sample where it lies: a number that is handed on may have to be put on the heap. */
  #smooth(): void {
    this.newestMs = this.#samples[this.#count % SAMPLES]!;
    this.#smoothedMs =
      this.#count === 0 ? this.newestMs : this.#smoothedMs + (this.newestMs - this.#smoothedMs) * SMOOTHING;
    this.#count++;
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

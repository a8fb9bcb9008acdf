/** Beyond half a second, what is predicted has little to do with what will be. */
const WINDOW_MS_MAX = 500;

/** The share of round trips that the window covers: a mean would be too short for half of them. */
const COVERED_SHARE = 0.95;

export interface PredictionWindowOptions {
  /** The 95th percentile of the measured round trips, or the round trips themselves. */
  readonly rttMs: number | readonly number[];
  /** Time between two states of the authority. */
  readonly snapshotIntervalMs: number;
  /** Time between two inputs. */
  readonly inputIntervalMs: number;
  /** The upper bound of the window; 500 by default. */
  readonly maxMs?: number;
}

/** How far ahead of the authority's newest state a client predicts. */
export interface PredictionWindow {
  readonly ms: number;
  /** The same as a number of inputs, not rounded: round up for a count. */
  readonly inputs: number;
}

function requirePositive(name: string, value: number, isZeroGood: boolean): void {
  if (!Number.isFinite(value)) throw new TypeError(`${name} is ${String(value)}; expected a finite number`);
  if (value < 0 || (value === 0 && !isZeroGood)) {
    throw new RangeError(`${name} is ${value}; expected ${isZeroGood ? 'zero or more' : 'more than zero'}`);
  }
}

/** The nearest-rank percentile: the smallest sample that `share` of all do not exceed. */
function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/**
 * The window of unconfirmed inputs to expect: half the round trip plus one interval of the authority's states, no
 * more than `maxMs`. Throws `TypeError` for a number that is not finite, `RangeError` for a negative one, an interval
 * of zero or an empty list, naming the field.
 */
export function predictionWindow(options: PredictionWindowOptions): PredictionWindow {
  const { rttMs, snapshotIntervalMs, inputIntervalMs, maxMs = WINDOW_MS_MAX } = options;
  const samples = typeof rttMs === 'number' ? [rttMs] : rttMs;
  if (samples.length === 0) throw new RangeError('rttMs is an empty list; expected at least one round trip');
  for (const sample of samples) requirePositive('rttMs', sample, true);
  requirePositive('snapshotIntervalMs', snapshotIntervalMs, false);
  requirePositive('inputIntervalMs', inputIntervalMs, false);
  requirePositive('maxMs', maxMs, false);
  const ms = Math.min(percentile(samples, COVERED_SHARE) / 2 + snapshotIntervalMs, maxMs);
  return { ms, inputs: ms / inputIntervalMs };
}

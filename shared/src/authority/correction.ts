import { lengthOf } from './distance.js';

/** Where something is: along one line, or by coordinates. */
export type Position = number | readonly number[] | { readonly x: number; readonly y?: number; readonly z?: number };

export interface CorrectionOptions {
  /** From this distance on the display jumps: blending would take longer than the jump disturbs. */
  readonly snapDistance: number;
  /** The longest blend, in logic frames. */
  readonly maxBlendFrames: number;
  /** Logic frames a second. */
  readonly tickRate: number;
}

/** What the display does about a correction. The logic takes the corrected state at once, whatever the plan. */
export interface CorrectionPlan<P extends Position = Position> {
  readonly mode: 'none' | 'blend' | 'snap';
  /** Distance between what is shown and what is right. */
  readonly error: number;
  readonly blendFrames: number;
  readonly blendMs: number;
  /** The corrected position. */
  readonly target: P;
}

const AXES = ['x', 'y', 'z'] as const;

/**
 * The numbers of a position: itself, its elements, or those of `x`, `y` and `z` that it has. Throws `TypeError`,
 * naming the coordinate, unless all of them are finite.
 */
export function coordinatesOf(name: string, position: Position): number[] {
  const named: [string, unknown][] = [];
  if (typeof position === 'object' && position !== null) {
    if (Array.isArray(position))
      for (const [index, value] of position.entries()) named.push([`${name}[${index}]`, value]);
    // Of the three kinds of position, the one that is left.
    else {
      const point = position as { readonly x: number; readonly y?: number; readonly z?: number };
      for (const axis of AXES)
        if (axis === 'x' || point[axis] !== undefined) named.push([`${name}.${axis}`, point[axis]]);
    }
  } else named.push([name, position]);
  return named.map(([path, value]) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw new TypeError(`${path} is ${String(value)}; expected a finite number`);
  });
}

function copyOf<P extends Position>(position: P): P {
  if (typeof position !== 'object') return position;
  // A copy of the same kind.
  return (Array.isArray(position) ? [...position] : { ...position }) as P;
}

/** Throws `RangeError`, naming the option, unless all of them can be used. */
export function requireCorrectionOptions({ snapDistance, maxBlendFrames, tickRate }: CorrectionOptions): void {
  if (!Number.isFinite(snapDistance) || snapDistance <= 0) {
    throw new RangeError(`snapDistance is ${String(snapDistance)}; expected a positive number`);
  }
  if (!Number.isSafeInteger(maxBlendFrames) || maxBlendFrames <= 0) {
    throw new RangeError(`maxBlendFrames is ${String(maxBlendFrames)}; expected a positive integer`);
  }
  if (!Number.isFinite(tickRate) || tickRate <= 0) {
    throw new RangeError(`tickRate is ${String(tickRate)}; expected a positive number`);
  }
}

/**
 * How to bring the display from what it shows to a corrected position: nothing, a blend whose length grows with the
 * error, or a snap from `snapDistance` on. Distances are Euclidean. Throws `TypeError` for positions that are not
 * finite or not of one kind, `RangeError` for options that are not positive.
 */
export function planCorrection<P extends Position>(
  shown: P,
  corrected: P,
  options: CorrectionOptions,
): CorrectionPlan<P> {
  requireCorrectionOptions(options);
  const from = coordinatesOf('shown', shown);
  const to = coordinatesOf('corrected', corrected);
  if (from.length !== to.length) {
    throw new TypeError(`shown has ${from.length} coordinates and corrected ${to.length}; expected as many`);
  }
  const { snapDistance, maxBlendFrames, tickRate } = options;
  const error = lengthOf(to.map((value, index) => value - from[index]!));
  const target = copyOf(corrected);
  if (error === 0) return { mode: 'none', error, blendFrames: 0, blendMs: 0, target };
  if (error >= snapDistance) return { mode: 'snap', error, blendFrames: 0, blendMs: 0, target };
  const wanted = Math.max(1, Math.ceil((error / snapDistance) * maxBlendFrames));
  const blendFrames = Math.min(maxBlendFrames, wanted);
  return { mode: 'blend', error, blendFrames, blendMs: (blendFrames * 1000) / tickRate, target };
}

/** What either way of reconciling reports. */
export interface DescribedResult {
  readonly sequence?: number;
  readonly ackSequence?: number;
  /** At the acknowledged moment; the plan's error is taken where there is none. */
  readonly error?: number;
  readonly dropped: number;
  readonly replayed: number;
}

/** One line for a log or an overlay: `acknowledged up to 101: dropped 1, replayed 2, error 0.10, blend 3 frames (50 ms)`. */
export function describeReconcile(result: DescribedResult, plan: CorrectionPlan): string {
  const acknowledged = result.sequence ?? result.ackSequence;
  const error = (result.error ?? plan.error).toFixed(2);
  const frames = `${plan.blendFrames} ${plan.blendFrames === 1 ? 'frame' : 'frames'}`;
  const display = {
    none: 'display unchanged (none)',
    snap: 'snap',
    blend: `blend ${frames} (${Math.round(plan.blendMs)} ms)`,
  }[plan.mode];
  const counts = `dropped ${result.dropped}, replayed ${result.replayed}`;
  return `acknowledged up to ${String(acknowledged)}: ${counts}, error ${error}, ${display}`;
}

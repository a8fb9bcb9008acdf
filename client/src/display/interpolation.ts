import { coordinatesOf, type Position } from '@riposte/shared';

const AXES = ['x', 'y', 'z'] as const;
const TURN = Math.PI * 2;

/** An angle in radians, from -π (left out) to π. */
export function shortestTurn(angle: number): number {
  const rest = angle - TURN * Math.round(angle / TURN);
  return rest <= -Math.PI ? Math.PI : rest;
}

/** A position of the same kind as `like`, from its coordinates; what else `like` has is kept. */
export function positionOf<P extends Position>(like: P, coordinates: readonly number[]): P {
  // Of the kind of `like` in each case.
  if (typeof like === 'number') return coordinates[0] as P;
  if (Array.isArray(like)) return [...coordinates] as Position as P;
  const point: Record<string, unknown> = { ...like };
  let at = 0;
  for (const axis of AXES) if (point[axis] !== undefined) point[axis] = coordinates[at++];
  return point as Position as P;
}

/**
 * The position `alpha` of the way between two frames, 0 to 1: for screens that draw more often than the game ticks.
 * Do not use it over a teleport: that has nothing in between. Throws `TypeError` for what is not finite.
 */
export function interpolate<P extends Position>(from: P, to: P, alpha: number): P {
  const end = coordinatesOf('to', to);
  const start = coordinatesOf('from', from);
  const share = Math.min(1, Math.max(0, alpha));
  return positionOf(
    to,
    end.map((value, index) => (share === 1 ? value : start[index]! + (value - start[index]!) * share)),
  );
}

/** The same for an angle in radians, the shorter way round. */
export function interpolateAngle(from: number, to: number, alpha: number): number {
  return shortestTurn(to + shortestTurn(from - to) * (1 - Math.min(1, Math.max(0, alpha))));
}

import type { Meter } from '../../session/measures.js';
import type { FrameTrace } from './frame-trace.js';

/** How often a point is taken, in virtual time. */
const POINT_MS = 250;
/** Half a minute of points. */
const POINTS = 120;

/** What points are taken of. */
export interface Plotted {
  readonly trace: FrameTrace;
  readonly meter: Pick<Meter<unknown>, 'rttMs' | 'resimulationMs'> | undefined;
}

/** One player's points; null where there was nothing to measure. */
export interface PlayerPoints {
  readonly rttMs: (number | null)[];
  /** The deepest rollback since the point before, in frames. */
  readonly depth: (number | null)[];
  /** Microseconds that running frames again took, for each simulated frame. */
  readonly costUs: (number | null)[];
}

/** The last half minute of both players, as points to plot. */
export class PlotLog {
  readonly seconds: number[] = [];
  readonly players: readonly [PlayerPoints, PlayerPoints] = [
    { rttMs: [], depth: [], costUs: [] },
    { rttMs: [], depth: [], costUs: [] },
  ];
  readonly #costMs = [0, 0];
  readonly #heads = [-1, -1];
  #takenMs = 0;

  /** Takes a point when one is due; whether it did. */
  poll(nowMs: number, players: readonly Plotted[]): boolean {
    if (nowMs - this.#takenMs < POINT_MS) return false;
    push(this.seconds, nowMs / 1000);
    for (const [player, points] of this.players.entries()) this.#take(player, points, players[player]!);
    this.#takenMs = nowMs;
    return true;
  }

  #take(player: number, points: PlayerPoints, { trace, meter }: Plotted): void {
    let depth = 0;
    for (const { atMs, first, last } of trace.rollbacks) {
      if (atMs > this.#takenMs) depth = Math.max(depth, last - first + 1);
    }
    const rttMs = meter?.rttMs.newest ?? Number.NaN;
    push(points.rttMs, Number.isNaN(rttMs) ? null : rttMs);
    push(points.depth, depth);
    const costMs = meter?.resimulationMs.total ?? 0;
    const frames = trace.head - this.#heads[player]!;
    push(points.costUs, frames > 0 ? ((costMs - this.#costMs[player]!) * 1000) / frames : null);
    this.#costMs[player] = costMs;
    this.#heads[player] = trace.head;
  }
}

function push<T>(points: T[], point: T): void {
  points.push(point);
  if (points.length > POINTS) points.shift();
}

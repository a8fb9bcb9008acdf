import type { Meter } from '../../session/measures.js';
import type { FrameTrace } from './frame-trace.js';

/** How often a point is taken, in virtual time. */
const POINT_MS = 250;
/** Half a minute of points. */
const POINTS = 120;

/** A browser's clock is coarse beside the cost of a step: a point of it is the mean of two seconds. */
const COST_POINTS = 8;

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
  /** Microseconds that running frames again took, for each simulated frame: of the last two seconds. */
  readonly costUs: (number | null)[];
}

/** The last half minute of both players, as points to plot. */
export class PlotLog {
  readonly seconds: number[] = [];
  readonly players: readonly [PlayerPoints, PlayerPoints] = [
    { rttMs: [], depth: [], costUs: [] },
    { rttMs: [], depth: [], costUs: [] },
  ];
  /** By player: what running again had cost, and the last simulated frame, at the newest points. */
  readonly #costs: readonly { readonly ms: number; readonly head: number }[][] = [[], []];
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
    const costs = this.#costs[player]!;
    const then = costs[0] ?? { ms: 0, head: -1 };
    const now = { ms: meter?.resimulationMs.total ?? 0, head: trace.head };
    push(points.costUs, now.head > then.head ? ((now.ms - then.ms) * 1000) / (now.head - then.head) : null);
    push(costs, now, COST_POINTS);
  }
}

function push<T>(points: T[], point: T, max = POINTS): void {
  points.push(point);
  if (points.length > max) points.shift();
}

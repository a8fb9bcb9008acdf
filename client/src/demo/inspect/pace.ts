import type { RecordedEvent, Recording } from '@riposte/shared';
import type { Window } from './timeline-columns.js';

/** At most this many points are plotted: more than a screen has columns to show. */
const POINTS_MAX = 1200;

/** What a recording's events say of each point of time. */
export interface Pace {
  /** Seconds since the match's first frame, one a point: a second, or more in a long match. */
  readonly seconds: Float64Array;
  /** The longest round trip; null where none was measured. */
  readonly rttMs: readonly (number | null)[];
  /** Frames of the deepest rollback, and ticks that could not advance the match. */
  readonly depth: Float64Array;
  readonly stalls: Float64Array;
}

export function paceOf({ events, header: { tickRate } }: Recording, { from, to }: Window): Pace {
  const frames = Math.max(1, to - from);
  const points = Math.max(1, Math.min(POINTS_MAX, Math.floor(frames / tickRate)));
  const rttMs = Array.from<unknown, number | null>({ length: points }, () => null);
  const depth = new Float64Array(points);
  const stalls = new Float64Array(points);
  for (const event of events) {
    const point = Math.floor(((event.frame - from) * points) / frames);
    if (point < 0 || point >= points) continue;
    if (event.kind === 'sample') rttMs[point] = Math.max(rttMs[point] ?? 0, event.rttMs);
    else if (event.kind === 'rollback') depth[point] = Math.max(depth[point]!, depthOf(event));
    else if (event.kind === 'stall') stalls[point] = stalls[point]! + event.ticks;
  }
  const secondsPerPoint = frames / points / tickRate;
  return {
    seconds: Float64Array.from({ length: points }, (_, at) => from / tickRate + (at + 0.5) * secondsPerPoint),
    rttMs,
    depth,
    stalls,
  };
}

function depthOf({ frame, first }: Extract<RecordedEvent, { kind: 'rollback' }>): number {
  return frame - first + 1;
}

/** What happened in each column of a timeline. */
export interface EventColumns {
  /** Frames of the deepest rollback, and ticks that could not advance. */
  readonly depth: Uint16Array;
  readonly stalls: Uint16Array;
  /** 1 where a connection or a player was lost or came back, or the input delay changed. */
  readonly changes: Uint8Array;
}

/** The events, in the order of their frames, in `columns` columns. Takes time for those in the window alone. */
export function eventColumns(events: readonly RecordedEvent[], { from, to }: Window, columns: number): EventColumns {
  const depth = new Uint16Array(columns);
  const stalls = new Uint16Array(columns);
  const changes = new Uint8Array(columns);
  for (let at = firstFrom(events, from); at < events.length; at++) {
    const event = events[at]!;
    if (event.frame >= to) break;
    const column = Math.min(columns - 1, Math.floor(((event.frame - from) * columns) / (to - from)));
    if (event.kind === 'rollback') depth[column] = Math.max(depth[column]!, depthOf(event));
    else if (event.kind === 'stall') stalls[column] = stalls[column]! + event.ticks;
    else if (event.kind === 'link' || event.kind === 'presence' || event.kind === 'delay') changes[column] = 1;
  }
  return { depth, stalls, changes };
}

/** The first event at `frame` or after it. */
function firstFrom(events: readonly RecordedEvent[], frame: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.frame < frame) low = middle + 1;
    else high = middle;
  }
  return low;
}

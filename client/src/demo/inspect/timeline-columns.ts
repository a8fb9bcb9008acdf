import type { InputTrack, Recording } from '@riposte/shared';

/** A part of a match: frames `from` up to, not including, `to`; real numbers, so that it can be moved smoothly. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The frames of one column: at least one, also where a frame is wider than a column. */
function framesOf({ from, to }: Window, column: number, columns: number): [first: number, end: number] {
  // Multiplied before it is divided: the last column then ends with the window.
  const start = (at: number): number => Math.floor(from + (at * (to - from)) / columns);
  const first = start(column);
  return [first, Math.max(first + 1, start(column + 1))];
}

/** One row of a player's lane: pressed while the words of the input differ from neutral in these bits. */
export interface PressRow {
  /** A mask for each word of an input. */
  readonly masks: readonly number[];
}

/** More bits than this have no rows of their own. */
const BIT_ROWS_MAX = 12;

/** A row for each bit of an input that has few, as buttons do; one for the whole of any other. */
export function pressRows(words: number, bits: number): readonly PressRow[] {
  const masks = Array.from({ length: words }, () => 0);
  if (bits > BIT_ROWS_MAX) return [{ masks: masks.fill(-1) }];
  return Array.from({ length: bits }, (_, bit) => ({ masks: masks.with(bit >> 5, 1 << (bit & 31)) }));
}

/** What one player pressed. */
export interface PressColumns {
  /**
   * The share of a column's frames in which a row was pressed, 0 to 1, at `column * rows + row`; -1 where no frame is
   * held.
   */
  readonly share: Float32Array;
  /** How often the input changed in each column. */
  readonly changes: Uint32Array;
}

/** Sums a track up in `columns` columns. Takes time for the runs in the window, not for its frames. */
export function pressColumns(
  track: InputTrack,
  rows: readonly PressRow[],
  neutral: readonly number[],
  window: Window,
  columns: number,
): PressColumns {
  const share = new Float32Array(columns * rows.length).fill(-1);
  const changes = new Uint32Array(columns);
  const words = new Int32Array(track.words);
  const pressed = new Uint8Array(rows.length);
  const read = (run: number): void => {
    track.readRun(run, words, 0);
    for (let at = 0; at < rows.length; at++) {
      const { masks } = rows[at]!;
      let bits = 0;
      for (let word = 0; word < masks.length; word++) bits |= masks[word]! & (words[word]! ^ (neutral[word] ?? 0));
      pressed[at] = bits === 0 ? 0 : 1;
    }
  };
  let run = -1;
  let runStart = 0;
  let runEnd = 0;
  for (let column = 0; column < columns; column++) {
    const [windowFirst, windowEnd] = framesOf(window, column, columns);
    const first = Math.max(windowFirst, track.firstFrame);
    const end = Math.min(windowEnd, track.endFrame);
    if (first >= end) continue;
    share.fill(0, column * rows.length, (column + 1) * rows.length);
    for (let frame = first; frame < end; ) {
      if (frame >= runEnd || frame < runStart) {
        run = frame === runEnd && run >= 0 ? run + 1 : track.runAt(frame);
        runStart = track.startOf(run);
        runEnd = track.startOf(run + 1);
        read(run);
      }
      if (frame === runStart && run > 0) changes[column] = changes[column]! + 1;
      const next = Math.min(end, runEnd);
      const part = (next - frame) / (end - first);
      for (let at = 0; at < rows.length; at++) {
        const index = column * rows.length + at;
        share[index] = share[index]! + pressed[at]! * part;
      }
      frame = next;
    }
  }
  return { share, changes };
}

export const HashColumn = { none: 0, one: 1, equal: 2, differs: 3 } as const;

/**
 * What the hashes of each column say: held by neither, by one alone, equal in both throughout, or different somewhere.
 */
export function hashColumns(a: Recording, b: Recording | undefined, window: Window, columns: number): Uint8Array {
  const kinds = new Uint8Array(columns);
  const isHeld = (recording: Recording, frame: number) =>
    frame >= recording.firstFrame && frame < recording.firstFrame + recording.frames;
  for (let column = 0; column < columns; column++) {
    const [first, end] = framesOf(window, column, columns);
    let kind: number = HashColumn.none;
    for (let frame = first; frame < end && kind !== HashColumn.differs; frame++) {
      const inA = isHeld(a, frame);
      const inB = b !== undefined && isHeld(b, frame);
      if (inA && inB) {
        const same = a.hashes[frame - a.firstFrame] === b.hashes[frame - b.firstFrame];
        kind = same ? HashColumn.equal : HashColumn.differs;
      } else if ((inA || inB) && kind === HashColumn.none) kind = HashColumn.one;
    }
    kinds[column] = kind;
  }
  return kinds;
}

/** At most this many points are plotted: more than a screen has columns to show. */
const POINTS_MAX = 1200;

export interface Activity {
  /** Seconds since the match's first frame, one a point. */
  readonly seconds: Float64Array;
  /** Input changes a second, one series a player. */
  readonly players: readonly Float64Array[];
}

/** How busy each player was over a whole recording. A point is a second, or more in a long match. */
export function activityOf({ header, inputs, firstFrame, frames }: Recording): Activity {
  const { tickRate } = header;
  const points = Math.max(1, Math.min(POINTS_MAX, Math.floor(frames / tickRate)));
  const window = { from: firstFrame, to: firstFrame + Math.max(1, frames) };
  const secondsPerPoint = (window.to - window.from) / points / tickRate;
  return {
    seconds: Float64Array.from({ length: points }, (_, at) => firstFrame / tickRate + (at + 0.5) * secondsPerPoint),
    players: inputs.map((track) =>
      Float64Array.from(pressColumns(track, [], [], window, points).changes, (count) => count / secondsPerPoint),
    ),
  };
}

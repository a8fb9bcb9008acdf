import type { Recording } from '@riposte/shared';
import { playerColours } from '../palette.js';
import { clockText } from './controls.js';
import type { InspectedGame } from './games.js';
import { eventColumns } from './pace.js';
import { HashColumn, hashColumns, type PressRow, pressColumns, pressRows, type Window } from './timeline-columns.js';

/** Heights, in CSS pixels. */
const AXIS_HEIGHT = 20;
const LABEL_HEIGHT = 15;
const LANE_HEIGHT_MIN = 16;
const ROW_HEIGHT_MIN = 4;
const LANE_GAP = 4;
const HASH_HEIGHT = 10;
const EVENT_HEIGHT = 20;
/** A rollback of so many frames fills the lane. */
const DEPTH_FULL = 10;
const GAP = 5;
const FONT = '12px "Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

const SOFT = '#b9bfce';
const GROUND = '#171c2e';
const LINE = '#39415a';
const ALARM = '#ff6b52';
const EQUAL = '#4fb3a2';
const ROLLBACK = '#f2b544';

export interface TimelineContent {
  readonly recordings: readonly Recording[];
  readonly game: InspectedGame | null;
  readonly window: Window;
  readonly differenceFrame: number | null;
}

function rowsOf(recording: Recording, game: InspectedGame | null): readonly PressRow[] {
  const words = recording.header.inputWords;
  // Without its game nobody knows which bits are in use.
  return pressRows(words, game?.game.input.bits ?? words * 32);
}

function laneHeight(rows: readonly PressRow[]): number {
  return Math.max(LANE_HEIGHT_MIN, rows.length * ROW_HEIGHT_MIN);
}

/** How high a timeline of these recordings is. */
export function timelineHeight(recordings: readonly Recording[], game: InspectedGame | null): number {
  const [a] = recordings;
  if (a === undefined) return 0;
  const lanes = (laneHeight(rowsOf(a, game)) + LANE_GAP) * recordings.length;
  const told = recordings.filter(hasEvents).length;
  const events = told === 0 ? 0 : LABEL_HEIGHT + told * (EVENT_HEIGHT + LANE_GAP) + GAP;
  return AXIS_HEIGHT + a.inputs.length * (LABEL_HEIGHT + lanes + GAP) + events + LABEL_HEIGHT + HASH_HEIGHT + GAP;
}

/** Recordings of one machine have nothing to tell beside the frames. */
function hasEvents({ events }: Recording): boolean {
  return events.length > 0;
}

function coloursOf(player: number): { main: string; light: string; dark: string } {
  return playerColours[player % playerColours.length] ?? playerColours[0];
}

/** Draws the part of the match that is in the window: columns of pixels, however many frames lie in each. */
export function drawTimeline(
  context: CanvasRenderingContext2D,
  width: number,
  { recordings, game, window, differenceFrame }: TimelineContent,
): void {
  const [a, b] = recordings;
  if (a === undefined) return;
  const height = timelineHeight(recordings, game);
  const rows = rowsOf(a, game);
  context.fillStyle = GROUND;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  drawAxis(context, width, height, window, a.header.tickRate);
  let top = AXIS_HEIGHT;
  for (const [player, name] of a.header.names.entries()) {
    label(context, name || `Player ${player + 1}`, top, coloursOf(player).light);
    top += LABEL_HEIGHT;
    for (const recording of recordings) {
      drawLane(context, width, top, recording, player, rows, game?.game.input.neutral ?? [], window);
      top += laneHeight(rows) + LANE_GAP;
    }
    top += GAP;
  }
  const told = recordings.filter(hasEvents);
  if (told.length > 0) {
    label(context, 'Rollbacks, and in red stalls; marks where a link or the delay changed', top, SOFT);
    top += LABEL_HEIGHT;
    for (const recording of told) {
      drawEvents(context, width, top, recording, window);
      top += EVENT_HEIGHT + LANE_GAP;
    }
    top += GAP;
  }
  label(context, b === undefined ? 'Confirmed frames' : 'Hashes of A and B', top, SOFT);
  drawHashes(context, width, top + LABEL_HEIGHT, a, b, window);
  if (differenceFrame === null) return;
  const x = xOf(differenceFrame, width, window);
  if (x < 0 || x > width) return;
  context.fillStyle = ALARM;
  context.fillRect(Math.round(x), 0, 2, height);
  const isLeft = x > width / 2;
  context.textAlign = isLeft ? 'right' : 'left';
  context.fillText('first difference', isLeft ? x - 5 : x + 7, AXIS_HEIGHT + LABEL_HEIGHT / 2);
}

export function xOf(frame: number, width: number, { from, to }: Window): number {
  return ((frame - from) / (to - from)) * width;
}

function label(context: CanvasRenderingContext2D, text: string, top: number, colour: string): void {
  context.fillStyle = colour;
  context.fillText(text, 6, top + LABEL_HEIGHT / 2);
}

/** Marks at round times, as many as there is room for. */
function drawAxis(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  window: Window,
  tickRate: number,
): void {
  const wanted = (window.to - window.from) / Math.max(2, width / 110);
  const seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map((count) => count * tickRate);
  const step = [1, 2, 5, 10, 30, ...seconds].find((frames) => frames >= wanted) ?? 1200 * tickRate;
  for (let frame = Math.ceil(window.from / step) * step; frame < window.to; frame += step) {
    const x = Math.round(xOf(frame, width, window));
    context.fillStyle = LINE;
    context.fillRect(x, 0, 1, height);
    context.fillStyle = SOFT;
    const isTime = step >= tickRate;
    context.fillText(isTime ? clockText(frame, tickRate).slice(0, -3) : String(frame), x + 4, AXIS_HEIGHT / 2);
  }
}

/** What a lane is painted on, pixel by pixel: some ten thousand rectangles would hold the page up. */
let layer: HTMLCanvasElement | undefined;

/** One row of a player's buttons under the other, each lit while it was pressed: dimly in a column that it fills in part. */
function drawLane(
  context: CanvasRenderingContext2D,
  width: number,
  top: number,
  { inputs }: Recording,
  player: number,
  rows: readonly PressRow[],
  neutral: readonly number[],
  window: Window,
): void {
  const track = inputs[player];
  if (track === undefined) return;
  const columns = Math.max(1, Math.floor(width));
  const { share } = pressColumns(track, rows, neutral, window, columns);
  const height = laneHeight(rows);
  layer ??= document.createElement('canvas');
  const pen = layer.getContext('2d');
  if (pen === null) return;
  layer.width = columns;
  layer.height = height;
  const image = pen.createImageData(columns, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colour = pixelOf(coloursOf(player).main);
  for (let row = 0; row < rows.length; row++) {
    const first = Math.round((row * height) / rows.length);
    const end = Math.round(((row + 1) * height) / rows.length) - 1;
    for (let column = 0; column < columns; column++) {
      const part = share[column * rows.length + row]!;
      if (part < 0) continue;
      // Unpressed frames are held too, and the shortest press must be seen.
      const alpha = Math.round(255 * (part === 0 ? 0.08 : 0.3 + 0.7 * part));
      for (let y = first; y < end; y++) pixels[y * columns + column] = colour | (alpha << 24);
    }
  }
  pen.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(layer, 0, top);
}

/** The colour `#rrggbb` as a pixel without its alpha: red is its lowest byte. */
function pixelOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return (red ?? 0) | ((green ?? 0) << 8) | ((blue ?? 0) << 16);
}

/** As high as the deepest rollback of each column was deep; red under those in which the match stood. */
function drawEvents(
  context: CanvasRenderingContext2D,
  width: number,
  top: number,
  { events }: Recording,
  window: Window,
): void {
  const columns = Math.max(1, Math.floor(width));
  const { depth, stalls, changes } = eventColumns(events, window, columns);
  // A frame wider than a column must be seen too.
  const columnWidth = Math.max(1, Math.floor(columns / (window.to - window.from)));
  for (let column = 0; column < columns; column++) {
    const height = Math.min(EVENT_HEIGHT, (depth[column]! * EVENT_HEIGHT) / DEPTH_FULL);
    context.fillStyle = ROLLBACK;
    if (height > 0) context.fillRect(column, top + EVENT_HEIGHT - height, columnWidth, height);
    context.fillStyle = ALARM;
    if (stalls[column]! > 0) context.fillRect(column, top + EVENT_HEIGHT - 4, columnWidth, 4);
    context.fillStyle = SOFT;
    if (changes[column]! > 0) context.fillRect(column, top, 2, EVENT_HEIGHT);
  }
}

const hashColours: Readonly<Record<number, string>> = {
  [HashColumn.one]: LINE,
  [HashColumn.equal]: EQUAL,
  [HashColumn.differs]: ALARM,
};

function drawHashes(
  context: CanvasRenderingContext2D,
  width: number,
  top: number,
  a: Recording,
  b: Recording | undefined,
  window: Window,
): void {
  const columns = Math.max(1, Math.floor(width));
  const kinds = hashColumns(a, b, window, columns);
  for (let column = 0; column < columns; column++) {
    const colour = hashColours[kinds[column]!];
    if (colour === undefined) continue;
    context.fillStyle = colour;
    context.fillRect(column, top, 1, HASH_HEIGHT);
  }
}

import { playerColours } from '../palette.js';
import type { FrameKind, FrameTrace } from './frame-trace.js';
import type { SentPacket } from './lab-link.js';

/** Heights, in CSS pixels, from the top: a side's arcs, its lane, the packets, the other lane and its arcs. */
const ARCS = 46;
const LANE = 30;
const PACKETS = 84;
export const TIMELINE_HEIGHT = 2 * ARCS + 2 * LANE + PACKETS;
const FRAME_MS = 1000 / 60;
/** Room at the right edge, so that the newest frame is seen whole. */
const RIGHT = 22;
const FONT = '12px "Avenir Next", Avenir, "Segoe UI", system-ui, sans-serif';

const GROUND = '#171c2e';
const LINE = '#39415a';
const SOFT = '#b9bfce';
const ALARM = '#ff6b52';
export const kindColours: Readonly<Record<FrameKind, string>> = {
  known: '#4fb3a2',
  guessed: '#7f92c4',
  again: '#ff6b52',
  predicted: '#f4efe6',
};

/** One machine's lane. */
interface TimelineSide {
  readonly title: string;
  readonly trace: FrameTrace;
}

/** What is drawn. */
export interface TimelineContent {
  readonly nowMs: number;
  readonly sides: readonly [TimelineSide, TimelineSide];
  readonly packets: readonly SentPacket[];
}

/** The newest moments of both sides, the present at the right: as many as there is room for. */
export function drawTimeline(context: CanvasRenderingContext2D, width: number, content: TimelineContent): void {
  const { nowMs, sides, packets } = content;
  const frameWidth = width < 600 ? 8 : 11;
  const xOf = (ms: number): number => width - RIGHT - ((nowMs - ms) / FRAME_MS) * frameWidth;
  context.fillStyle = GROUND;
  context.fillRect(0, 0, width, TIMELINE_HEIGHT);
  context.font = FONT;
  const tops = [ARCS, ARCS + LANE + PACKETS] as const;
  for (const packet of packets) drawPacket(context, packet, nowMs, xOf, tops);
  drawAxis(context, sides[0].trace, xOf);
  for (const [side, { title, trace }] of sides.entries()) {
    drawLane(context, trace, tops[side]!, xOf, frameWidth);
    drawArcs(context, trace, side === 0 ? tops[0] : tops[1] + LANE, side === 0 ? -1 : 1, xOf, frameWidth);
    const y = side === 0 ? 11 : TIMELINE_HEIGHT - 11;
    context.textAlign = 'left';
    // An arc that leaves at the left edge does not cross the name.
    context.fillStyle = GROUND;
    context.fillRect(0, y - 8, context.measureText(title).width + 14, 16);
    context.fillStyle = playerColours[side === 0 ? 0 : 1].light;
    context.fillText(title, 8, y);
  }
}

/** A frame's number now and then. */
function drawAxis(context: CanvasRenderingContext2D, trace: FrameTrace, xOf: (ms: number) => number): void {
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (let frame = Math.ceil(trace.oldest / 20) * 20; frame <= trace.head; frame += 20) {
    const x = Math.round(xOf(trace.simulatedMs(frame)));
    if (x < 0) continue;
    context.fillStyle = LINE;
    context.fillRect(x, 0, 1, TIMELINE_HEIGHT);
    const text = String(frame);
    const y = ARCS + LANE + PACKETS / 2;
    context.fillStyle = GROUND;
    context.fillRect(x + 1, y - 8, context.measureText(text).width + 6, 16);
    context.fillStyle = SOFT;
    context.fillText(text, x + 4, y);
  }
}

function drawPacket(
  context: CanvasRenderingContext2D,
  { from, sentMs, arrivesMs }: SentPacket,
  nowMs: number,
  xOf: (ms: number) => number,
  tops: readonly [number, number],
): void {
  const isLost = Number.isNaN(arrivesMs);
  if (sentMs > nowMs || xOf(isLost ? sentMs : arrivesMs) < 0) return;
  const [from0, to0] = [tops[0] + LANE, tops[1]];
  const [startY, endY] = from === 0 ? [from0, to0] : [to0, from0];
  const startX = xOf(sentMs);
  context.strokeStyle = playerColours[from].main;
  context.fillStyle = playerColours[from].main;
  if (isLost) {
    const y = startY + (endY - startY) * 0.3;
    context.globalAlpha = 0.9;
    context.lineWidth = 1.5;
    context.strokeStyle = ALARM;
    context.beginPath();
    context.moveTo(startX, startY);
    context.lineTo(startX + 4, y);
    context.moveTo(startX, y - 4);
    context.lineTo(startX + 8, y + 4);
    context.moveTo(startX + 8, y - 4);
    context.lineTo(startX, y + 4);
    context.stroke();
    context.globalAlpha = 1;
    return;
  }
  const way = arrivesMs <= sentMs ? 1 : Math.min(1, (nowMs - sentMs) / (arrivesMs - sentMs));
  const x = startX + (xOf(arrivesMs) - startX) * way;
  const y = startY + (endY - startY) * way;
  context.globalAlpha = way < 1 ? 0.95 : 0.4;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(startX, startY);
  context.lineTo(x, y);
  context.stroke();
  if (way < 1) {
    context.beginPath();
    context.arc(x, y, 2.5, 0, Math.PI * 2);
    context.fill();
  }
  context.globalAlpha = 1;
}

function drawLane(
  context: CanvasRenderingContext2D,
  trace: FrameTrace,
  top: number,
  xOf: (ms: number) => number,
  frameWidth: number,
): void {
  context.fillStyle = '#0f131f';
  context.fillRect(0, top, 4000, LANE);
  for (let frame = trace.head; frame >= trace.oldest; frame--) {
    const x = xOf(trace.simulatedMs(frame));
    if (x < -frameWidth) break;
    drawFrame(context, trace.kindOf(frame), trace.runs(frame), x, top, frameWidth - 2);
  }
  context.strokeStyle = ALARM;
  context.lineWidth = 2;
  for (const stallMs of trace.stalls) {
    const x = xOf(stallMs) + frameWidth / 2;
    if (x < 0) continue;
    context.beginPath();
    context.moveTo(x - 2, top + 9);
    context.lineTo(x - 2, top + LANE - 9);
    context.moveTo(x + 2, top + 9);
    context.lineTo(x + 2, top + LANE - 9);
    context.stroke();
  }
}

/** Shapes say the same as colours: full, low, cut, hollow. */
export function drawFrame(
  context: CanvasRenderingContext2D,
  kind: FrameKind,
  runs: number,
  x: number,
  top: number,
  width: number,
): void {
  context.fillStyle = kindColours[kind];
  if (kind === 'predicted') {
    context.strokeStyle = runs > 1 ? ALARM : kindColours.predicted;
    context.lineWidth = 1.5;
    context.strokeRect(x + 0.75, top + 3.75, width - 1.5, LANE - 7.5);
  } else if (kind === 'guessed') context.fillRect(x, top + LANE / 2, width, LANE / 2 - 3);
  else context.fillRect(x, top + 3, width, LANE - 6);
  if (kind !== 'again') return;
  // One cut for each time that it ran again.
  context.fillStyle = '#0f131f';
  for (let cut = 1; cut < Math.min(runs, 5); cut++) context.fillRect(x, top + 3 + cut * 5, width, 2);
}

/** From the moment of each rollback back to the first frame that ran again. */
function drawArcs(
  context: CanvasRenderingContext2D,
  trace: FrameTrace,
  edge: number,
  away: 1 | -1,
  xOf: (ms: number) => number,
  frameWidth: number,
): void {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { atMs, first, last } of trace.rollbacks) {
    const right = xOf(atMs);
    if (right < 0 || first < trace.oldest) continue;
    const left = xOf(trace.simulatedMs(first)) + frameWidth / 2;
    const frames = last - first + 1;
    const height = Math.min(ARCS - 14, 8 + frames * 3);
    const peak = edge + away * height * 1.6;
    context.strokeStyle = ALARM;
    context.fillStyle = ALARM;
    context.lineWidth = 1.5;
    context.globalAlpha = 0.85;
    context.beginPath();
    context.moveTo(right, edge);
    context.quadraticCurveTo((left + right) / 2, peak, left, edge + away * 2);
    context.stroke();
    context.beginPath();
    context.moveTo(left, edge);
    context.lineTo(left - 1, edge + away * 7);
    context.lineTo(left + 6, edge + away * 5);
    context.fill();
    context.globalAlpha = 1;
    if (frames > 2) {
      context.fillStyle = '#ffd0c7';
      context.fillText(String(frames), (left + right) / 2, edge + away * (height * 0.8 + 8));
    }
  }
}

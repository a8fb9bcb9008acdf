import { useEffect, useRef } from 'preact/hooks';
import type { FrameKind } from './frame-trace.js';
import type { Lab } from './lab.js';
import { drawFrame, drawTimeline, TIMELINE_HEIGHT } from './timeline-drawing.js';

const PIXEL_RATIO_MAX = 2;

/** Draws the timeline of whatever runs in the lab on this canvas. */
export function timelineOn(canvas: HTMLCanvasElement): (lab: Lab) => void {
  const context = canvas.getContext('2d', { alpha: false });
  return ({ live: { experiment } }) => {
    const width = canvas.clientWidth;
    if (context === null || width === 0) return;
    const ratio = Math.min(devicePixelRatio || 1, PIXEL_RATIO_MAX);
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(TIMELINE_HEIGHT * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { clock, sides, packets } = experiment;
    drawTimeline(context, width, { nowMs: clock.nowMs, sides, packets });
  };
}

const kinds: readonly { readonly kind: FrameKind; readonly runs: number; readonly words: string }[] = [
  { kind: 'known', runs: 1, words: 'The other’s input was there in time' },
  { kind: 'guessed', runs: 1, words: 'Guessed, and guessed right' },
  { kind: 'again', runs: 2, words: 'Guessed wrong: run again, a cut for each time' },
  { kind: 'predicted', runs: 1, words: 'Still a guess; red, a corrected one' },
];

/** What the marks of the timeline mean. */
export function TimelineLegend() {
  return (
    <ul class="marks">
      {kinds.map(({ kind, runs, words }) => (
        <li key={kind}>
          <Mark kind={kind} runs={runs} /> {words}
        </li>
      ))}
      <li>
        <span class="arc-mark" aria-hidden="true">
          ↶
        </span>{' '}
        A rollback, and how many frames far
      </li>
      <li>
        <span class="arc-mark" aria-hidden="true">
          ‖
        </span>{' '}
        A stall: nothing more may be guessed
      </li>
      <li>
        <span class="arc-mark" aria-hidden="true">
          ✕
        </span>{' '}
        A packet that was lost
      </li>
    </ul>
  );
}

function Mark({ kind, runs }: { kind: FrameKind; runs: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context == null) return;
    context.setTransform(2, 0, 0, 2, 0, 0);
    drawFrame(context, kind, runs, 2, 0, 10);
  }, [kind, runs]);
  return (
    <span aria-hidden="true">
      <canvas ref={canvas} class="mark" width={28} height={60} />
    </span>
  );
}

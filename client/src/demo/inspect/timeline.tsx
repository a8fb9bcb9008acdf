import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Inspection, InspectionView } from './inspection.js';
import type { Window } from './timeline-columns.js';
import { drawTimeline, timelineHeight, xOf } from './timeline-drawing.js';
import { moved, showing, wholeOf, zoomed } from './timeline-window.js';

const ZOOM_FACTOR = 2;
/** One notch of a mouse wheel is about 100 pixels. */
const WHEEL_ZOOM_PER_PIXEL = 0.002;
const PIXEL_RATIO_MAX = 2;

/** What the players pressed and where the sides part, over the part of the match that is zoomed to. */
export function Timeline({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { sides, frame, firstFrame, lastFrame, game } = view;
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const whole = useMemo(() => wholeOf(firstFrame, lastFrame), [firstFrame, lastFrame]);
  const [window, setWindow] = useState<Window>(whole);
  useEffect(() => setWindow(whole), [whole]);
  // One may look elsewhere; whoever goes to a frame wants to see it.
  useEffect(() => setWindow((before) => showing(before, frame, whole)), [frame, whole]);
  const differenceFrame = inspection.differenceFrame;

  useEffect(() => {
    const context = canvas.current?.getContext('2d', { alpha: false });
    if (canvas.current === null || context == null || width === 0) return;
    const recordings = sides.map(({ recording }) => recording);
    const ratio = Math.min(devicePixelRatio || 1, PIXEL_RATIO_MAX);
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(timelineHeight(recordings, game) * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawTimeline(context, width, { recordings, game, window, differenceFrame });
  }, [sides, game, window.from, window.to, differenceFrame, width]);

  // Several keys may come before the next drawing: each builds on the one before.
  const zoom = (factor: number, at: number): void => setWindow((before) => zoomed(before, factor, at, whole));
  useZoomKeys((factor) => zoom(factor, frame));
  const frameAt = (event: MouseEvent): number => {
    const box = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : undefined;
    const part = box === undefined ? 0 : (event.clientX - box.left) / box.width;
    return Math.floor(window.from + part * (window.to - window.from));
  };
  const scrub = (event: MouseEvent): void => {
    if (event.buttons !== 1) return;
    inspection.pause();
    inspection.seek(Math.max(Math.ceil(window.from), Math.min(Math.floor(window.to), frameAt(event))));
  };
  const recordings = sides.map(({ recording }) => recording);
  const height = timelineHeight(recordings, game);
  return (
    <div class="timeline">
      <div
        class="lanes"
        style={{ height: `${height}px` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={scrub}
        onWheel={(event) => {
          event.preventDefault();
          const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
          const pixels = isSideways ? event.deltaX || event.deltaY : event.deltaY;
          if (isSideways) setWindow((before) => moved(before, (pixels / width) * (before.to - before.from), whole));
          else zoom(Math.exp(pixels * WHEEL_ZOOM_PER_PIXEL), frameAt(event));
        }}
      >
        <canvas ref={canvas} role="img" aria-label={titleOf(view, differenceFrame)} />
        <div class="playhead" style={{ transform: `translateX(${xOf(frame, width, window)}px)` }} />
      </div>
      <div class="zoom">
        <button type="button" onClick={() => zoom(1 / ZOOM_FACTOR, frame)}>
          Zoom in
        </button>
        <button type="button" onClick={() => zoom(ZOOM_FACTOR, frame)}>
          Zoom out
        </button>
        <button type="button" onClick={() => setWindow(whole)}>
          Whole match
        </button>
        <span>
          {sides.length > 1 ? 'Each player: A above, B below. ' : ''}
          Frames {Math.floor(window.from)} to {Math.ceil(window.to)}
        </span>
      </div>
    </div>
  );
}

function titleOf({ sides, firstFrame, lastFrame }: InspectionView, differenceFrame: number | null): string {
  const players = sides[0]?.recording.header.names.join(' and ');
  const found = differenceFrame === null ? '' : `; the first difference shows at frame ${differenceFrame}`;
  return `Inputs of ${players}, frames ${firstFrame} to ${lastFrame}${found}`;
}

/** The width of a canvas on the page, in CSS pixels. */
function useWidth(canvas: { readonly current: HTMLCanvasElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
  return width;
}

function useZoomKeys(zoom: (factor: number) => void): void {
  useEffect(() => {
    const listen = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
      if (ctrlKey || metaKey) return;
      if (key === '+' || key === '=') zoom(1 / ZOOM_FACTOR);
      else if (key === '-') zoom(ZOOM_FACTOR);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}

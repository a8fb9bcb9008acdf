import type { Window } from './timeline-columns.js';

/** The closest look: so few frames fill the timeline. */
const FRAMES_MIN = 30;

/** All that can be looked at. */
export function wholeOf(firstFrame: number, lastFrame: number): Window {
  return { from: firstFrame, to: Math.max(firstFrame + 1, lastFrame) };
}

/** The window moved, and made no longer than `whole`, so that it lies in it. */
function within({ from, to }: Window, whole: Window): Window {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.max(whole.from, Math.min(whole.to - length, from));
  return { from: start, to: start + length };
}

/** A window `factor` times as long, with `frame` at the place where it was. */
export function zoomed(window: Window, factor: number, frame: number, whole: Window): Window {
  const length = window.to - window.from;
  const longer = Math.max(Math.min(FRAMES_MIN, whole.to - whole.from), length * factor);
  const place = Math.max(0, Math.min(1, (frame - window.from) / length));
  const from = frame - place * longer;
  return within({ from, to: from + longer }, whole);
}

/** The window moved by `frames`. */
export function moved(window: Window, frames: number, whole: Window): Window {
  return within({ from: window.from + frames, to: window.to + frames }, whole);
}

/** The window itself when `frame` is in it, else one of the same length with `frame` in its middle. */
export function showing(window: Window, frame: number, whole: Window): Window {
  if (frame >= window.from && frame <= window.to) return window;
  const half = (window.to - window.from) / 2;
  return within({ from: frame - half, to: frame + half }, whole);
}

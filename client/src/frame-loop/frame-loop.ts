/** A hidden page's worker wakes it this often: twice a tick at 60 Hz, so that no tick is late by a whole one. */
const HIDDEN_WAKE_MS = 8;

/** What a loop drives; both get the time in milliseconds. */
export interface Looped {
  /** Makes the ticks that are due: about once per drawn frame, also where nothing is drawn. */
  advance(nowMs: number): void;
  /** Paints what the last `advance` left, where somebody may see it. */
  draw(nowMs: number): void;
}

/** Drives a match until the returned function is called. */
export type FrameLoop = (match: Looped) => () => void;

/** A page that has not drawn for so long is not shown, whatever it says of its visibility. */
const STARVED_MS = 150;
/** Two draws this close together: the page is shown again. */
const SHOWN_MS = 60;

/**
 * A page's loop: with the screen while it is shown; by a worker's clock while it is hidden, or covered or so busy that
 * the browser draws it only now and then. Only the screen's own calls paint: painting for each of the clock's would keep
 * a page that is too slow to draw from ever being faster.
 */
const pageFrameLoop: FrameLoop = (match) => {
  let request = 0;
  let drawnMs = performance.now();
  let isPictureOld = false;
  let stopWorker: (() => void) | undefined;
  const rest = (): void => {
    stopWorker?.();
    stopWorker = undefined;
  };
  const draw = (): void => {
    request = requestAnimationFrame(draw);
    const nowMs = performance.now();
    if (nowMs - drawnMs < SHOWN_MS && !document.hidden) rest();
    drawnMs = nowMs;
    isPictureOld = false;
    match.advance(nowMs);
    match.draw(nowMs);
  };
  const wake = (): void => {
    isPictureOld = true;
    match.advance(performance.now());
  };
  const watch = (): void => {
    if (stopWorker !== undefined) return;
    if (document.hidden || performance.now() - drawnMs > STARVED_MS) stopWorker = startWorkerClock(wake);
  };
  const timer = setInterval(watch, STARVED_MS);
  document.addEventListener('visibilitychange', watch);
  request = requestAnimationFrame(draw);
  return () => {
    cancelAnimationFrame(request);
    clearInterval(timer);
    document.removeEventListener('visibilitychange', watch);
    rest();
    // What ended unseen is found as it ended.
    if (isPictureOld) queueMicrotask(() => match.draw(performance.now()));
  };
};

/**
 * Timers of a hidden page fire once a second; those of a worker do not. It waits for an answer before it wakes again: a
 * page that is slower than its clock would else be ever further behind with what waits for it.
 */
function startWorkerClock(wake: () => void): () => void {
  const code = new Blob([`onmessage = () => setTimeout(() => postMessage(0), ${HIDDEN_WAKE_MS})`], {
    type: 'text/javascript',
  });
  const url = URL.createObjectURL(code);
  const worker = new Worker(url);
  worker.addEventListener('message', () => {
    wake();
    worker.postMessage(0);
  });
  worker.postMessage(0);
  return () => {
    worker.terminate();
    URL.revokeObjectURL(url);
  };
}

/** The loop of a program without a screen. */
const timerFrameLoop: FrameLoop = (match) => {
  const timer = setInterval(() => {
    const nowMs = performance.now();
    match.advance(nowMs);
    match.draw(nowMs);
  }, HIDDEN_WAKE_MS);
  return () => clearInterval(timer);
};

/** The loop that fits where this code runs. */
export const frameLoop: FrameLoop = (match) =>
  typeof requestAnimationFrame === 'function' ? pageFrameLoop(match) : timerFrameLoop(match);

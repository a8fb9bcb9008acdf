/** A hidden page's worker wakes it this often: twice a tick at 60 Hz, so that no tick is late by a whole one. */
const HIDDEN_WAKE_MS = 8;

/** Calls `onFrame` with the time in milliseconds, about once per drawn frame, until the returned function is called. */
export type FrameLoop = (onFrame: (nowMs: number) => void) => () => void;

/** A page that has not drawn for so long is not shown, whatever it says of its visibility. */
const STARVED_MS = 150;
/** Two draws this close together: the page is shown again. */
const SHOWN_MS = 60;

/**
 * A page's loop: with the screen while it is shown; by a worker's clock while it is hidden, or covered so that the
 * browser draws it only now and then.
 */
const pageFrameLoop: FrameLoop = (onFrame) => {
  let request = 0;
  let drawnMs = performance.now();
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
    onFrame(nowMs);
  };
  const watch = (): void => {
    if (stopWorker !== undefined) return;
    if (document.hidden || performance.now() - drawnMs > STARVED_MS) {
      stopWorker = startWorkerClock(() => onFrame(performance.now()));
    }
  };
  const timer = setInterval(watch, STARVED_MS);
  document.addEventListener('visibilitychange', watch);
  request = requestAnimationFrame(draw);
  return () => {
    cancelAnimationFrame(request);
    clearInterval(timer);
    document.removeEventListener('visibilitychange', watch);
    rest();
  };
};

/** Timers of a hidden page fire once a second; those of a worker do not. */
function startWorkerClock(wake: () => void): () => void {
  const code = new Blob([`setInterval(() => postMessage(0), ${HIDDEN_WAKE_MS})`], { type: 'text/javascript' });
  const url = URL.createObjectURL(code);
  const worker = new Worker(url);
  worker.addEventListener('message', wake);
  return () => {
    worker.terminate();
    URL.revokeObjectURL(url);
  };
}

/** The loop of a program without a screen. */
const timerFrameLoop: FrameLoop = (onFrame) => {
  const timer = setInterval(() => onFrame(performance.now()), HIDDEN_WAKE_MS);
  return () => clearInterval(timer);
};

/** The loop that fits where this code runs. */
export const frameLoop: FrameLoop = (onFrame) =>
  typeof requestAnimationFrame === 'function' ? pageFrameLoop(onFrame) : timerFrameLoop(onFrame);

/** A hidden page's worker wakes it this often: twice a tick at 60 Hz, so that no tick is late by a whole one. */
const HIDDEN_WAKE_MS = 8;

/** Calls `onFrame` with the time in milliseconds, about once per drawn frame, until the returned function is called. */
export type FrameLoop = (onFrame: (nowMs: number) => void) => () => void;

/** A page's loop: with the screen while it is visible, by a worker's clock while it is hidden. */
export const pageFrameLoop: FrameLoop = (onFrame) => {
  let stopped = false;
  let request = 0;
  let stopWorker: (() => void) | undefined;
  const draw = (): void => {
    request = requestAnimationFrame(draw);
    onFrame(performance.now());
  };
  const choose = (): void => {
    cancelAnimationFrame(request);
    stopWorker?.();
    stopWorker = undefined;
    if (stopped) return;
    if (document.hidden) stopWorker = startWorkerClock(() => onFrame(performance.now()));
    else request = requestAnimationFrame(draw);
  };
  document.addEventListener('visibilitychange', choose);
  choose();
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', choose);
    choose();
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
export const timerFrameLoop: FrameLoop = (onFrame) => {
  const timer = setInterval(() => onFrame(performance.now()), HIDDEN_WAKE_MS);
  return () => clearInterval(timer);
};

/** The loop that fits where this code runs. */
export const frameLoop: FrameLoop = (onFrame) =>
  typeof requestAnimationFrame === 'function' ? pageFrameLoop(onFrame) : timerFrameLoop(onFrame);

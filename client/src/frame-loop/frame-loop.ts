/** What waits for no screen is woken this often: twice a tick at 60 Hz, so that no tick is late by a whole one. */
const WAKE_MS = 8;

/** What a loop drives; both get the time in milliseconds. */
export interface Looped {
  /** Makes the ticks that are due: about once per drawn frame, also where nothing is drawn. */
  advance(nowMs: number): void;
  /** Paints what the last `advance` left, where somebody may see it. */
  draw(nowMs: number): void;
}

/** Drives a match until the returned function is called. */
export type FrameLoop = (match: Looped) => () => void;

/** A page that has not been drawn for so long, three ticks at 60 Hz, is hidden or busy, whatever it says of itself. */
const STARVED_MS = 50;
/** Two draws this close together: the page is shown again. More than what a screen of 30 Hz takes. */
const SHOWN_MS = 40;

/**
 * A page's loop: with the screen while it is shown; by a worker's clock while it is hidden, or covered or so busy that
 * the browser draws it only now and then. Only the screen's own calls paint: painting for each of the clock's would keep
 * a page that is too slow to draw from ever being faster.
 */
const pageFrameLoop: FrameLoop = (match) => {
  let request = 0;
  let drawnMs = performance.now();
  let isPictureOld = false;
  let isByClock = false;
  const clock = workerClock(() => {
    if (!isByClock) return;
    isPictureOld = true;
    match.advance(performance.now());
    clock.ask();
  });
  const watch = (): void => {
    if (!document.hidden && performance.now() - drawnMs <= STARVED_MS) return;
    isByClock = true;
    clock.ask();
  };
  const draw = (): void => {
    request = requestAnimationFrame(draw);
    const nowMs = performance.now();
    if (nowMs - drawnMs < SHOWN_MS && !document.hidden) isByClock = false;
    drawnMs = nowMs;
    isPictureOld = false;
    match.advance(nowMs);
    match.draw(nowMs);
  };
  const timer = setInterval(watch, STARVED_MS);
  document.addEventListener('visibilitychange', watch);
  request = requestAnimationFrame(draw);
  return () => {
    cancelAnimationFrame(request);
    clearInterval(timer);
    document.removeEventListener('visibilitychange', watch);
    isByClock = false;
    clock.stop();
    // What ended unseen is found as it ended.
    if (isPictureOld) queueMicrotask(() => match.draw(performance.now()));
  };
};

/**
 * Timers of a hidden page fire once a second; those of a worker do not. Each wake is asked for, and only once at a time:
 * a page that is slower than a clock would else be ever further behind with what waits for it.
 */
function workerClock(wake: () => void): { ask(): void; stop(): void } {
  let worker: Worker | undefined;
  let url = '';
  let isAsked = false;
  const start = (): Worker => {
    const code = `onmessage = () => setTimeout(() => postMessage(0), ${WAKE_MS})`;
    url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const started = new Worker(url);
    started.addEventListener('message', () => {
      isAsked = false;
      wake();
    });
    return started;
  };
  return {
    ask() {
      if (isAsked) return;
      isAsked = true;
      worker ??= start();
      worker.postMessage(0);
    },
    stop() {
      worker?.terminate();
      URL.revokeObjectURL(url);
    },
  };
}

/** The loop of a program without a screen. */
const timerFrameLoop: FrameLoop = (match) => {
  const timer = setInterval(() => {
    const nowMs = performance.now();
    match.advance(nowMs);
    match.draw(nowMs);
  }, WAKE_MS);
  return () => clearInterval(timer);
};

/** The loop that fits where this code runs. */
export const frameLoop: FrameLoop = (match) =>
  typeof requestAnimationFrame === 'function' ? pageFrameLoop(match) : timerFrameLoop(match);

/** Time as the server takes it from the machine, so that a test can bring its own. */
export interface Timers {
  /** Milliseconds, any origin, never backwards. */
  now(): number;
  /** Milliseconds since 1970. */
  unixMs(): number;
  /** Runs a job once after `ms`; gives what calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own time. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  unixMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

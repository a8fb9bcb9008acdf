/** Time and chance as the lobby takes them from the machine, so that a test can bring its own. */
export interface LobbyClock {
  /** Milliseconds, any origin, never backwards. */
  now(): number;
  /** Runs a job once after `ms`; gives what calls it off. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

/** The machine's own. */
export const systemClock: LobbyClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

const FIRST_RETRY_MS = 250;

/** Short, since a match may be standing still until the lobby is back. */
const RETRY_MS_MAX = 3_000;

/**
 * Milliseconds until the next try of a connection: doubling, and by chance down to the half of that, so that the peers
 * of a server that was restarted do not all come back at one moment.
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  return Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * 2 ** attempt) * (0.5 + random() / 2);
}

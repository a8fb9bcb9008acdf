import { valueText } from '../recorder/difference-words.js';

/** What a command may touch of the process that it runs in. */
export interface Io {
  /** Writes to stdout: results and nothing else. */
  out(text: string): void;
  /** Writes to stderr: errors, notes, progress. */
  err(text: string): void;
  /** Whether somebody watches stderr: progress is for people only. */
  readonly errIsTerminal: boolean;
  /**
   * Aborted when the user wants the command to stop. From the first call on it is the command's to end: those that never
   * ask are ended by the signal itself.
   */
  stop(): AbortSignal;
}

/** The `stop` of a process: Ctrl-C, or what a process manager sends. A second one ends the process at once. */
export function stopOnSignal(process: NodeJS.EventEmitter): () => AbortSignal {
  let stop: AbortController | undefined;
  return () => {
    if (stop !== undefined) return stop.signal;
    const asked = new AbortController();
    stop = asked;
    const signals = ['SIGINT', 'SIGTERM'];
    const abort = () => {
      for (const signal of signals) process.off(signal, abort);
      asked.abort();
    };
    for (const signal of signals) process.on(signal, abort);
    return asked.signal;
  };
}

/** What results call the two sides of a difference. */
const SIDES: readonly string[] = ['a', 'b', 'recorded', 'computed'];

/** JSON has neither NaN nor -0: a difference of such values would be printed as none, so they are texts there. */
function jsonValue(key: string, value: unknown): unknown {
  if (value === undefined) return null;
  const isLost = typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0));
  return isLost && SIDES.includes(key) ? valueText(value) : value;
}

/** Prints one object as the whole of stdout. What is undefined becomes null, so that no promised key is missing. */
export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value, jsonValue)}\n`);
}

/** A progress line on a terminal, rewritten in place; nothing elsewhere. Call `clear` before printing results. */
export function progressLine(
  io: Io,
  label: string,
): { show: (done: number, total: number) => void; clear: () => void } {
  if (!io.errIsTerminal) return { show: () => {}, clear: () => {} };
  let width = 0;
  return {
    show(done, total) {
      const line = `${label}: ${Math.floor((100 * done) / Math.max(1, total))} %`;
      width = Math.max(width, line.length);
      io.err(`\r${line.padEnd(width)}`);
    },
    clear() {
      if (width > 0) io.err(`\r${' '.repeat(width)}\r`);
      width = 0;
    },
  };
}

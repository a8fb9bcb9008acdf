/** What a command may touch of the process that it runs in. */
export interface Io {
  /** Writes to stdout: results and nothing else. */
  out(text: string): void;
  /** Writes to stderr: errors, notes, progress. */
  err(text: string): void;
  /** Whether somebody watches stderr: progress is for people only. */
  readonly errIsTerminal: boolean;
  /** Aborted when the user wants the command to stop. */
  readonly stop: AbortSignal;
}

/** Prints one object as the whole of stdout. What is undefined becomes null, so that no promised key is missing. */
export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value, (_key, part: unknown) => (part === undefined ? null : part))}\n`);
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

/** The way out: refuse new work, let pairings under way finish, then stop. */

/** Shared by everything that must know that the server is on its way out. */
export interface Lifecycle {
  draining: boolean;
}

/** A full room that relayed nothing for so long has its peer-to-peer connection, or never will. */
export const PAIRING_QUIET_MS = 2_000;

const CHECK_EVERY_MS = 50;

/** Process managers and terminals deliver one Ctrl-C several times; only a later one is a second wish. */
const SAME_SIGNAL_MS = 500;

export interface SettleOptions {
  /** Milliseconds on the clock of `now`. */
  deadline: number;
  pairings(): number;
  /** Milliseconds, any origin. */
  now(): number;
  wait(ms: number): Promise<void>;
}

/** Resolves when no pairing is under way, at once if there is none, and at the deadline at the latest. */
export async function settle({ deadline, pairings, now, wait }: SettleOptions): Promise<void> {
  while (now() < deadline && pairings() > 0) {
    await wait(Math.min(CHECK_EVERY_MS, deadline - now()));
  }
}

export interface SignalOptions {
  /** Finishes what is under way and closes the server. */
  drain(): Promise<void>;
  exit(code: number): void;
  /** Told once, when the first signal arrives. */
  onDrain(signal: NodeJS.Signals): void;
  now(): number;
}

/** Drains on the first SIGTERM or SIGINT and exits 0; exits at once, with the customary code, on a second one. */
export function drainOnSignals(process: NodeJS.EventEmitter, { drain, exit, onDrain, now }: SignalOptions): void {
  let firstAt: number | undefined;
  const handle = (signal: 'SIGTERM' | 'SIGINT') => {
    if (firstAt !== undefined) {
      if (now() - firstAt >= SAME_SIGNAL_MS) exit(signal === 'SIGINT' ? 130 : 143);
      return;
    }
    firstAt = now();
    onDrain(signal);
    drain().then(
      () => exit(0),
      () => exit(1),
    );
  };
  process.on('SIGTERM', () => handle('SIGTERM'));
  process.on('SIGINT', () => handle('SIGINT'));
}

interface Armed {
  run(): void;
  /** Milliseconds, `performance.now()`. */
  dueAt: number;
}

/** How often due timers are looked for: PeerServer's own are 300 ms and a second. */
const LOOK_EVERY_MS = 250;

/**
 * The timers of PeerServer, which re-arms two for ever and has no way to stop them: left alone, they would keep a
 * closed server's process alive. What is armed during `capture` runs here instead, and ends with `stop`.
 */
export class PeerTimers {
  #armed: Armed[] = [];
  readonly #interval = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();

  /** Runs `work`, which must be synchronous and PeerServer's alone, and keeps the timers that it arms. */
  capture(work: () => void): void {
    const { setTimeout } = globalThis;
    const arm = (run: () => void, delayMs = 0) => {
      this.#armed.push({ run, dueAt: performance.now() + delayMs });
    };
    // Nobody else's code runs between here and `finally`: all of it is one synchronous call.
    Object.assign(globalThis, { setTimeout: arm });
    try {
      work();
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#armed = [];
  }

  #look(): void {
    const now = performance.now();
    const due = this.#armed.filter(({ dueAt }) => dueAt <= now);
    this.#armed = this.#armed.filter(({ dueAt }) => dueAt > now);
    for (const { run } of due) this.capture(run);
  }
}

type Job = () => Promise<void>;

/** Runs jobs one after the other, the first at once. */
export class Turns {
  readonly #jobs: { run: Job; done: () => void }[] = [];
  readonly #onError: (error: unknown) => void;
  #isRunning = false;

  /** @param onError is told why a job failed; the next one runs all the same. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Jobs that have not ended. */
  get waiting(): number {
    return this.#jobs.length + (this.#isRunning ? 1 : 0);
  }

  /** Resolves when the job has ended, however it did. */
  take(run: Job): Promise<void> {
    return new Promise((done) => {
      this.#jobs.push({ run, done });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      try {
        await job.run();
      } catch (error) {
        this.#onError(error);
      }
      job.done();
    }
    this.#isRunning = false;
  }
}

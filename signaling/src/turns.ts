import { attempt, type Soon } from './soon.js';

/** What takes time gives a promise to wait for; what is done at once gives none. */
type Job = () => Soon<void>;
type OnError = (error: unknown) => void;

/** Runs jobs one after the other, the first at once. */
export class Turns {
  readonly #jobs: Job[] = [];
  readonly #onError: OnError;
  readonly #endRound = () => {
    this.#doneInRound = 0;
  };
  #isRunning = false;
  #doneInRound = 0;

  /** @param onError is told why a job failed; the next one runs all the same. */
  constructor(onError: OnError) {
    this.#onError = onError;
  }

  /** Jobs that have not ended, or did at once in this round of the event loop: nobody can have heard of their end yet. */
  get waiting(): number {
    return this.#jobs.length + (this.#isRunning ? 1 : 0) + this.#doneInRound;
  }

  /** Gives what to wait for until the job has ended, however it did; `undefined`: it has. */
  take(job: Job): Promise<void> | undefined {
    if (this.#isRunning) {
      return new Promise((done) => {
        this.#jobs.push(async () => {
          await attempt(job, this.#onError);
          done();
        });
      });
    }
    this.#isRunning = true;
    const ending = attempt(job, this.#onError);
    if (ending === undefined && this.#doneInRound++ === 0) setImmediate(this.#endRound);
    if (ending === undefined && this.#jobs.length === 0) this.#isRunning = false;
    else void this.#runRest(ending);
    return ending;
  }

  /** Jobs may have been added while one ran at once. */
  async #runRest(ending: Promise<void> | undefined): Promise<void> {
    await ending;
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) await job();
    this.#isRunning = false;
  }
}

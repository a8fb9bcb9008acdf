/** Frames that are remembered, a power of two: more than any timeline shows. */
const FRAMES = 1024;
/** Rollbacks and stalls that are remembered: as many as there are frames would be too many to see. */
const MARKS = 256;

/** How a frame came about. `guessed`: predicted, and rightly; `again`: run again, for the prediction was wrong. */
export type FrameKind = 'predicted' | 'known' | 'guessed' | 'again';

/** Whose input of the first wrong frame was not what had been guessed, and what it was: `-` for nothing. */
export interface RollbackCause {
  readonly who: string;
  /** It is the very player of this machine: an authority did not have the input in time. */
  readonly isOwn: boolean;
  readonly pressed: string;
}

/** A rollback: when it was made, and the frames that ran again. */
export interface RollbackMark {
  readonly cause: RollbackCause | null;
  readonly atMs: number;
  readonly first: number;
  readonly last: number;
}

/** What became of each of one side's recent frames: when it was simulated, confirmed, and how often it ran. */
export class FrameTrace {
  /** The last simulated frame, and the last confirmed one. */
  head = -1;
  confirmed = -1;
  /** How many frames were guesses when a tick could last not advance. */
  guessedAtStall = 0;
  readonly #simulatedMs = new Float64Array(FRAMES).fill(Number.NaN);
  readonly #confirmedMs = new Float64Array(FRAMES).fill(Number.NaN);
  readonly #runs = new Uint16Array(FRAMES);
  readonly #rollbacks: RollbackMark[] = [];
  readonly #stalls: number[] = [];

  /** Frames up to `head` are simulated by now, and up to `confirmed` final. */
  reach(nowMs: number, head: number, confirmed: number): void {
    for (let frame = Math.max(this.head + 1, head - FRAMES + 1); frame <= head; frame++) {
      const slot = frame & (FRAMES - 1);
      this.#simulatedMs[slot] = nowMs;
      this.#confirmedMs[slot] = Number.NaN;
      this.#runs[slot] = 1;
    }
    this.head = Math.max(this.head, head);
    for (let frame = Math.max(this.confirmed + 1, this.head - FRAMES + 1); frame <= confirmed; frame++) {
      this.#confirmedMs[frame & (FRAMES - 1)] = nowMs;
    }
    this.confirmed = Math.max(this.confirmed, Math.min(confirmed, this.head));
  }

  /** The last `frames` of those up to `last` ran again. */
  rollBack(nowMs: number, frames: number, last: number, cause: RollbackCause | null = null): void {
    const first = Math.max(0, last - frames + 1, this.head - FRAMES + 1);
    for (let frame = first; frame <= last; frame++) this.#runs[frame & (FRAMES - 1)]!++;
    this.#rollbacks.push({ atMs: nowMs, first, last, cause });
    if (this.#rollbacks.length > MARKS) this.#rollbacks.shift();
  }

  /** A tick could not advance. */
  stall(nowMs: number): void {
    this.guessedAtStall = Math.max(0, this.head - this.confirmed);
    this.#stalls.push(nowMs);
    if (this.#stalls.length > MARKS) this.#stalls.shift();
  }

  get rollbacks(): readonly RollbackMark[] {
    return this.#rollbacks;
  }

  /** When ticks could not advance. */
  get stalls(): readonly number[] {
    return this.#stalls;
  }

  /** The first frame that is remembered. */
  get oldest(): number {
    return Math.max(0, this.head - FRAMES + 1);
  }

  /** When a remembered frame was simulated first. */
  simulatedMs(frame: number): number {
    return this.#simulatedMs[frame & (FRAMES - 1)]!;
  }

  /** How often a remembered frame ran. */
  runs(frame: number): number {
    return this.#runs[frame & (FRAMES - 1)]!;
  }

  /** How a remembered frame came about. */
  kindOf(frame: number): FrameKind {
    if (frame > this.confirmed) return 'predicted';
    const slot = frame & (FRAMES - 1);
    if (this.#runs[slot]! > 1) return 'again';
    return this.#confirmedMs[slot]! <= this.#simulatedMs[slot]! ? 'known' : 'guessed';
  }
}

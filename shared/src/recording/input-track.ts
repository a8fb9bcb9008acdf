import { RiposteError } from '../errors.js';

/** One player's inputs over a recording, as runs of frames with the same input: idle time is one run. */
export interface InputTrack {
  /** 32-bit integers of one input. */
  readonly words: number;
  /** Frames `firstFrame` to `endFrame - 1` are held. */
  readonly firstFrame: number;
  readonly endFrame: number;
  /** How many runs there are; neighbours differ. */
  readonly runs: number;
  /** The first frame of a run; `endFrame` for the run after the last. */
  startOf(run: number): number;
  /** The run that `frame` lies in. Throws `frame-not-kept`. */
  runAt(frame: number): number;
  /** Copies the words of a run to `into[at]`. */
  readRun(run: number, into: Int32Array, at: number): void;
  /** Copies the words of a frame to `into[at]`. Throws `frame-not-kept`. */
  read(frame: number, into: Int32Array, at: number): void;
}

/** Room for half a minute of a busy player before a track first grows. */
const RUNS_START = 256;

/** A track that a reader fills. */
export class GrowingTrack implements InputTrack {
  readonly words: number;
  readonly firstFrame: number;
  endFrame: number;
  runs = 0;
  #starts = new Uint32Array(RUNS_START);
  #values: Int32Array;
  /** The run that was asked for last: the next question is nearly always about it or the one after. */
  #near = 0;

  constructor(words: number, firstFrame: number) {
    this.words = words;
    this.firstFrame = firstFrame;
    this.endFrame = firstFrame;
    this.#values = new Int32Array(RUNS_START * words);
  }

  /** Appends `count` frames of the same input, joined to the last run when that has it too. */
  append(count: number, input: Int32Array): void {
    if (this.runs === 0 || !this.#endsWith(input)) {
      if (this.runs === this.#starts.length) this.#grow();
      this.#starts[this.runs] = this.endFrame;
      const base = this.runs * this.words;
      for (let word = 0; word < this.words; word++) this.#values[base + word] = input[word]!;
      this.runs++;
    }
    this.endFrame += count;
  }

  #endsWith(input: Int32Array): boolean {
    const base = (this.runs - 1) * this.words;
    for (let word = 0; word < this.words; word++) if (this.#values[base + word] !== input[word]) return false;
    return true;
  }

  #grow(): void {
    const starts = new Uint32Array(this.#starts.length * 2);
    const values = new Int32Array(this.#values.length * 2);
    starts.set(this.#starts);
    values.set(this.#values);
    this.#starts = starts;
    this.#values = values;
  }

  /** Forgets everything from `endFrame` on. */
  trim(endFrame: number): void {
    if (endFrame >= this.endFrame) return;
    while (this.runs > 0 && this.#starts[this.runs - 1]! >= endFrame) this.runs--;
    this.endFrame = endFrame;
    this.#near = 0;
  }

  startOf(run: number): number {
    return run < this.runs ? this.#starts[run]! : this.endFrame;
  }

  runAt(frame: number): number {
    if (!(frame >= this.firstFrame && frame < this.endFrame)) {
      const held = this.runs === 0 ? 'none is held' : `expected ${this.firstFrame} to ${this.endFrame - 1}`;
      throw new RiposteError('frame-not-kept', `the inputs of frame ${frame} are not in the recording; ${held}`);
    }
    let low = this.#near;
    if (this.#starts[low]! > frame) low = 0;
    else if (frame < this.startOf(low + 1)) return low;
    else if (frame < this.startOf(low + 2)) {
      this.#near = low + 1;
      return low + 1;
    }
    let high = this.runs - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= frame) low = middle;
      else high = middle - 1;
    }
    this.#near = low;
    return low;
  }

  readRun(run: number, into: Int32Array, at: number): void {
    const base = run * this.words;
    for (let word = 0; word < this.words; word++) into[at + word] = this.#values[base + word]!;
  }

  read(frame: number, into: Int32Array, at: number): void {
    this.readRun(this.runAt(frame), into, at);
  }
}

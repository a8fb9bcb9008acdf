import type { RollbackSim } from '../rollback/sim.js';
import type { RecordingWriter } from './writer.js';

/**
 * A second of most games: what runs so seldom costs most by what it displaces in the processor. A keyframe's state is that
 * before a multiple of it.
 */
const BATCH_FRAMES = 60;

/** Records the frames of a simulation that became final, many at once, with a whole state now and then. */
export class SimRecorder<S, I> {
  readonly writer: RecordingWriter;
  readonly #sim: RollbackSim<S, I>;
  /** The first frame that is not appended. */
  #first: number;
  /** How many frames wait from there on, and how many are waited for. */
  #waiting = 0;
  #batch = 0;
  readonly #batchMax: number;
  readonly #hashes = new Int32Array(BATCH_FRAMES);
  /** An input was kept no longer when it was to be taken down: no frame from there on can be recorded. */
  #hasGap = false;
  /** The state that was recorded last: the next one is put in its place. */
  #state: S | undefined;

  /** The simulation holds the state before the recording's first frame, and that is final. */
  constructor(sim: RollbackSim<S, I>, writer: RecordingWriter) {
    this.#sim = sim;
    this.writer = writer;
    this.#first = writer.firstFrame;
    // Where guesses, or own inputs that are a delay ahead of them, may reach round the ring to frames that wait, none waits.
    const mayWait = BATCH_FRAMES <= sim.history / 2 && sim.maxPrediction <= sim.history / 4;
    this.#batchMax = mayWait ? BATCH_FRAMES : 1;
    this.#keyframe(sim.hashAt(this.#first));
    this.#begin();
  }

  #begin(): void {
    this.#waiting = 0;
    this.#batch = this.#batchMax - (this.#first % this.#batchMax);
  }

  /** The next frame is final; `hash` is that of the state after it. */
  final(hash: number): void {
    this.#hashes[this.#waiting++] = hash;
    if (this.#waiting === this.#batch) this.append();
  }

  /** All frames before `frame` are final: none of them waits. */
  finalBefore(frame: number): void {
    while (this.#first + this.#waiting < frame) this.final(this.#sim.hashAt(this.#first + this.#waiting + 1));
    this.append();
  }

  /** Appends the final frames that wait; those that come after the end of the recording are dropped. */
  append(): void {
    const end = this.#first + this.#waiting;
    for (let at = 0; this.#first < end; ) {
      const gone = this.#sim.goneIn(this.#first);
      let count = 1;
      while (this.#first + count < end && this.#sim.goneIn(this.#first + count) === gone) count++;
      this.#take(count, at, gone);
      at += count;
    }
    this.#begin();
  }

  /** Appends `count` frames whose hashes are those from `at` on. */
  #take(count: number, at: number, gone: number): void {
    const { writer } = this;
    const sim = this.#sim;
    this.#first += count;
    if (this.#hasGap || writer.isEnded) return;
    this.#hasGap = !writer.append(count, sim, this.#hashes, at, gone);
    if (!this.#hasGap && writer.isKeyframeDue) this.#keyframe(this.#hashes[at + count - 1]!);
  }

  #keyframe(hash: number): void {
    this.#state = this.#sim.stateAt(this.#first, this.#state);
    this.writer.keyframe(this.#sim.game.state.encode(this.#state), hash);
  }

  /** Also takes the state before a recent final frame; nothing where the simulation keeps it no longer, or after the end. */
  keepState(frame: number): void {
    const sim = this.#sim;
    this.append();
    const isRecorded = frame > this.writer.firstFrame && frame <= this.writer.nextFrame;
    if (!isRecorded || this.writer.isEnded || frame < sim.lastFrame() + 2 - sim.history) return;
    this.writer.state(frame, sim.game.state.encode(sim.stateAt(frame)), sim.hashAt(frame));
  }
}

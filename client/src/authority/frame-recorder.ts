import type { RecordingWriter, RollbackSim } from '@riposte/shared';

/** Records the frames of a simulation that became final, with a whole state now and then. */
export class FrameRecorder<S, I> {
  readonly writer: RecordingWriter;
  readonly #sim: RollbackSim<S, I>;
  readonly #words: Int32Array;
  #next: number;

  /** `first` is the first frame that is recorded: the state before it is held. */
  constructor(sim: RollbackSim<S, I>, writer: RecordingWriter, first: number) {
    this.writer = writer;
    this.#sim = sim;
    this.#words = new Int32Array(sim.players * sim.game.input.words);
    this.#next = first;
    this.#keyframe(first, sim.hashAt(first));
  }

  /** Every frame before `frame` is final, and none is missing. */
  record(frame: number): void {
    const sim = this.#sim;
    for (; this.#next < frame; this.#next++) {
      for (let player = 0; player < sim.players; player++) {
        sim.readInput(player, this.#next, this.#words, player * sim.game.input.words);
      }
      const hash = sim.hashAt(this.#next + 1);
      this.writer.frame(this.#words, hash, sim.goneIn(this.#next));
      this.#keyframe(this.#next + 1, hash);
    }
  }

  #keyframe(frame: number, hash: number): void {
    if (this.writer.isKeyframeDue) this.writer.keyframe(this.#sim.game.state.encode(this.#sim.stateAt(frame)), hash);
  }
}

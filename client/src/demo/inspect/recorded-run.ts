import { type Game, type Keyframe, type Recording, RiposteError } from '@riposte/shared';
import { alteredState, hashBefore, keyframeUpTo, Resimulation } from '@riposte/shared/debugging';

/** Frames between two looks at the clock: a step of most games takes microseconds. */
const FRAMES_PER_LOOK = 16;

/**
 * The states of one recording, one frame at a time: run again from the nearest recorded one. Where the recorded hash
 * is another than the run's, the state that was recorded is found if it differs in one byte, and the run goes on from
 * that one; else the run's own states are given, and `isRecorded` is false until a recorded state is met.
 */
export class RecordedRun<S, I> {
  readonly recording: Recording;
  readonly #game: Game<S, I>;
  #run: Resimulation<S, I>;
  #isRecorded = true;
  #problem: string | null = null;
  /** What came of each search for a recorded state, by its frame: the encoded state, or null when none was found. */
  readonly #found = new Map<number, Uint8Array | null>();

  /** Throws as `Resimulation` does. */
  constructor(game: Game<S, I>, recording: Recording) {
    this.recording = recording;
    this.#game = game;
    this.#run = this.#start(undefined);
  }

  /** `stateAt(frame)` is held: the state before this frame. */
  get frame(): number {
    return this.#run.frame;
  }

  get state(): S {
    return this.#run.state;
  }

  /** Whether `state` has the recorded hash. */
  get isRecorded(): boolean {
    return this.#isRecorded;
  }

  /** The game's own error, which ends the run at `frame`; null as long as it runs. */
  get problem(): string | null {
    return this.#problem;
  }

  /** The first and the last frame whose state can be had. */
  get firstFrame(): number {
    return this.recording.firstFrame;
  }

  get lastFrame(): number {
    return this.recording.firstFrame + this.recording.frames;
  }

  /**
   * Goes to a frame that the recording holds, until `isLate` says to stop. Returns whether it is there, or as near as
   * the game lets it come; call it again until it is.
   */
  seek(frame: number, isLate: () => boolean): boolean {
    const keyframe = keyframeUpTo(this.recording.keyframes, frame);
    const isBehind = frame < this.#run.frame;
    if (isBehind || (keyframe !== undefined && keyframe.frame > this.#run.frame)) this.#run = this.#start(keyframe);
    for (let count = 1; this.#run.frame < frame && this.#problem === null; count++) {
      if (count % FRAMES_PER_LOOK === 0 && isLate()) return false;
      this.#advance();
    }
    return true;
  }

  #start(keyframe: Keyframe | undefined): Resimulation<S, I> {
    const run = new Resimulation(this.#game, this.recording, keyframe);
    this.#problem = null;
    this.#isRecorded = run.hash() === (hashBefore(this.recording, run.frame) ?? run.hash());
    return run;
  }

  #advance(): void {
    const run = this.#run;
    let hash: number;
    try {
      hash = run.advance();
    } catch (error) {
      if (!(error instanceof RiposteError && error.code === 'bad-game')) throw error;
      this.#problem = error.message;
      return;
    }
    const recorded = hashBefore(this.recording, run.frame);
    if (recorded === undefined || recorded === hash) this.#isRecorded = true;
    else if (this.#isRecorded) this.#isRecorded = this.#recover(recorded);
  }

  /** Puts the state with the recorded hash in the run's place; false when it cannot be found. */
  #recover(hash: number): boolean {
    const { state: model } = this.#game;
    const { frame, state } = this.#run;
    let bytes = this.#found.get(frame);
    if (bytes === undefined) {
      const found = alteredState(model, state, hash);
      bytes = found === undefined ? null : model.encode(found);
      this.#found.set(frame, bytes);
    }
    if (bytes === null) return false;
    model.decode(bytes, state);
    return true;
  }
}

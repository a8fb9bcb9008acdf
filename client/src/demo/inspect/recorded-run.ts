import { type Game, type Keyframe, type Recording, RiposteError } from '@riposte/shared';
import { alteredState, hashBefore, keyframeUpTo, Resimulation } from '@riposte/shared/debugging';

/** Frames between two looks at the clock: few, for a slow game takes milliseconds for each. */
const FRAMES_PER_LOOK = 4;
/** A run keeps its own states so often: a step back runs at most so many frames again, also in a slow game. */
const LANDMARK_INTERVAL = 60;
/** Bounds of what a run keeps: a few minutes of a match, and little memory also with large states. */
const LANDMARKS_MAX = 256;
const LANDMARK_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The states of one recording, one frame at a time: run again from the nearest one that is held. Where the recorded hash
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
  /** By their frames, the oldest first. */
  readonly #landmarks = new Map<number, Keyframe>();
  #landmarkBytes = 0;

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
    const start = this.#nearest(frame);
    const isBehind = frame < this.#run.frame;
    if (isBehind || (start !== undefined && start.frame > this.#run.frame)) this.#run = this.#start(start);
    for (let count = 1; this.#run.frame < frame && this.#problem === null; count++) {
      if (count % FRAMES_PER_LOOK === 0 && isLate()) return false;
      this.#advance();
    }
    return true;
  }

  /** The state to run from: the last one up to `frame` that is recorded or was come by. */
  #nearest(frame: number): Keyframe | undefined {
    let nearest: Keyframe | undefined = keyframeUpTo(this.recording.keyframes, frame);
    for (const landmark of this.#landmarks.values()) {
      if (landmark.frame <= frame && landmark.frame > (nearest?.frame ?? -1)) nearest = landmark;
    }
    return nearest;
  }

  #start(from: Keyframe | undefined): Resimulation<S, I> {
    const run = new Resimulation(this.#game, this.recording, from);
    this.#problem = null;
    const recorded = hashBefore(this.recording, run.frame);
    this.#isRecorded = recorded === undefined || run.hash() === recorded;
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
    if (run.frame % LANDMARK_INTERVAL === 0) this.#keep();
  }

  #keep(): void {
    const { frame, state } = this.#run;
    if (this.#landmarks.has(frame)) return;
    const bytes = this.#game.state.encode(state);
    this.#landmarks.set(frame, { frame, hash: this.#run.hash(), byteLength: bytes.length, bytes: () => bytes });
    this.#landmarkBytes += bytes.length;
    for (const [oldest, { byteLength }] of this.#landmarks) {
      if (this.#landmarks.size <= LANDMARKS_MAX && this.#landmarkBytes <= LANDMARK_BYTES_MAX) break;
      this.#landmarks.delete(oldest);
      this.#landmarkBytes -= byteLength;
    }
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

import { RiposteError } from '../errors.js';
import { ByteReader } from './bytes.js';
import { KEYFRAME_STATE_BYTES_MAX } from './format.js';
import { eachChange, unpackState } from './state-delta.js';

/** A whole state that a recording holds. */
export interface Keyframe {
  /** The state is `stateAt(frame)`, the one before this frame's step. */
  readonly frame: number;
  /** The hash that was recorded with it, 32-bit unsigned. */
  readonly hash: number;
  /** Bytes of the state. */
  readonly byteLength: number;
  /** A copy of the state, as its model encoded it. */
  bytes(): Uint8Array;
}

/** The keyframes of one recording. Each is kept packed, and unpacked when it is asked for. */
export class KeyframeList {
  readonly all: Keyframe[] = [];
  readonly #packed: Uint8Array[] = [];
  /** Those of earlier frames, which no other is a difference from. */
  readonly #states: Keyframe[] = [];
  /** The keyframe that was unpacked last: the next question is nearly always about it or the one after. */
  #unpacked = -1;
  #state: Uint8Array = new Uint8Array(0);

  /** Takes the next keyframe's state, `packed` to its end. Throws `bad-recording`, taking nothing, when it is none. */
  add(frame: number, hash: number, byteLength: number, packed: ByteReader): void {
    if (byteLength > KEYFRAME_STATE_BYTES_MAX) {
      throw new RiposteError(
        'bad-recording',
        `a state of ${byteLength} bytes; expected at most ${KEYFRAME_STATE_BYTES_MAX}`,
      );
    }
    const start = packed.at;
    eachChange(packed, byteLength);
    this.#packed.push(packed.bytes.slice(start, packed.end));
    const index = this.all.length;
    this.all.push({ frame, hash, byteLength, bytes: () => this.#bytesOf(index) });
  }

  /** Takes a state of an earlier frame, the payload's rest. Throws `bad-recording`, taking nothing, for a second one of a frame. */
  addState(frame: number, hash: number, payload: ByteReader): void {
    const byteLength = payload.end - payload.at;
    if (byteLength > KEYFRAME_STATE_BYTES_MAX || this.#states.some((state) => state.frame === frame)) {
      throw new RiposteError('bad-recording', `a second state of frame ${frame}, or one of ${byteLength} bytes`);
    }
    const held = payload.bytes.slice(payload.at, payload.end);
    this.#states.push({ frame, hash, byteLength, bytes: () => held.slice() });
  }

  /** All states, in the order of their frames, one a frame. */
  inOrder(): readonly Keyframe[] {
    const added = this.#states.filter(({ frame }) => !this.all.some((keyframe) => keyframe.frame === frame));
    return added.length === 0 ? this.all : [...this.all, ...added].sort((a, b) => a.frame - b.frame);
  }

  #bytesOf(index: number): Uint8Array {
    if (index < this.#unpacked) {
      this.#unpacked = -1;
      this.#state = new Uint8Array(0);
    }
    while (this.#unpacked < index) {
      this.#unpacked++;
      const packed = this.#packed[this.#unpacked]!;
      const { byteLength } = this.all[this.#unpacked]!;
      this.#state = unpackState(new ByteReader(packed, 0, packed.length), byteLength, this.#state);
    }
    return this.#state.slice();
  }
}

/** The first keyframe at `frame` or after it, or undefined. */
export function keyframeFrom(keyframes: readonly Keyframe[], frame: number): Keyframe | undefined {
  return keyframes.find((keyframe) => keyframe.frame >= frame);
}

/** The last keyframe at `frame` or before it, or undefined. */
export function keyframeUpTo(keyframes: readonly Keyframe[], frame: number): Keyframe | undefined {
  return keyframes.findLast((keyframe) => keyframe.frame <= frame);
}

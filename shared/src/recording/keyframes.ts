import { RiposteError } from '../errors.js';
import { ByteReader, type ByteWriter } from './bytes.js';
import { KEYFRAME_STATE_BYTES_MAX } from './format.js';

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

/**
 * Writes `state` as its difference from `before`, the keyframe before it: runs of bytes to keep and bytes to change
 * (`state ^ before`). Most of a game's state stays as it was, and what is left hardly compresses: on small states
 * this takes less than deflate, and no time.
 */
export function packState(into: ByteWriter, state: Uint8Array, before: Uint8Array): void {
  const { length } = state;
  // Past the end of a shorter one this is a XOR with undefined, which is one with 0.
  const change = (at: number) => state[at]! ^ before[at]!;
  for (let at = 0; at < length; ) {
    const from = at;
    while (at < length && change(at) === 0) at++;
    into.varint(at - from);
    let end = at;
    while (end < length && change(end) !== 0) end++;
    into.varint(end - at);
    while (at < end) into.u8(change(at++));
  }
}

/** Calls `change` for every run of bytes to change. Throws `bad-recording` unless the runs make `byteLength` bytes. */
function eachChange(
  packed: ByteReader,
  byteLength: number,
  change?: (at: number, from: number, count: number) => void,
) {
  for (let at = 0; at < byteLength; ) {
    const kept = packed.varint();
    const changed = packed.varint();
    if (kept + changed < 1 || kept + changed > byteLength - at) {
      throw new RiposteError(
        'bad-recording',
        `${kept + changed} bytes of a state at byte ${at} of it; expected 1 to ${byteLength - at}`,
      );
    }
    const from = packed.skip(changed);
    change?.(at + kept, from, changed);
    at += kept + changed;
  }
  if (packed.at !== packed.end) {
    throw new RiposteError('bad-recording', `${packed.end - packed.at} bytes are left over in a keyframe`);
  }
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
      this.#state = this.#unpack(this.#unpacked, this.#state);
    }
    return this.#state.slice();
  }

  #unpack(index: number, before: Uint8Array): Uint8Array {
    const packed = this.#packed[index]!;
    const state = new Uint8Array(this.all[index]!.byteLength);
    state.set(before.subarray(0, state.length));
    eachChange(new ByteReader(packed, 0, packed.length), state.length, (at, from, count) => {
      for (let byte = 0; byte < count; byte++) state[at + byte] = state[at + byte]! ^ packed[from + byte]!;
    });
    return state;
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

import { RiposteError } from '../errors.js';
import { ByteReader, ByteWriter } from './bytes.js';

/** So few bytes to keep are written as changed by 0: the two numbers that lead a run take as much. */
const BRIDGED_BYTES_MAX = 2;

/**
 * Writes `state` as its difference from `before`, an earlier one of the same game: runs of bytes to keep and bytes to
 * change (`state ^ before`). Most of a game's state stays as it was, and what is left hardly compresses: on small states
 * this takes less than deflate, and no time.
 */
export function packState(into: ByteWriter, state: Uint8Array, before: Uint8Array): void {
  const { length } = state;
  for (let at = 0; at < length; ) {
    const from = at;
    // Past the end of a shorter one this is a XOR with undefined, which is one with 0.
    while (at < length && (state[at]! ^ before[at]!) === 0) at++;
    into.varint(at - from);
    let end = at;
    for (let next = at; next < length && next - end <= BRIDGED_BYTES_MAX; next++) {
      if ((state[next]! ^ before[next]!) !== 0) end = next + 1;
    }
    into.varint(end - at);
    const bytes = into.room(end - at);
    for (; at < end; at++) bytes[into.length++] = state[at]! ^ before[at]!;
  }
}

/** Calls `change` for every run of bytes to change. Throws `bad-recording` unless the runs make `byteLength` bytes. */
export function eachChange(
  packed: ByteReader,
  byteLength: number,
  change?: (at: number, from: number, count: number) => void,
): void {
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
    throw new RiposteError('bad-recording', `${packed.end - packed.at} bytes are left over behind a state`);
  }
}

/** The state of `byteLength` bytes that `packState` wrote. Throws `bad-recording` for anything else. */
export function unpackState(packed: ByteReader, byteLength: number, before: Uint8Array): Uint8Array {
  const state = new Uint8Array(byteLength);
  state.set(before.subarray(0, byteLength));
  eachChange(packed, byteLength, (at, from, count) => {
    for (let byte = 0; byte < count; byte++) state[at + byte] = state[at + byte]! ^ packed.bytes[from + byte]!;
  });
  return state;
}

/** A state may grow by so much from one to the next: what says more is no difference of two states of a game. */
const GROWTH_BYTES_MAX = 4096;

/**
 * What turns the bytes of a state, `before`, into those of a later one. Undefined where the later one is too much longer
 * to be read again.
 */
export function stateDelta(state: Uint8Array, before: Uint8Array): Uint8Array | undefined {
  if (state.length > before.length + GROWTH_BYTES_MAX) return undefined;
  const delta = new ByteWriter(64);
  delta.varint(state.length);
  packState(delta, state, before);
  return delta.buffer.subarray(0, delta.length);
}

/** The state that `delta` makes of `before`. Throws `bad-recording` for bytes that `stateDelta` never wrote. */
export function applyStateDelta(delta: Uint8Array, before: Uint8Array): Uint8Array {
  const packed = new ByteReader(delta, 0, delta.length);
  const byteLength = packed.varint();
  // Checked before so much memory is taken.
  if (byteLength > before.length + GROWTH_BYTES_MAX) {
    throw new RiposteError(
      'bad-recording',
      `a state of ${byteLength} bytes; expected at most ${before.length + GROWTH_BYTES_MAX}`,
    );
  }
  return unpackState(packed, byteLength, before);
}

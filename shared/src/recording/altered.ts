import { RiposteError } from '../errors.js';
import type { StateModel } from '../state/model.js';

/** Bounds the search to a moment: so many bytes are hashed, in so many tries, each of which can be a slow decoding. */
const HASHED_BYTES_MAX = 50_000_000;
const TRIES_MAX = 100_000;

/** What one byte can be XORed with: single bits first, for they are the likeliest by far. */
const MASKS = [
  ...Array.from({ length: 8 }, (_, bit) => 1 << bit),
  ...Array.from({ length: 256 }, (_, mask) => mask).filter((mask) => (mask & (mask - 1)) !== 0),
];

/**
 * The state that differs from `state` in one byte of its encoding and has this hash, or undefined. Where a recording
 * holds only the hash of a state that went wrong, this finds a small fault in the very frame that made it. Among all
 * tries a wrong state has the hash by chance once in more than 40,000 searches.
 */
export function alteredState<S>(model: StateModel<S>, state: S, hash: number): S | undefined {
  const bytes = model.encode(state);
  const tries = Math.min(TRIES_MAX, Math.floor(HASHED_BYTES_MAX / Math.max(1, bytes.length)), 255 * bytes.length);
  const altered = model.create();
  for (let index = 0; index < tries; index++) {
    const at = index % bytes.length;
    const mask = MASKS[Math.floor(index / bytes.length)]!;
    bytes[at] = bytes[at]! ^ mask;
    if (hashOf(model, bytes, altered) === hash) return altered;
    bytes[at] = bytes[at]! ^ mask;
  }
  return undefined;
}

/** The hash of an encoded state, which is left in `into`; undefined for bytes that are none. */
function hashOf<S>(model: StateModel<S>, bytes: Uint8Array, into: S): number | undefined {
  try {
    model.decode(bytes, into);
    return model.hash(into);
  } catch (error) {
    if (!(error instanceof RiposteError)) throw error;
    return undefined;
  }
}

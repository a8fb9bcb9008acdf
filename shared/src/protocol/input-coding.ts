/** How inputs of following frames are written: none differs from the one before, a bit a frame says which do, or all do. */
const SAME = 0;
const MAPPED = 1;
const CHANGED = 2;

/** Bytes of one changed input on the wire. */
export function inputBytes(bits: number): number {
  return Math.ceil(bits / 8);
}

export function put16(into: Uint8Array, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >> 8;
}

export function get16(from: Uint8Array, at: number): number {
  return from[at]! | (from[at + 1]! << 8);
}

/** The frame nearest to `near` whose low 16 bits are `low`: right within 32,767 frames (nine minutes at 60 Hz). */
export function wholeFrame(low: number, near: number): number {
  return near + (((low - near) << 16) >> 16);
}

/**
 * Writes the inputs of `count` frames (six bits) from `into[at]` on, their count and form at `into[formAt]`, and returns
 * where they end. `inputs` holds `count + 1` inputs of `words` words: the one before the first frame, which the reader
 * has, then those of the frames. Only changes are sent: a bit a frame, and the bytes of each changed input.
 */
export function writeInputs(
  inputs: Int32Array,
  count: number,
  words: number,
  bits: number,
  into: Uint8Array,
  formAt: number,
  at: number,
): number {
  const size = inputBytes(bits);
  let end = at;
  /** A bit a frame, for 32 frames each. */
  let early = 0;
  let late = 0;
  for (let frame = 0, base = words; frame < count; frame++, base += words) {
    // Nearly all inputs have one word, for which no loop is begun.
    const value = inputs[base]!;
    if (value === inputs[base - words] && (words === 1 || !differs(inputs, base, words))) continue;
    if (frame < 32) early |= 1 << frame;
    else late |= 1 << frame;
    into[end] = value;
    if (size > 1) into[end + 1] = value >> 8;
    for (let byte = 2; byte < size; byte++) into[end + byte] = inputs[base + (byte >> 2)]! >> ((byte & 3) << 3);
    end += size;
  }
  const form = end === at ? SAME : end === at + count * size ? CHANGED : MAPPED;
  into[formAt] = count | (form << 6);
  if (form !== MAPPED) return end;
  const mapBytes = (count + 7) >> 3;
  into.copyWithin(at + mapBytes, at, end);
  for (let byte = 0; byte < mapBytes; byte++) into[at + byte] = (byte < 4 ? early : late) >> (byte << 3);
  return end + mapBytes;
}

/** Whether the input at `at` differs from the one before it. */
function differs(inputs: Int32Array, at: number, words: number): boolean {
  for (let word = at; word < at + words; word++) if (inputs[word] !== inputs[word - words]) return true;
  return false;
}

/**
 * Reads the inputs of `count` frames from `bytes[at]` on: `inputs` begins with the one before the first frame and
 * receives those after it. Returns where they end; -1, with `inputs` of no use, when they are not those of that many frames.
 */
export function readInputs(
  bytes: Uint8Array,
  at: number,
  form: number,
  count: number,
  inputs: Int32Array,
  words: number,
  bits: number,
): number {
  const size = inputBytes(bits);
  /** Of the last byte of an input. */
  const usedBits = bits & 7 || 8;
  let end = form === MAPPED ? at + ((count + 7) >> 3) : at;
  if (end > bytes.length || form > CHANGED) return -1;
  for (let frame = 0, base = words; frame < count; frame++, base += words) {
    if (form === SAME || (form === MAPPED && ((bytes[at + (frame >> 3)]! >> (frame & 7)) & 1) === 0)) {
      for (let word = base; word < base + words; word++) inputs[word] = inputs[word - words]!;
      continue;
    }
    const next = end + size;
    if (next > bytes.length) return -1;
    inputs[base] = bytes[end]! | (size > 1 ? bytes[end + 1]! << 8 : 0);
    for (let byte = 2; byte < size; byte++) {
      const word = base + (byte >> 2);
      const shift = (byte & 3) << 3;
      inputs[word] = (shift === 0 ? 0 : inputs[word]!) | (bytes[end + byte]! << shift);
    }
    // An input with a bit that its model does not use is no input of this game.
    if (bytes[next - 1]! >> usedBits !== 0) return -1;
    end = next;
  }
  return end;
}

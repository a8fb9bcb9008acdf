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
  let changes = 0;
  for (let frame = 0; frame < count; frame++) if (differs(inputs, frame * words, words)) changes++;
  const form = changes === 0 ? SAME : changes === count ? CHANGED : MAPPED;
  into[formAt] = count | (form << 6);
  const map = at;
  let end = at;
  if (form === MAPPED) {
    end += (count + 7) >> 3;
    into.fill(0, map, end);
  }
  const size = inputBytes(bits);
  for (let frame = 0; changes > 0 && frame < count; frame++) {
    if (form === MAPPED) {
      if (!differs(inputs, frame * words, words)) continue;
      into[map + (frame >> 3)] = into[map + (frame >> 3)]! | (1 << (frame & 7));
    }
    const base = (frame + 1) * words;
    for (let byte = 0; byte < size; byte++) into[end++] = inputs[base + (byte >> 2)]! >> ((byte & 3) << 3);
  }
  return end;
}

/** Whether the input at `at` differs from the one after it. */
function differs(inputs: Int32Array, at: number, words: number): boolean {
  for (let word = 0; word < words; word++) if (inputs[at + word] !== inputs[at + words + word]) return true;
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
  const map = at;
  let end = form === MAPPED ? map + ((count + 7) >> 3) : map;
  if (end > bytes.length || form > CHANGED) return -1;
  for (let frame = 0; frame < count; frame++) {
    const base = frame * words;
    if (form === SAME || (form === MAPPED && ((bytes[map + (frame >> 3)]! >> (frame & 7)) & 1) === 0)) {
      for (let word = 0; word < words; word++) inputs[base + words + word] = inputs[base + word]!;
      continue;
    }
    if (end + size > bytes.length) return -1;
    let word = base + words;
    for (let shift = 0, stop = end + size; end < stop; shift = (shift + 8) & 31) {
      inputs[word] = (shift === 0 ? 0 : inputs[word]!) | (bytes[end++]! << shift);
      if (shift === 24) word++;
    }
    for (let rest = base + words + ((size + 3) >> 2); rest < base + 2 * words; rest++) inputs[rest] = 0;
    if (hasUnusedBits(inputs, base + words, words, bits)) return -1;
  }
  return end;
}

/** An input with a bit that its model does not use is no input of this game. */
function hasUnusedBits(inputs: Int32Array, at: number, words: number, bits: number): boolean {
  for (let word = bits >> 5; word < words; word++) {
    if (inputs[at + word]! >>> Math.max(0, bits - word * 32) !== 0) return true;
  }
  return false;
}

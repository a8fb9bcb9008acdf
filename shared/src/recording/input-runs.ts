import { putVarint, zigzagOf } from './bytes.js';

/** Bytes that a run may take more than its numbers: four are written at once. */
export const RUN_SPARE_BYTES = 4;

/**
 * Writes the inputs of `size` words each that lie in `words` from `first` up to `end` as runs of equal ones, to byte `at`
 * on: how long each is, and how each word differs from the run before, from 0 at first. Returns where they end. `view` is
 * of the bytes of `into`, with room for `RUN_SPARE_BYTES` more.
 */
export function putRuns(
  into: Uint8Array,
  view: DataView,
  at: number,
  words: Int32Array,
  first: number,
  end: number,
  size: number,
): number {
  return size === 1
    ? putRunsOfOne(into, view, at, words, first, end)
    : putRunsOfMany(into, at, words, first, end, size);
}

/**
 * Nearly all inputs have one word, and who presses much changes it in nearly every frame by much: such a run and its change
 * take four bytes at most, which are put together without a branch that could be guessed wrong.
 */
function putRunsOfOne(
  into: Uint8Array,
  view: DataView,
  start: number,
  words: Int32Array,
  first: number,
  end: number,
): number {
  let at = start | 0;
  let before = 0;
  for (let next = first | 0; next < end; ) {
    const word = words[next]! | 0;
    let run = 1;
    next = (next + 1) | 0;
    while (next < end && words[next] === word) {
      next = (next + 1) | 0;
      run = (run + 1) | 0;
    }
    const change = zigzagOf((word - before) | 0) | 0;
    before = word;
    if (run < 0x80 && change >>> 21 === 0) {
      // All bits where the change has more than one byte, and more than two.
      const second = (0x7f - change) >> 31;
      const third = (0x3fff - change) >> 31;
      const low = (change & 0x7f) | ((change << 1) & 0x7f00) | ((change << 2) & 0x7f0000);
      view.setInt32(at, run | ((low | (second & 0x80) | (third & 0x8000)) << 8), true);
      at = (at + 2 - second - third) | 0;
    } else {
      at = putVarint(into, at, run);
      at = putVarint(into, at, change);
    }
  }
  return at;
}

function putRunsOfMany(
  into: Uint8Array,
  start: number,
  words: Int32Array,
  first: number,
  end: number,
  size: number,
): number {
  let at = start;
  for (let base = first; base < end; ) {
    let next = base + size;
    while (next < end && areSame(words, base, next, size)) next += size;
    at = putVarint(into, at, (next - base) / size);
    for (let word = base; word < base + size; word++) {
      const before = base === first ? 0 : words[word - size]!;
      at = putVarint(into, at, zigzagOf((words[word]! - before) | 0));
    }
    base = next;
  }
  return at;
}

/** Whether the `count` words from `a` on are those from `b` on. */
function areSame(words: Int32Array, a: number, b: number, count: number): boolean {
  for (let word = 0; word < count; word++) if (words[a + word] !== words[b + word]) return false;
  return true;
}

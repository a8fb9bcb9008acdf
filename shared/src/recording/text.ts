import type { InputModel } from '../input/model.js';

/** A hash or an input word as people compare it: eight hexadecimal digits. */
export function hashText(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** One input as its game reads it, or without a game as its `count` words in hexadecimal. */
export function inputText(
  model: Pick<InputModel<never>, 'describe'> | undefined,
  words: Int32Array,
  at: number,
  count: number,
): string {
  if (model !== undefined) return model.describe(words, at);
  return Array.from({ length: count }, (_, word) => hashText(words[at + word]!)).join(' ');
}

/**
 * Guesses a player's input: reads the words of the last confirmed input at `last[lastAt]`, `age` frames (1 or more)
 * before the guessed one, and writes the guess at `into[at]`. Pure: the same arguments give the same guess.
 */
export type Predictor = (
  last: Int32Array,
  lastAt: number,
  age: number,
  into: Int32Array,
  at: number,
  words: number,
) => void;

/** Copies the words of one input. */
export function copyWords(from: Int32Array, fromAt: number, into: Int32Array, at: number, words: number): void {
  for (let word = 0; word < words; word++) into[at + word] = from[fromAt + word]!;
}

/** What is held stays held: right for most frames of most games. */
export const repeatLast: Predictor = (last, lastAt, _age, into, at, words) => copyWords(last, lastAt, into, at, words);

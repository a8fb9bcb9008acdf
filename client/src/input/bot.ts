import { type InputModel, Random } from '@riposte/shared';
import type { InputSource } from '../match/match.js';

/** A bot keeps its buttons for this many frames, up to `HOLD_FRAMES_MIN + HOLD_FRAMES_SPREAD - 1`. */
const HOLD_FRAMES_MIN = 2;
const HOLD_FRAMES_SPREAD = 12;

/**
 * A player of any game that presses drawn buttons and changes them every few frames. Which ones depends on `seed`
 * (32-bit unsigned) and on how often it was asked, on nothing else. No DOM, so it plays in headless peers too.
 */
export function seededBot<I>(model: InputModel<I>, seed: number): InputSource<I> {
  const random = new Random(new Int32Array(2), 0);
  random.seed(seed);
  const words = new Int32Array(model.words);
  const input = model.create();
  let framesLeft = 0;
  return () => {
    if (framesLeft === 0) {
      framesLeft = HOLD_FRAMES_MIN + random.below(HOLD_FRAMES_SPREAD);
      for (let word = 0; word < words.length; word++) words[word] = random.next() & usedBits(model.bits, word);
      model.decode(words, 0, input);
    }
    framesLeft--;
    return input;
  };
}

/** The mask of the bits in use in one word of a model. */
function usedBits(bits: number, word: number): number {
  const used = bits - word * 32;
  return used >= 32 ? -1 : used <= 0 ? 0 : (1 << used) - 1;
}

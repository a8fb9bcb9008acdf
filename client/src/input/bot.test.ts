import { buttons, type InputModel } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from './bot.js';

/** What a bot presses in its first frames, as words. */
function presses<I>(model: InputModel<I>, seed: number, frames: number): number[] {
  const bot = seededBot(model, seed);
  const words = new Int32Array(model.words);
  return Array.from({ length: frames }, () => {
    model.encode(bot(), words, 0);
    return words[0]!;
  });
}

describe('a seeded bot', () => {
  it('presses the same for the same seed and something else for another', () => {
    expect(presses(duel.input, 3, 500)).toEqual(presses(duel.input, 3, 500));
    expect(presses(duel.input, 3, 500)).not.toEqual(presses(duel.input, 4, 500));
  });

  it('holds its buttons for a few frames and uses all of them, and no others', () => {
    for (const [words, bits] of [
      [presses(duel.input, 1, 3000), 6],
      [presses(race.input, 1, 3000), 1],
      [presses(buttons('a', 'b', 'c'), 1, 3000), 3],
    ] as const) {
      const changes = words.filter((word, frame) => frame > 0 && word !== words[frame - 1]).length;
      expect(changes).toBeGreaterThan(150);
      expect(changes).toBeLessThan(1500);
      expect(words.reduce((all, word) => all | word, 0)).toBe(2 ** bits - 1);
    }
  });

  it('can press all of 32 buttons', () => {
    const names = Array.from({ length: 32 }, (_, index) => `b${index}`);
    const words = presses(buttons(...names), 9, 3000);
    expect(words.reduce((all, word) => all | word, 0)).toBe(-1);
  });
});

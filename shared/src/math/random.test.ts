import { describe, expect, it } from 'vitest';
import { Random } from './random.js';

describe('Random', () => {
  it('gives the same draws for the same seed and stream, others for others', () => {
    const draws = (seed: number, stream: number) => {
      const random = new Random(new Int32Array(2), 0);
      random.seed(seed, stream);
      return Array.from({ length: 4 }, () => random.next()).join();
    };
    expect(draws(1, 0)).toBe(draws(1, 0));
    expect(new Set([draws(0, 0), draws(1, 0), draws(0, 1), draws(1, 1), draws(2 ** 32 - 1, 0)]).size).toBe(5);
  });

  it('has its whole memory in two words: putting them back rewinds it', () => {
    const words = new Int32Array(6);
    const random = new Random(words, 2);
    random.seed(9);
    const saved = words.slice();
    const first = [random.next(), random.below(6), random.unit()];
    words.set(saved);
    expect([random.next(), random.below(6), random.unit()]).toEqual(first);
    expect([words[0], words[1], words[4], words[5]]).toEqual([0, 0, 0, 0]);
  });

  it('spreads evenly', () => {
    const random = new Random(new Int32Array(2), 0);
    const counts = new Array(6).fill(0);
    for (let draw = 0; draw < 60_000; draw++) counts[random.below(6)]++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

import { describe, expect, it } from 'vitest';
import { LossCount } from './loss-count.js';

/** What is missing after packets of these numbers, of which each that is higher than all before it is news. */
function lostOf(...numbers: number[]): number {
  const count = new LossCount();
  let newest = -1;
  for (const number of numbers) {
    count.take(number & 0xff, number > newest);
    newest = Math.max(newest, number);
  }
  return count.lost;
}

describe('the count of lost packets', () => {
  it('is 0 where each comes, from whichever number on', () => {
    expect(lostOf(0, 1, 2, 3)).toBe(0);
    expect(lostOf(250, 251, 252, 253, 254, 255, 256, 257)).toBe(0);
  });

  it('has each that is left out', () => {
    expect(lostOf(7, 8, 10, 14)).toBe(4);
    expect(lostOf(254, 257)).toBe(2);
  });

  it('takes back one that comes late, once', () => {
    expect(lostOf(1, 3, 2)).toBe(0);
    expect(lostOf(1, 4, 2, 2, 2)).toBe(1);
    expect(lostOf(255, 258, 257)).toBe(1);
  });

  it('does not count one that comes twice, or that was sent before the first that came', () => {
    expect(lostOf(1, 1, 2, 2, 1)).toBe(0);
    expect(lostOf(5, 4, 3, 6)).toBe(0);
  });

  it('has those of a silence in which the numbers came round', () => {
    expect(lostOf(10, 210)).toBe(199);
    expect(lostOf(10, 60, 59, 20)).toBe(48);
  });
});

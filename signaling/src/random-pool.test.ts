import { describe, expect, it } from 'vitest';
import { createRandomPool } from './random-pool.js';

describe('a pool of random bytes', () => {
  it('gives as many as asked for, and each byte of what it was filled with at most once', () => {
    let fills = 0;
    const take = createRandomPool((pool) => {
      fills++;
      for (let index = 0; index < pool.length; index++) pool[index] = index % 251;
    });
    const first = Array.from({ length: 500 }, () => [...take(16)]);
    for (const [index, bytes] of first.entries()) {
      expect(bytes).toEqual(Array.from({ length: 16 }, (_, offset) => (index * 16 + offset) % 251));
    }
    expect(fills).toBe(1);
    expect([...take(1_000)].slice(0, 3)).toEqual([0, 1, 2]);
    expect(fills).toBe(2);
  });

  it('keeps nothing of what it gave', () => {
    let held: Uint8Array = new Uint8Array(0);
    const take = createRandomPool((pool) => {
      held = pool.fill(7);
    });
    take(100);
    expect([held.subarray(0, 100).every((byte) => byte === 0), held[100]]).toEqual([true, 7]);
  });

  it('is random by itself, and refuses more than it holds', () => {
    const take = createRandomPool();
    const seen = new Set(Array.from({ length: 2_000 }, () => take(16).join()));
    expect(seen.size).toBe(2_000);
    expect(() => take(8_193)).toThrow(RangeError);
  });
});

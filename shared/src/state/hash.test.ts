import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { chainHash, hashWords } from './hash.js';

describe('hashWords', () => {
  it('is xxHash32 with seed 0, as its reference implementation computes it', async () => {
    const { h32Raw } = await xxhash();
    expect(hashWords(new Int32Array(0), 0, 0)).toBe(0x02cc5d05);
    expect(hashWords(new Int32Array(Uint8Array.from([0x61, 0x62, 0x63, 0x64]).buffer), 0, 1)).toBe(0xa3643705);
    const words = fc.int32Array({ maxLength: 300 });
    fc.assert(
      fc.property(words, fc.nat(5), (all, start) => {
        const from = Math.min(start, all.length);
        const bytes = new Uint8Array(all.slice(from).buffer);
        expect(hashWords(all, from, all.length - from)).toBe(h32Raw(bytes, 0) >>> 0);
      }),
    );
  });

  it('tells one changed bit anywhere', () => {
    const words = new Int32Array(37);
    const seen = new Set([hashWords(words, 0, 37)]);
    for (let word = 0; word < 37; word++) {
      for (const bit of [0, 7, 31]) {
        words[word] = 1 << bit;
        seen.add(hashWords(words, 0, 37));
        words[word] = 0;
      }
    }
    expect(seen.size).toBe(1 + 37 * 3);
  });
});

describe('chainHash', () => {
  it('depends on every hash and on their order', () => {
    const chainOf = (...hashes: number[]) => hashes.reduce(chainHash, 0);
    const chains = [chainOf(), chainOf(1), chainOf(0), chainOf(1, 2), chainOf(2, 1), chainOf(0, 0), chainOf(1, 2, 3)];
    expect(new Set(chains).size).toBe(chains.length);
    for (const chain of chains) expect(chain).toBe(chain >>> 0);
  });
});

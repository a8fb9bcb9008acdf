import { describe, expect, it } from 'vitest';
import { DesyncChecker } from './checker.js';
import type { PeerComparison } from './peer-comparison.js';

function checkerOf(...hashes: number[]): { checker: DesyncChecker; peer: PeerComparison } {
  const checker = new DesyncChecker(64);
  const peer = checker.against();
  for (const hash of hashes) checker.record(hash);
  return { checker, peer };
}

describe('DesyncChecker', () => {
  it('takes one equal chain as the answer for every frame up to it', () => {
    const { peer } = checkerOf(1, 2, 3, 4);
    const other = checkerOf(1, 2, 3, 4).checker;
    peer.compare({ confirmed: 2, chain: other.chainOf(2)! });
    expect(peer.comparedThrough).toBe(2);
    peer.compare({ confirmed: 1, chain: 0xbad });
    expect([peer.comparedThrough, peer.partedBy]).toEqual([2, undefined]);
  });

  it('keeps a chain of a frame that is not confirmed here yet until it is', () => {
    const { checker, peer } = checkerOf(1, 2);
    const other = checkerOf(1, 2, 3, 4).checker;
    peer.compare({ confirmed: 3, chain: other.chainOf(3)! });
    peer.compare({ confirmed: 2, chain: other.chainOf(2)! });
    expect(peer.comparedThrough).toBe(-1);
    checker.record(3);
    checker.record(4);
    expect(peer.comparedThrough).toBe(3);
  });

  it('has a hash of the frames that were recorded, and of nothing else', () => {
    const { checker } = checkerOf(7, 8, 9);
    expect([0, 1, 2].map((frame) => checker.hashOf(frame))).toEqual([7, 8, 9]);
    for (const other of [-1, 3, 0.5, Number.NaN]) expect(checker.hashOf(other)).toBeUndefined();
  });

  it('notices a difference at any later frame, and names its first frame from the hashes', () => {
    const { checker, peer } = checkerOf(1, 2, 3, 4, 5);
    peer.compare({ confirmed: 4, chain: checkerOf(1, 2, 9, 4, 5).checker.chainOf(4)! });
    expect(peer.partedBy).toBe(4);
    expect(checker.firstDifference(1, [2, 9, 4, 5])).toBe(2);
    expect(checker.firstDifference(3, [4, 5])).toBeUndefined();
  });

  it('compares with each peer by itself', () => {
    const { checker, peer } = checkerOf(1, 2, 3);
    const third = checker.against();
    checker.record(4);
    peer.compare({ confirmed: 3, chain: checkerOf(1, 2, 3, 4).checker.chainOf(3)! });
    third.compare({ confirmed: 3, chain: checkerOf(1, 2, 3, 5).checker.chainOf(3)! });
    expect([peer.comparedThrough, peer.partedBy]).toEqual([3, undefined]);
    expect([third.comparedThrough, third.partedBy]).toEqual([2, 3]);
  });

  it('forgets what leaves its ring, and says so', () => {
    const checker = new DesyncChecker(4);
    const peer = checker.against();
    for (let frame = 0; frame < 10; frame++) checker.record(frame);
    expect(checker.hashOf(5)).toBeUndefined();
    expect(checker.hashOf(6)).toBe(6);
    expect(checker.hashOf(10)).toBeUndefined();
    peer.compare({ confirmed: 2, chain: 1 });
    expect([peer.comparedThrough, peer.partedBy]).toEqual([-1, undefined]);
  });
});

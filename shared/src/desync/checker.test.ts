import { describe, expect, it } from 'vitest';
import { DesyncChecker } from './checker.js';

function checkerOf(...hashes: number[]): DesyncChecker {
  const checker = new DesyncChecker(64);
  for (const hash of hashes) checker.record(hash);
  return checker;
}

describe('DesyncChecker', () => {
  it('takes one equal chain as the answer for every frame up to it', () => {
    const [one, two] = [checkerOf(1, 2, 3, 4), checkerOf(1, 2, 3, 4)];
    one.compare(2, two.chainOf(2)!);
    expect(one.comparedThrough).toBe(2);
    one.compare(1, 0xbad);
    expect([one.comparedThrough, one.partedBy]).toEqual([2, undefined]);
  });

  it('keeps a chain of a frame that is not confirmed here yet until it is', () => {
    const [one, two] = [checkerOf(1, 2), checkerOf(1, 2, 3, 4)];
    one.compare(3, two.chainOf(3)!);
    one.compare(2, two.chainOf(2)!);
    expect(one.comparedThrough).toBe(-1);
    one.record(3);
    one.record(4);
    expect(one.comparedThrough).toBe(3);
  });

  it('notices a difference at any later frame, and names its first frame from the hashes', () => {
    const [one, two] = [checkerOf(1, 2, 3, 4, 5), checkerOf(1, 2, 9, 4, 5)];
    one.compare(4, two.chainOf(4)!);
    expect(one.partedBy).toBe(4);
    expect(one.firstDifference(1, [2, 9, 4, 5])).toBe(2);
    expect(one.firstDifference(3, [4, 5])).toBeUndefined();
  });

  it('forgets what leaves its ring, and says so', () => {
    const checker = new DesyncChecker(4);
    for (let frame = 0; frame < 10; frame++) checker.record(frame);
    expect(checker.hashOf(5)).toBeUndefined();
    expect(checker.hashOf(6)).toBe(6);
    expect(checker.hashOf(10)).toBeUndefined();
    checker.compare(2, 1);
    expect([checker.comparedThrough, checker.partedBy]).toEqual([-1, undefined]);
  });
});

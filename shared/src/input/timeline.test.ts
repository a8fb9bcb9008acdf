import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputTimeline } from './timeline.js';

const word = (value: number) => Int32Array.of(value);

function used(timeline: InputTimeline, frame: number): number {
  return timeline.values[timeline.use(frame)]!;
}

describe('InputTimeline', () => {
  it('predicts the last confirmed input before a frame, never an old guess', () => {
    const timeline = new InputTimeline(16, [0]);
    expect(used(timeline, 0)).toBe(0);
    timeline.put(0, word(3), 0);
    expect([used(timeline, 1), used(timeline, 2)]).toEqual([3, 3]);
    timeline.put(2, word(5), 0);
    expect([used(timeline, 1), used(timeline, 2), used(timeline, 3)]).toEqual([3, 5, 5]);
    expect([timeline.confirmedThrough, timeline.newest]).toEqual([0, 2]);
    timeline.put(1, word(4), 0);
    expect(timeline.confirmedThrough).toBe(2);
  });

  it('says whether a real input contradicts what its frame was simulated with', () => {
    const timeline = new InputTimeline(16, [0]);
    used(timeline, 0);
    used(timeline, 1);
    expect(timeline.put(0, word(0), 0)).toBe(false);
    expect(timeline.put(0, word(0), 0)).toBe(false);
    expect(timeline.put(1, word(1), 0)).toBe(true);
    expect(timeline.put(2, word(9), 0)).toBe(false);
    expect(() => timeline.put(2, word(8), 0)).toThrow('a second, different input for frame 2');
  });

  it('starts from the neutral input that the game names', () => {
    expect(used(new InputTimeline(16, [77]), 0)).toBe(77);
  });

  it('no longer knows an input whose slot a guess has taken', () => {
    const timeline = new InputTimeline(4, [0]);
    for (let frame = 0; frame < 4; frame++) timeline.put(frame, word(frame + 1), 0);
    expect(used(timeline, 4)).toBe(4);
    const into = word(0);
    expect([timeline.isConfirmed(0), timeline.read(0, into, 0)]).toEqual([false, false]);
    expect(timeline.read(1, into, 0)).toBe(true);
    expect(into[0]).toBe(2);
  });

  it('is bounded: refuses what lies outside its ring, and works for a week of frames', () => {
    const timeline = new InputTimeline(16, [0]);
    expect(() => timeline.put(16, word(1), 0)).toThrow('expected one for frames 0 to 15');
    const week = 7 * 24 * 3600 * 60;
    timeline.settleBefore(week);
    for (let frame = week; frame < week + 100; frame++) {
      timeline.put(frame, word(frame & 7), 0);
      expect(used(timeline, frame)).toBe(frame & 7);
    }
    expect(() => timeline.put(5, word(1), 0)).toThrow('input for frame 5');
    const into = word(0);
    expect(timeline.read(week + 50, into, 0)).toBe(false);
    expect(timeline.read(week + 99, into, 0)).toBe(true);
  });

  it('reads runs of frames over the end of its ring, those before the first and those of an absence as neutral', () => {
    const timeline = new InputTimeline(8, [7, 9]);
    for (let frame = 0; frame < 6; frame++) timeline.put(frame, Int32Array.of(frame, 10 + frame), 0);
    const into = new Int32Array(8);
    expect(timeline.read(-2, into, 0, 4)).toBe(true);
    expect([...into]).toEqual([7, 9, 7, 9, 0, 10, 1, 11]);
    timeline.leave(6);
    timeline.admit(8);
    for (let frame = 8; frame < 11; frame++) timeline.put(frame, Int32Array.of(frame, 10 + frame), 0);
    expect(timeline.read(5, into, 0, 4)).toBe(true);
    expect([...into]).toEqual([5, 15, 7, 9, 7, 9, 8, 18]);
    expect([timeline.read(8, into, 0, 4), timeline.read(2, into, 0, 4)]).toEqual([false, false]);
  });

  it('checks a run of frames up to the first that it does not know, and names the one that differs', () => {
    const timeline = new InputTimeline(8, [0, 0]);
    for (let frame = 0; frame < 11; frame++) {
      timeline.put(frame, Int32Array.of(frame, 1), 0);
      used(timeline, frame);
    }
    const run = Int32Array.of(5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1, 11, 1);
    expect(timeline.check(5, run, 0, 7)).toBe(11);
    run[7] = 2;
    expect(() => timeline.check(5, run, 0, 7)).toThrow('a second, different input for frame 8');
    expect(timeline.check(5, run, 0, 3)).toBe(8);
  });

  it('reads as many frames at once as one by one, whatever came, was guessed, left out or settled elsewhere', () => {
    const deed = fc.constantFrom('put', 'put', 'put', 'use', 'use', 'leave', 'admit', 'settle', 'overrule');
    const deeds = fc.array(fc.tuple(deed, fc.integer({ min: -12, max: 12 }), fc.boolean()), { maxLength: 80 });
    const NEUTRAL = 9;
    let wholes = 0;
    let parts = 0;
    fc.assert(
      fc.property(deeds, (all) => {
        const timeline = new InputTimeline(8, [NEUTRAL]);
        const one = (frame: number) => {
          if (timeline.isConfirmed(frame)) return timeline.values[frame & 7];
          return frame < 0 || timeline.isGone(frame) ? NEUTRAL : undefined;
        };
        for (const [what, ahead, isKnown] of all) {
          // Most inputs come in order.
          const frame = Math.max(0, timeline.heldThrough + (what === 'put' && isKnown ? 1 : ahead));
          const input = word((frame * 7) & 31);
          try {
            if (what === 'put') timeline.put(frame, input, 0);
            else if (what === 'overrule') timeline.put(frame, input, 0, true);
            else if (what === 'use') timeline.use(frame);
            else if (what === 'leave') timeline.leave(timeline.newest + 1);
            else if (what === 'admit') timeline.admit(frame);
            else timeline.settleBefore(frame, isKnown ? input : undefined);
          } catch {
            // Refused: nothing has changed.
          }
          for (let first = timeline.heldThrough - 9; first < timeline.heldThrough + 3; first++) {
            for (const count of [1, 4, 9]) {
              const expected = Array.from({ length: count }, (_, at) => one(first + at));
              const into = new Int32Array(count);
              const isWhole = timeline.read(first, into, 0, count);
              expect(isWhole).toBe(!expected.includes(undefined));
              if (isWhole) expect([...into]).toEqual(expected);
              if (isWhole) wholes++;
              else parts++;
            }
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(Math.min(wholes, parts)).toBeGreaterThan(1000);
  });
});

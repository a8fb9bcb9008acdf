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
    expect(timeline.put(0, word(0), 0)).toBe('new');
    expect(timeline.put(0, word(0), 0)).toBe('duplicate');
    expect(timeline.put(1, word(1), 0)).toBe('contradicts-prediction');
    expect(timeline.put(2, word(9), 0)).toBe('new');
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
});

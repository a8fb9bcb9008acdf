import { readRecording } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../testing/recorded.js';
import { eventColumns, paceOf } from './pace.js';

const recording = readRecording(
  recorded(race, {
    frames: 600,
    events: (log, frame) => {
      if (frame === 100) log.rollback(100, 1, 96);
      if (frame === 110) log.rollback(110, 1, 109);
      if (frame >= 300 && frame < 320) log.stall(299);
      if (frame === 400) log.link(400, 1, false);
      if (frame % 60 === 59) log.sample(frame, 1, frame, 1, 0);
    },
  }),
);

describe('the pace of a match', () => {
  it('has a point a second: the longest round trip, the deepest rollback, the stalled ticks', () => {
    const { seconds, rttMs, depth, stalls } = paceOf(recording, { from: 0, to: 600 });
    expect([...seconds]).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]);
    expect(rttMs).toEqual([59, 119, 179, 239, 299, 359, 419, 479, 539, 599]);
    expect([...depth]).toEqual([0, 5, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect([...stalls]).toEqual([0, 0, 0, 0, 20, 0, 0, 0, 0, 0]);
  });

  it('has no round trip where none was measured', () => {
    expect(paceOf(readRecording(recorded(race, { frames: 120 })), { from: 0, to: 120 }).rttMs).toEqual([null, null]);
  });

  it('falls into the columns of the part that is looked at', () => {
    const { depth, stalls, changes } = eventColumns(recording.events, { from: 90, to: 110 }, 10);
    expect([...depth]).toEqual([0, 0, 0, 0, 0, 5, 0, 0, 0, 0]);
    expect([...stalls, ...changes].every((count) => count === 0)).toBe(true);
    expect(eventColumns(recording.events, { from: 0, to: 600 }, 3).changes).toEqual(Uint8Array.of(0, 0, 1));
  });
});

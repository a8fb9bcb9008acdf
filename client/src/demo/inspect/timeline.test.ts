import { defineGame, readRecording } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../testing/recorded.js';
import { activityOf, HashColumn, hashColumns, pressColumns, pressRows } from './timeline-columns.js';
import { moved, showing, wholeOf, zoomed } from './timeline-window.js';

const FRAMES = 700;
const recording = readRecording(recorded(race, { frames: FRAMES }));
const [track] = recording.inputs;
if (track === undefined) throw new Error('a race has players');
const rows = pressRows(1, 1);
const { neutral } = race.input;

/** Frame by frame, as the columns should sum it up. */
const pressedAt = Array.from({ length: FRAMES }, (_, frame) => {
  const words = new Int32Array(1);
  track.read(frame, words, 0);
  return (words[0]! & 1) as number;
});

describe('the columns of a timeline', () => {
  it('are the frames themselves where each frame has a column', () => {
    const { share } = pressColumns(track, rows, neutral, { from: 0, to: FRAMES }, FRAMES);
    expect([...share]).toEqual(pressedAt);
  });

  it('lose no press, however many frames share one', () => {
    fc.assert(
      fc.property(
        fc.nat(FRAMES - 1),
        fc.integer({ min: 1, max: FRAMES }),
        fc.integer({ min: 1, max: 400 }),
        (from, length, columns) => {
          const to = Math.min(FRAMES, from + length);
          const { share, changes } = pressColumns(track, rows, neutral, { from, to }, columns);
          const isPressed = pressedAt.slice(from, to).includes(1);
          expect(share.some((part) => part > 0)).toBe(isPressed);
          for (const part of share) expect(part <= 1.000001).toBe(true);
          if (columns > to - from) return;
          const changed = pressedAt.filter(
            (press, at) => at >= from && at < to && at > 0 && press !== pressedAt[at - 1],
          );
          expect(changes.reduce((sum, count) => sum + count, 0)).toBe(changed.length);
        },
      ),
    );
  });

  it('say where nothing is held', () => {
    const { share } = pressColumns(track, rows, neutral, { from: FRAMES - 10, to: FRAMES + 10 }, 2);
    expect(share[0]).toBeGreaterThanOrEqual(0);
    expect(share[1]).toBe(-1);
  });

  it('give each button a row, and an input of many bits one', () => {
    expect(pressRows(1, 3)).toEqual([{ masks: [1] }, { masks: [2] }, { masks: [4] }]);
    expect(pressRows(2, 40)).toEqual([{ masks: [-1, -1] }]);
  });

  it('show a single differing hash among an hour of equal ones', () => {
    const faulty = readRecording(
      recorded(race, {
        frames: FRAMES,
        fault: (frame, state) => {
          if (frame === FRAMES - 1) state.cars[0]!.x += 1;
        },
      }),
    );
    const kinds = hashColumns(recording, faulty, { from: 0, to: FRAMES + 100 }, 8);
    expect([...kinds]).toEqual([...Array(6).fill(HashColumn.equal), HashColumn.differs, HashColumn.none]);
    expect([...hashColumns(recording, undefined, { from: 0, to: FRAMES }, 2)]).toEqual([
      HashColumn.one,
      HashColumn.one,
    ]);
  });

  it('plot a bounded number of points, also of a recording of no frames', () => {
    const { seconds, players } = activityOf(recording);
    expect(seconds).toHaveLength(11);
    expect(players.map(({ length }) => length)).toEqual([11, 11]);
    const empty = readRecording(recorded(defineGame({ ...race }), { frames: 0 }));
    expect(activityOf(empty).players[0]).toEqual(Float64Array.of(0));
  });
});

describe('the window of a timeline', () => {
  const whole = wholeOf(100, 10_100);

  it('keeps the frame under the pointer in its place', () => {
    const near = zoomed(whole, 0.1, 5100, whole);
    expect(near).toEqual({ from: 4600, to: 5600 });
  });

  it('stays inside the match, whatever is done to it', () => {
    const frames = fc.integer({ min: -50_000, max: 50_000 });
    const step = fc.oneof(
      fc.tuple(fc.constant('zoom' as const), fc.double({ min: 0.01, max: 100, noNaN: true }), frames),
      fc.tuple(fc.constant('move' as const), fc.constant(1), frames),
      fc.tuple(fc.constant('show' as const), fc.constant(1), fc.integer({ min: 100, max: 10_100 })),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let window = whole;
        for (const [what, factor, frame] of steps) {
          if (what === 'zoom') window = zoomed(window, factor, frame, whole);
          else if (what === 'move') window = moved(window, frame, whole);
          else {
            window = showing(window, frame, whole);
            expect(window.from - 1e-6 <= frame && frame <= window.to + 1e-6).toBe(true);
          }
          expect(window.from).toBeGreaterThanOrEqual(whole.from - 1e-6);
          expect(window.to).toBeLessThanOrEqual(whole.to + 1e-6);
          expect(window.to - window.from).toBeGreaterThan(29.9);
        }
      }),
    );
  });
});

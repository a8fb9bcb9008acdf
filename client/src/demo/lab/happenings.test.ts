import { describe, expect, it } from 'vitest';
import { FrameTrace, type RollbackCause } from './frame-trace.js';
import { newestOf, secondOf } from './happenings.js';

/** A side whose frame 100 was simulated at 2 s, of which the newest four are guesses. */
function side(): { readonly title: string; readonly trace: FrameTrace } {
  const trace = new FrameTrace();
  trace.reach(2000, 100, 96);
  return { title: 'Ada', trace };
}

const cause: RollbackCause = { who: 'Bo', isOwn: false, pressed: 'left+punch' };

describe('what happened, in words', () => {
  it('names who pressed what, and how far back it led', () => {
    const one = side();
    one.trace.rollBack(2000, 3, 100, cause);
    expect(newestOf(one, 2100)).toBe(
      'Ada’s machine went back 3 frames: in frame 98 Bo pressed left + punch, unlike guessed.',
    );
    one.trace.rollBack(2050, 1, 100, { ...cause, pressed: '-' });
    expect(newestOf(one, 2100)).toMatch(/went back 1 frame: in frame 100 Bo pressed nothing, unlike guessed/);
  });

  it('says it where the own press came too late', () => {
    const one = side();
    one.trace.rollBack(2000, 5, 100, { ...cause, isOwn: true });
    expect(newestOf(one, 2100)).toMatch(
      /went back 5 frames: its own press for frame 96 came to the authority too late/,
    );
  });

  it('is a wait where that came later, and nothing after a second', () => {
    const one = side();
    one.trace.rollBack(2000, 3, 100, cause);
    one.trace.stall(2016);
    expect(newestOf(one, 2100)).toBe('Ada’s machine waits: its newest 4 frames are guesses, and no more may be.');
    one.trace.reach(2110, 100, 98);
    expect(newestOf(one, 2110)).toBe(
      'Ada’s machine had to wait: its newest 4 frames were guesses, and no more might be.',
    );
    expect(newestOf(one, 3016)).toMatch(/^Ada’s machine had no wrong guess for a second/);
  });

  it('is counted over the last second, where it goes by too fast', () => {
    const one = side();
    expect(secondOf(one, 2100)).toBe('Ada’s machine: no wrong guess in the last second.');
    one.trace.rollBack(900, 20, 100, cause);
    one.trace.rollBack(2000, 3, 100, cause);
    expect(secondOf(one, 2100)).toBe('Ada’s machine: 1 wrong guess in the last second, 3 frames back at most.');
    one.trace.rollBack(2010, 2, 100, cause);
    one.trace.stall(2016);
    one.trace.stall(2033);
    expect(secondOf(one, 2100)).toBe(
      'Ada’s machine: 2 wrong guesses in the last second, 3 frames back at most; 2 times it had to wait.',
    );
  });
});

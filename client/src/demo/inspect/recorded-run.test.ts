import { readRecording } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../testing/recorded.js';
import { RecordedRun } from './recorded-run.js';

const inTime = () => false;
const FAULT = 700;
const clean = readRecording(recorded(duel, { frames: 1500 }));

function atFrame(run: RecordedRun<unknown, unknown>, frame: number): unknown {
  expect(run.seek(frame, inTime)).toBe(true);
  return JSON.parse(JSON.stringify(run.state));
}

describe('a recorded run', () => {
  it('gives the same state of a frame whichever way one comes to it', () => {
    const run = new RecordedRun(duel, clean);
    const forward = [0, 1, 599, 600, 601, 1500].map((frame) => atFrame(run, frame));
    const back = [1500, 601, 600, 599, 1, 0].map((frame) => atFrame(run, frame));
    expect(back.reverse()).toEqual(forward);
    expect(run.isRecorded).toBe(true);
  });

  it('stops when it is late, and goes on from there', () => {
    const run = new RecordedRun(duel, clean);
    let looks = 0;
    while (!run.seek(599, () => true)) looks++;
    expect(looks).toBeGreaterThan(10);
    expect(run.frame).toBe(599);
  });

  it('runs at most from one recorded state to the next', () => {
    const run = new RecordedRun(duel, clean);
    let looks = 0;
    run.seek(1499, () => {
      looks++;
      return false;
    });
    expect(looks).toBeLessThan(600 / 4 + 1);
  });

  it('steps back without running everything since the last recorded state again', () => {
    const run = new RecordedRun(duel, clean);
    run.seek(599, inTime);
    let looks = 0;
    run.seek(598, () => {
      looks++;
      return false;
    });
    expect(looks).toBeLessThan(60 / 4 + 1);
  });

  it('forgets the oldest of many states, and still comes to every frame', () => {
    const long = readRecording(recorded(race, { frames: 40_000 }));
    const run = new RecordedRun(race, long);
    const early = new RecordedRun(race, long);
    run.seek(40_000, inTime);
    for (const frame of [39_999, 12_345, 20, 0]) {
      run.seek(frame, inTime);
      early.seek(frame, inTime);
      expect(race.state.diff(run.state, early.state)).toEqual([]);
    }
  });

  it('shows the state that a faulty peer had, from the frame of the fault on', () => {
    const faulty = readRecording(
      recorded(duel, {
        frames: 1500,
        fault: (frame, state) => {
          if (frame === FAULT) state.fighters[0]!.health -= 3;
        },
      }),
    );
    const run = new RecordedRun(duel, faulty);
    const sound = new RecordedRun(duel, clean);
    const differences = (frame: number) => {
      run.seek(frame, inTime);
      sound.seek(frame, inTime);
      return duel.state.diff(run.state, sound.state).map(({ path }) => path);
    };
    expect(differences(FAULT)).toEqual([]);
    expect(differences(FAULT + 1)).toEqual(['fighters[0].health']);
    expect(differences(FAULT + 20)).toContain('fighters[0].health');
    expect(differences(FAULT)).toEqual([]);
    run.seek(FAULT + 20, inTime);
    expect(run.isRecorded).toBe(true);
  });

  it('says where the recorded state is not known, until one is met', () => {
    const faulty = readRecording(
      recorded(duel, {
        frames: 1500,
        fault: (frame, state) => {
          // Two fields: no single byte makes the recorded hash.
          if (frame !== FAULT) return;
          state.fighters[0]!.health -= 3;
          state.fighters[1]!.x += 500;
        },
      }),
    );
    const run = new RecordedRun(duel, faulty);
    const known = [FAULT, FAULT + 1, 1199, 1200, 1201].map((frame) => {
      run.seek(frame, inTime);
      return run.isRecorded;
    });
    expect(known).toEqual([true, false, false, true, true]);
  });

  it('ends where the game throws, and says why', () => {
    const game: typeof duel = {
      ...duel,
      step(state, inputs, ctx) {
        if (ctx.frame === 650) throw new Error('out of swords');
        duel.step(state, inputs, ctx);
      },
    };
    const run = new RecordedRun(game, clean);
    expect(run.seek(1000, inTime)).toBe(true);
    expect(run.frame).toBe(650);
    expect(run.problem).toContain('out of swords');
    run.seek(610, inTime);
    expect(run.problem).toBeNull();
  });
});

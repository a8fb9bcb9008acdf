import { RollbackSim, readRecording } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { matchRecording } from '../recorder/match-recording.js';
import { INPUT_DELAY_MAX } from './delays.js';
import { RollbackDriver } from './rollback-driver.js';

const FRAMES = 1500;

describe('the recording of a match', () => {
  it.each([4, 8, 12, 24, 32, 64, 100])(
    'has every frame with a window of %i, however far ahead the inputs of others come',
    (window) => {
      const scenes = [1, 60, 110, 128].flatMap((ahead) =>
        [0, INPUT_DELAY_MAX].map((inputDelay) => ({ ahead, inputDelay })),
      );
      for (const { ahead, inputDelay } of scenes) {
        const sim = new RollbackSim(race, { seed: 1, maxPrediction: window });
        const match = { seed: 1, settings: {}, names: ['Ada', 'Bo'], inputDelays: [inputDelay, 0], frames: Infinity };
        const recording = matchRecording(race, 0, match, undefined, 'test');
        const driver = new RollbackDriver(sim, { me: 0, inputDelay, recording });
        for (let tick = 0, isStalled = true; sim.lastFrame() < FRAMES - 1; tick++) {
          // They come in lots, each when the window is used up.
          const last = isStalled ? sim.lastFrame() + 1 + ahead : -1;
          for (let frame = sim.heldThrough(1) + 1; frame <= Math.min(last, driver.takenThrough); frame++) {
            sim.putInput(1, frame, Int32Array.of((frame >> 1) & 1), 0);
          }
          isStalled = !driver.tick(Int32Array.of(tick & 1));
        }
        const confirmed = driver.checker.newest + 1;
        recording.end('finished');
        const { frames, inputs } = readRecording(recording.bytes());
        expect(frames).toBe(confirmed);
        expect(confirmed).toBeGreaterThan(FRAMES - window - 2);
        const word = new Int32Array(1);
        for (let frame = 0; frame < frames; frame++) {
          inputs[1]!.read(frame, word, 0);
          expect(word[0]).toBe((frame >> 1) & 1);
        }
      }
    },
  );
});

describe('the last frames of a match', () => {
  it('are played by one who had run them before it was let in again', () => {
    const frames = 10;
    const sim = new RollbackSim(race, { seed: 1 });
    sim.disconnect(0, 0);
    const driver = new RollbackDriver(sim, { me: 0, inputDelay: 2, frames });
    for (let frame = 0; frame < frames; frame++) sim.applyRemote(1, frame, { right: true });
    for (let tick = 0; tick < 5; tick++) driver.tick(Int32Array.of(1));
    sim.admit(0, 8);
    for (let tick = 0; tick < 10; tick++) driver.tick(Int32Array.of(1));
    expect(sim.lastFrame()).toBe(frames - 1);
    expect(driver.isComplete).toBe(false);
    driver.local.isOutside = false;
    driver.tick(Int32Array.of(1));
    expect(sim.heldThrough(0)).toBe(frames - 1);
    expect(driver.isComplete).toBe(true);
    expect([sim.state.cars[0]!.x, sim.state.cars[1]!.x > 0]).toEqual([0, true]);
  });
});

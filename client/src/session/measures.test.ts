import { i16, struct } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { Meter } from './measures.js';
import { Samples } from './samples.js';

const model = struct({ x: i16, y: i16 });

/** A meter whose clock goes on by a millisecond with each look. */
function metered(): Meter<ReturnType<typeof model.create>> {
  let clockMs = 0;
  return new Meter(model, 60, () => clockMs++, true);
}

function stateAt(x: number, y: number): ReturnType<typeof model.create> {
  const state = model.create();
  state.x = x;
  state.y = y;
  return state;
}

describe('samples', () => {
  it('forget what is older than a minute, and never how many there were', () => {
    const samples = new Samples();
    samples.add(0, 90);
    samples.add(50_000, 10);
    samples.add(50_000, 20);
    expect(samples.spread(50_000)).toEqual({ count: 3, p50: 20, p95: 90, max: 90 });
    expect(samples.spread(60_001)).toEqual({ count: 3, p50: 10, p95: 20, max: 20 });
    expect(samples.spread(120_000)).toEqual({ count: 3, p50: null, p95: null, max: null });
    expect(samples).toMatchObject({ count: 3, total: 120, newest: 20 });
  });

  it('keep the newest where there are more than they hold', () => {
    const samples = new Samples(4);
    for (let value = 0; value < 10; value++) samples.add(0, value);
    expect(samples.spread(0)).toEqual({ count: 10, p50: 7, p95: 9, max: 9 });
  });
});

describe('a meter', () => {
  it('tells how deep, how dear and how wrong a rollback was', () => {
    const meter = metered();
    meter.begin(5, stateAt(3, 4));
    meter.end(stateAt(0, 0));
    expect(meter.read(0, 8)).toMatchObject({
      rollbackFrames: { count: 1, p50: 5 },
      resimulationMs: { count: 1, p50: 1 },
      corrections: { count: 1, p50: 5 },
      window: 8,
    });
  });

  it('counts a return that only saves frames as no rollback', () => {
    const meter = metered();
    meter.begin(0, stateAt(1, 1));
    meter.end(stateAt(1, 1));
    expect(meter.read(0, 8)).toMatchObject({ rollbackFrames: { count: 0 }, resimulationMs: { count: 1 } });
  });

  it('looks at the size of a correction only now and then', () => {
    const meter = metered();
    for (let nowMs = 0; nowMs < 10_000; nowMs += 10) {
      meter.tick(nowMs, 'advanced', 0, undefined);
      meter.begin(1, stateAt(1, 0));
      meter.end(stateAt(0, 0));
    }
    // A look takes a millisecond of this clock: at most one in a second.
    expect(meter.rollbackFrames.count).toBe(1000);
    expect(meter.corrections.count).toBe(10);
  });

  it('tells how long stalls were, and what pace was left', () => {
    const meter = metered();
    for (let tick = 0; tick <= 240; tick++) {
      meter.tick((tick * 1000) / 60, tick % 60 >= 50 ? 'stalled' : 'advanced', 8, { newestMs: 40 });
    }
    const { stallTicks, pace, predictedFrames, rttMs } = meter.read(4000, 8);
    expect(stallTicks).toEqual({ count: 4, p50: 10, p95: 10, max: 10 });
    expect(pace.count).toBe(4);
    expect(pace.p50).toBeCloseTo(50 / 60, 1);
    expect(predictedFrames).toMatchObject({ p50: 8, max: 8 });
    expect(rttMs).toMatchObject({ p50: 40, max: 40 });
  });

  it('gives the same object to all who read it within a quarter of a second', () => {
    const meter = metered();
    const first = meter.read(1000, 8);
    meter.took(1100, 3);
    expect(meter.read(1200, 8)).toBe(first);
    expect(meter.read(1250, 8).inputAges).toMatchObject({ count: 1, p50: 3 });
  });
});

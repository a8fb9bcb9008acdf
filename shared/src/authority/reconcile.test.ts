import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { predictionWindow } from './prediction-window.js';
import { reconcile } from './reconcile.js';

const sum = (state: number, input: number) => state + input;

describe('reconcile', () => {
  it('gives the founding values', () => {
    const moves = [101, 102, 103].map((sequence) => ({ sequence, input: 0.2 }));
    const result = reconcile(sum, 5, 101, moves);
    expect(result).toMatchObject({ ackSequence: 101, replayed: 2, dropped: 1 });
    expect(result.state).toBeCloseTo(5.4);
  });

  it('replays in the order of the sequence, whatever order the inputs are in', () => {
    const inputs = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(inputs, fc.integer({ min: 0, max: 41 }), (sequences, ack) => {
        const pending = sequences.map((sequence) => ({ sequence, input: sequence }));
        const result = reconcile((state: string, input: number) => `${state},${input}`, '', ack, pending);
        const after = sequences.filter((sequence) => sequence > ack).sort((a, b) => a - b);
        expect(result).toEqual({
          state: after.map((sequence) => `,${sequence}`).join(''),
          ackSequence: ack,
          replayed: after.length,
          dropped: sequences.length - after.length,
        });
        expect(pending.map(({ sequence }) => sequence)).toEqual(sequences);
      }),
      { numRuns: 200 },
    );
  });

  it('changes neither the state nor the inputs it is given', () => {
    const state = { at: { x: 1 } };
    const pending = [{ sequence: 2, input: { dx: 3 } }];
    const result = reconcile<typeof state, { dx: number }>(
      (live, input) => {
        live.at.x += input.dx;
        input.dx = 0;
      },
      state,
      1,
      pending,
    );
    expect(result.state).toEqual({ at: { x: 4 } });
    expect([state, pending]).toEqual([{ at: { x: 1 } }, [{ sequence: 2, input: { dx: 3 } }]]);
  });

  it('refuses sequences that are no integers or come twice', () => {
    expect(() => reconcile(sum, 0, 0.5, [])).toThrow(RangeError);
    expect(() => reconcile(sum, 0, 0, [{ sequence: Number.NaN, input: 1 }])).toThrow(RangeError);
    const twice = [1, 2, 1].map((sequence) => ({ sequence, input: 1 }));
    expect(() => reconcile(sum, 0, 0, twice)).toThrow('pending sequence 1 comes twice');
  });

  it('lets nothing into the replay that is not finite', () => {
    const move = (state: { x: number }, input: { dx: number }) => ({ x: state.x + input.dx });
    const pending = [{ sequence: 2, input: { dx: Number.NaN } }];
    expect(() => reconcile(move, { x: 0 }, 1, pending)).toThrow(
      new TypeError('input.dx is NaN; expected a finite number'),
    );
    expect(reconcile(move, { x: 0 }, 2, pending)).toMatchObject({ dropped: 1, replayed: 0 });
    expect(() => reconcile(move, { x: Number.POSITIVE_INFINITY }, 2, [])).toThrow('state.x is Infinity');
  });
});

describe('predictionWindow', () => {
  it('gives the founding values', () => {
    const usual = predictionWindow({ rttMs: 62, snapshotIntervalMs: 100, inputIntervalMs: 50 });
    expect(usual.ms).toBe(131);
    expect(usual.inputs).toBeCloseTo(2.6, 1);
    expect(predictionWindow({ rttMs: 240, snapshotIntervalMs: 100, inputIntervalMs: 50 })).toEqual({
      ms: 220,
      inputs: 4.4,
    });
  });

  it('takes the 95th percentile of measured round trips, and has an upper bound', () => {
    const intervals = { snapshotIntervalMs: 100, inputIntervalMs: 50 };
    const rttMs = Array.from({ length: 100 }, (_, index) => (index < 94 ? 40 : index < 99 ? 200 : 5000));
    expect(predictionWindow({ rttMs, ...intervals }).ms).toBe(200);
    expect(predictionWindow({ rttMs: 30_000, ...intervals })).toEqual({ ms: 500, inputs: 10 });
    expect(predictionWindow({ rttMs: 30_000, ...intervals, maxMs: 250 }).ms).toBe(250);
  });

  it('refuses what cannot be measured, by name', () => {
    const good = { rttMs: 60, snapshotIntervalMs: 100, inputIntervalMs: 50 };
    expect(() => predictionWindow({ ...good, rttMs: Number.NaN })).toThrow('rttMs is NaN');
    expect(() => predictionWindow({ ...good, rttMs: Number.NaN })).toThrow(TypeError);
    expect(() => predictionWindow({ ...good, rttMs: -1 })).toThrow(RangeError);
    expect(() => predictionWindow({ ...good, rttMs: [] })).toThrow(RangeError);
    expect(() => predictionWindow({ ...good, inputIntervalMs: 0 })).toThrow('inputIntervalMs is 0');
  });
});

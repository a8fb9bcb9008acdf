import type { Comparison } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../testing/recorded.js';
import { analyse, frameOf } from './analysis.js';

const same: Comparison = {
  same: true,
  kind: null,
  frame: null,
  a: null,
  b: null,
  fields: [],
  fieldsFrame: null,
  fieldsFrom: null,
  comparedFrames: 100,
  replayAgreesWith: null,
};

const frameWith = (changes: Partial<Comparison>) => frameOf({ kind: 'comparison', result: { ...same, ...changes } });

describe('the frame where a difference can be seen', () => {
  it('is that of the input, and for a state the one after the step that made it', () => {
    expect(frameWith({ kind: 'inputs', frame: 40, player: 1 })).toBe(40);
    expect(frameWith({ kind: 'state', frame: 40, fieldsFrame: 600 })).toBe(41);
    expect(frameWith({ kind: 'state', frame: 40, fieldsFrame: null })).toBe(41);
  });

  it('is the first frame when the states differ before it', () => {
    expect(frameWith({ kind: 'state', frame: 700, fieldsFrame: 700 })).toBe(700);
    const started = recorded(race, { firstFrame: 300 });
    const finding = analyse([started], { ...race, step: () => {} }, () => {});
    expect(frameOf(finding)).toBe(301);
  });

  it('is nowhere when there is none, or it lies in the settings', () => {
    expect(frameWith({})).toBeNull();
    expect(frameWith({ kind: 'settings' })).toBeNull();
    expect(frameOf(analyse([recorded(race)], race, () => {}))).toBeNull();
    expect(frameOf({ kind: 'refused', reason: 'no' })).toBeNull();
  });

  it('is not looked for in recordings of two matches', () => {
    const other = recorded({ ...race, version: '2' });
    expect(analyse([recorded(race), other], race, () => {})).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('not two recordings of one match'),
    });
  });
});

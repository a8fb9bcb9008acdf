import { describe, expect, it } from 'vitest';
import { linkHint, mediumHint } from './link-hint.js';

function statusWith(p50: number | null, p95: number | null, slowMachine: 'own' | null = null, count = 150) {
  return { slowMachine, measures: { rttMs: { count, p50, p95 } } };
}

describe('the hint about the connection', () => {
  it('names how uneven it is, and the cable', () => {
    expect(linkHint(statusWith(40, 85))).toBe(
      'The connection is uneven, by 45 ms: a cable instead of Wi-Fi would help.',
    );
  });

  it('is not given for an even one, however long, nor before anything is known', () => {
    expect(linkHint(statusWith(300, 312))).toBeUndefined();
    expect(linkHint(statusWith(null, null))).toBeUndefined();
    expect(linkHint({ slowMachine: null, measures: null })).toBeUndefined();
    expect(linkHint(statusWith(40, 85, null, 149))).toBeUndefined();
    expect(linkHint(statusWith(40, 85, null, 20), 20)).toMatch(/uneven, by 45 ms/);
  });

  it('is not given where a slow machine is what is uneven', () => {
    expect(linkHint(statusWith(40, 200, 'own'))).toBeUndefined();
  });
});

describe('the hint before anything is measured', () => {
  it('is given for a radio, and only where the browser tells of one', () => {
    expect(mediumHint('wifi')).toBe('This device is on Wi-Fi: a cable is more even.');
    expect(mediumHint('cellular')).toMatch(/^This device is on mobile data/);
    expect(mediumHint('ethernet')).toBeUndefined();
    expect(mediumHint(undefined)).toBeUndefined();
  });
});

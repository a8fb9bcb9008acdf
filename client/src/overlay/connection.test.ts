import { describe, expect, it } from 'vitest';
import { jitterOf, lossPercent } from './connection.js';

describe('the quality of a connection', () => {
  it('is as uneven as its slow twentieth of round trips is beyond the middle one', () => {
    expect(jitterOf({ count: 20, p50: 40, p95: 52 })).toBe(12);
    expect(jitterOf({ count: 19, p50: 40, p95: 52 })).toBeNull();
    expect(jitterOf({ count: 20, p50: null, p95: null })).toBeNull();
  });

  it('lost what did not come while the own packets were sent', () => {
    const then = { sentPackets: 100, receivedPackets: 80 };
    expect(lossPercent(then, { sentPackets: 200, receivedPackets: 170 })).toBe(10);
    // Some that were on the way came as well.
    expect(lossPercent(then, { sentPackets: 200, receivedPackets: 183 })).toBe(0);
    expect(lossPercent(then, then)).toBeNull();
  });

  it('lost what an authority numbered and did not come, however many packets each side sends', () => {
    const then = { sentPackets: 100, receivedPackets: 30, lostUpdates: 2 };
    expect(lossPercent(then, { sentPackets: 160, receivedPackets: 48, lostUpdates: 4 })).toBe(10);
    expect(lossPercent(then, { sentPackets: 160, receivedPackets: 30, lostUpdates: 2 })).toBeNull();
  });
});

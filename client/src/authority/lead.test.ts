import { describe, expect, it } from 'vitest';
import { Lead } from './lead.js';
import { LeadPacer } from './lead-pacer.js';

const FRAME_MS = 1000 / 60;

describe('Lead', () => {
  it('says when an input must leave by how early the worst ones came, with a tick to spare', () => {
    const lead = new Lead(60);
    expect(lead.dueMs(0)).toBeNaN();
    lead.begin(1000, 0, 500, 80);
    const guessMs = lead.dueMs(0);
    expect(guessMs).toBeLessThan(1000 - 80 + 500);
    for (let frame = 0; frame < 60; frame++) {
      const nowMs = 1420 + frame * FRAME_MS;
      lead.rtt.sent(nowMs, frame);
      // Each came 30 ms early, so that it might have left 30 ms later.
      lead.measured(nowMs, frame, 30);
    }
    expect(lead.dueMs(100)).toBeCloseTo(1420 + 30 + 99 * FRAME_MS);
    expect(lead.rtt.smoothedMs).toBe(80);
  });

  it('takes no measure of a frame that was never sent, or long ago', () => {
    const lead = new Lead(60);
    lead.begin(0, 0, 0, 0);
    for (let frame = 0; frame < 400; frame++) lead.rtt.sent(frame * FRAME_MS, frame);
    const dueMs = lead.dueMs(0);
    for (const frame of [-1, 3, 400, 100_000]) {
      lead.measured(9000, frame, -500);
      lead.rtt.answered(9000, frame, 0);
    }
    expect(lead.dueMs(0)).toBe(dueMs);
    expect(lead.rtt.smoothedMs).toBe(0);
  });

  it('expects what the link and the updates need to be unconfirmed', () => {
    const lead = new Lead(20);
    lead.begin(0, 0, 0, 62);
    expect(lead.window(10)).toEqual({ ms: 131, inputs: 2.62 });
  });
});

describe('LeadPacer', () => {
  /** Ticks until `endMs`, each of them wanted at `offsetMs` after its turn; returns the last error in frames. */
  function errorAfter(pacer: LeadPacer, endMs: number, offsetMs: number): number {
    let ticks = 0;
    let wantedMs = 0;
    for (let nowMs = 0; nowMs < endMs; nowMs += 1) {
      for (let due = pacer.due(nowMs); due > 0; due--) {
        ticks++;
        wantedMs = offsetMs + ticks * FRAME_MS;
        pacer.ticked(wantedMs);
      }
    }
    // The next tick, as far as it shows: how far it lies ahead of the wanted moment.
    return (endMs + (1 - pacer.alpha(endMs)) * FRAME_MS - wantedMs) / FRAME_MS;
  }

  it.each([
    ['early', 60],
    ['late', -60],
  ])('comes to the right moment from one that is %s, smoothly', (_name, offsetMs) => {
    const pacer = new LeadPacer(60);
    pacer.start(0);
    expect(Math.abs(errorAfter(pacer, 6000, offsetMs))).toBeLessThan(0.5);
  });

  it('runs a tick in its time while none can advance, however far behind it is', () => {
    const pacer = new LeadPacer(60);
    pacer.start(-5000);
    let ticks = 0;
    for (let nowMs = 0; nowMs < 1000; nowMs += 5) {
      for (let due = pacer.due(nowMs); due > 0; due--) {
        ticks++;
        pacer.held(nowMs);
      }
    }
    expect(ticks).toBeGreaterThan(55);
    expect(ticks).toBeLessThan(65);
  });

  it('runs at most three ticks a picture after an absence', () => {
    const pacer = new LeadPacer(60);
    expect(pacer.due(5000)).toBe(0);
    pacer.start(0);
    expect(pacer.due(5000)).toBe(3);
  });
});

import { describe, expect, it } from 'vitest';
import { ReplayBudget } from './replay-budget.js';

/** A budget at 50 ticks a second, of which half a tick is 10 ms, and steps that take what they are given. */
function timed() {
  let nowMs = 1000;
  const budget = new ReplayBudget(() => nowMs, 50);
  const step = (ms: number) =>
    budget.step(() => {
      nowMs += ms;
    });
  return { budget, step };
}

describe('how many frames may run again in a tick', () => {
  it('is not bounded before a step was measured, and where steps take no time that the clock can tell', () => {
    const { budget, step } = timed();
    expect(budget.frames).toBe(Number.POSITIVE_INFINITY);
    step(0);
    expect(budget.frames).toBe(Number.POSITIVE_INFINITY);
  });

  it('is half a tick of them, less the own one of the tick, and never none', () => {
    const { budget, step } = timed();
    step(2);
    expect(budget.frames).toBe(4);
    for (let count = 0; count < 1000; count++) step(30);
    expect(budget.frames).toBe(1);
  });

  it('forgets slow first steps, and the few in which the machine did something else', () => {
    const { budget, step } = timed();
    for (let count = 0; count < 20; count++) step(5);
    for (let count = 0; count < 1000; count++) step(count % 10 === 3 ? 40 : 0.5);
    expect(budget.frames).toBe(19);
  });

  it('is not bounded without a clock', () => {
    const budget = new ReplayBudget(undefined, 60);
    let runs = 0;
    budget.step(() => runs++);
    expect([runs, budget.frames]).toEqual([1, Number.POSITIVE_INFINITY]);
  });
});

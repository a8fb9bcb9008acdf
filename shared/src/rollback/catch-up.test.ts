import { expect, it } from 'vitest';
import { catchUpSteps } from './catch-up.js';

it('catchUpSteps runs one step when level or ahead, and one more a frame behind up to the cap', () => {
  expect([-5, 0, 1, 2, 3, 1000].map((lag) => catchUpSteps(lag))).toEqual([1, 1, 2, 3, 3, 3]);
  expect(catchUpSteps(7, 5)).toBe(5);
  expect(catchUpSteps(2, 5)).toBe(3);
  expect(() => catchUpSteps(1, 0)).toThrow('maxPerFrame is 0');
});

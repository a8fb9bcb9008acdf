import { requireInteger } from '../errors.js';

/**
 * How many steps to run for one drawn frame when `lag` frames behind: one when level, else up to `maxPerFrame`, so
 * that catching up never freezes the page. Throws `bad-argument` unless `maxPerFrame` is a positive integer.
 */
export function catchUpSteps(lag: number, maxPerFrame = 3): number {
  requireInteger('maxPerFrame', maxPerFrame, 1);
  return lag <= 0 ? 1 : Math.min(1 + Math.floor(lag), maxPerFrame);
}

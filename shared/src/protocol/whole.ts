import * as v from 'valibot';

/** A whole number within bounds. */
export const whole = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max), v.integer());

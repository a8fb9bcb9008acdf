/** What the schemas of all messages share. */
import * as v from 'valibot';

/** A whole number within bounds. */
export const whole = (min: number, max: number) => v.pipe(v.number(), v.minValue(min), v.maxValue(max), v.integer());

/** A text of at most so many UTF-16 units. */
export const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));

/** A list of at most so many. */
export const list = <S extends v.GenericSchema>(item: S, lengthMax: number) =>
  v.pipe(v.array(item), v.maxLength(lengthMax));

/** What arrived, as its schema has it; undefined for what does not fit. */
export function parseWith<S extends v.GenericSchema>(schema: S, payload: unknown): v.InferOutput<S> | undefined {
  const result = v.safeParse(schema, payload);
  return result.success ? result.output : undefined;
}

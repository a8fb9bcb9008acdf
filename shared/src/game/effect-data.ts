import { RiposteError } from '../errors.js';

/** What an effect or a fact may carry: small plain values, as JSON knows them. */
export type EffectData =
  | null
  | boolean
  | number
  | string
  | readonly EffectData[]
  | { readonly [name: string]: EffectData };

/** Values in one datum, objects and arrays counted too: what a sound or a spark needs, not a copy of the state. */
const VALUES_MAX = 64;
export const TEXT_MAX = 256;

/** Whether `given` has the value of data that was copied before. Called whenever a frame runs again: allocates nothing. */
export function sameData(copied: unknown, given: unknown): boolean {
  if (copied === given) return true;
  if (!isObject(copied) || !isObject(given) || Array.isArray(copied) !== Array.isArray(given)) return false;
  let left = 0;
  for (const name in copied) {
    const value = given[name];
    // A copy holds no undefined: what is missing differs.
    if (value !== copied[name] && !sameData(copied[name], value)) return false;
    left++;
  }
  for (const _name in given) left--;
  return left === 0;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/**
 * A frozen copy that shares nothing with what a step gave, for the step may write into that later.
 * Throws `bad-effect`, naming the field, for what is not plain or not small.
 */
export function copyData(kind: string, data: unknown): EffectData {
  let left = VALUES_MAX;
  const copy = (path: string, value: unknown): EffectData => {
    if (--left >= 0) {
      if (value === null || typeof value === 'boolean') return value;
      if (typeof value === 'string' && value.length <= TEXT_MAX) return value;
      // -0 becomes 0, which it is compared as.
      if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
      if (Array.isArray(value)) return Object.freeze(Array.from(value, (each, at) => copy(`${path}[${at}]`, each)));
      if (isPlain(value)) {
        const fields = Object.entries(value).map(([name, each]) => [name, copy(`${path}.${name}`, each)]);
        return Object.freeze(Object.fromEntries(fields));
      }
    }
    const what = typeof value === 'object' ? 'an object' : `${typeof value} ${String(value).slice(0, 20)}`;
    throw new RiposteError(
      'bad-effect',
      `${path} of ${kind} is ${what}; expected plain data as in JSON, at most ${VALUES_MAX} values and texts of ${TEXT_MAX} characters`,
    );
  };
  return copy('data', data);
}

function isPlain(value: unknown): value is object {
  const prototype: unknown = isObject(value) && Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

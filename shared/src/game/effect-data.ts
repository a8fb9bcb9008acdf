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

/** Whether `given` has the value of data that was copied before. Allocates nothing for numbers and text. */
export function sameData(copied: EffectData | undefined, given: unknown): boolean {
  if (copied === given) return true;
  if (typeof copied !== 'object' || typeof given !== 'object' || copied === null || given === null) return false;
  if (Array.isArray(copied) !== Array.isArray(given)) return false;
  const names = Object.keys(copied);
  if (names.length !== Object.keys(given).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(given, name) || !sameData(Reflect.get(copied, name), Reflect.get(given, name))) return false;
  }
  return true;
}

/**
 * A frozen copy that shares nothing with what a step gave, for the step may write into that later.
 * Throws `bad-effect`, naming the field, for what is not plain or not small.
 */
export function copyData(kind: string, data: unknown): EffectData {
  let left = VALUES_MAX;
  const bad = (path: string, what: string): RiposteError =>
    new RiposteError(
      'bad-effect',
      `${path} of "${kind}" is ${what}; expected plain data as in JSON, at most ${VALUES_MAX} values`,
    );
  const copy = (path: string, value: unknown): EffectData => {
    if (--left < 0) throw bad(path, 'one value too many');
    switch (typeof value) {
      case 'boolean':
        return value;
      case 'number':
        if (!Number.isFinite(value)) throw bad(path, String(value));
        // -0 is 0, so that what is compared as equal is equal.
        return value + 0;
      case 'string':
        if (value.length > TEXT_MAX) throw bad(path, `a text of ${value.length} characters (at most ${TEXT_MAX})`);
        return value;
      case 'object': {
        if (value === null) return null;
        if (Array.isArray(value)) {
          return Object.freeze(Array.from(value, (each, index) => copy(`${path}[${index}]`, each)));
        }
        const prototype: unknown = Object.getPrototypeOf(value);
        if (prototype !== null && prototype !== Object.prototype) throw bad(path, 'an object of a class');
        const fields = Object.entries(value).map(([name, each]) => [name, copy(`${path}.${name}`, each)] as const);
        return Object.freeze(Object.fromEntries(fields));
      }
      default:
        throw bad(path, `of type ${typeof value}`);
    }
  };
  return copy('data', data);
}

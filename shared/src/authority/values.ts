import { View } from '../state/struct/view.js';

/**
 * The least and the greatest value of numbers, by path: `{ dx: [-1, 1], 'shots[].x': [0, 640] }`. Empty brackets stand
 * for every index; the empty path is the value itself.
 */
export interface Limits {
  readonly [path: string]: readonly [min: number, max: number];
}

/** Whether a value is an object of its own fields and nothing else. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type Instances = 'copied' | 'kept';

function copyInto(value: unknown, instances: Instances, seen: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`a ${typeof value} cannot be replayed: expected plain data`);
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const met = <T extends object>(copy: T): T => {
    seen.set(value, copy);
    return copy;
  };
  if (Array.isArray(value)) {
    const list: unknown[] = met([]);
    for (const item of value) list.push(copyInto(item, instances, seen));
    return list;
  }
  if (!isRecord(value) && instances === 'kept') return value;
  if (value instanceof Map) {
    const map = met(new Map<unknown, unknown>());
    for (const [key, item] of value) map.set(copyInto(key, instances, seen), copyInto(item, instances, seen));
    return map;
  }
  if (value instanceof Set) {
    const set = met(new Set<unknown>());
    for (const item of value) set.add(copyInto(item, instances, seen));
    return set;
  }
  if (value instanceof ArrayBuffer) return met(value.slice(0));
  if (value instanceof DataView) {
    return met(new DataView(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)));
  }
  // Every view but a DataView is a typed array, and all of those have slice.
  if (ArrayBuffer.isView(value)) return met((value as Uint8Array).slice());
  const copy: object = met(Object.create(Object.getPrototypeOf(value)));
  for (const [key, item] of Object.entries(value)) {
    // Defined, not assigned: a field may be called __proto__ in what came from a wire.
    Object.defineProperty(copy, key, {
      value: copyInto(item, instances, seen),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
}

/**
 * A value that shares nothing with the one given: objects, arrays, Maps, Sets, buffers, and instances of classes by
 * their own fields (a class with `#private` fields needs a state model). Throws `TypeError` for a function or symbol.
 */
export function copyValue<T>(value: T): T {
  // The copy has the shape of what it copies.
  return copyInto(value, 'copied', new Map()) as T;
}

/** A copy whose objects and arrays can be written, whatever was frozen; instances of classes are left as they are. */
export function thaw<T>(value: T): T {
  // As above.
  return copyInto(value, 'kept', new Map()) as T;
}

/** Calls `visit` with every leaf of a value and its path; what is shared is visited once. */
function eachLeaf(value: unknown, visit: (leaf: unknown, path: string) => void): void {
  const seen = new Set<object>();
  const walk = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) {
      visit(part, path);
      return;
    }
    if (seen.has(part)) return;
    seen.add(part);
    if (part instanceof View) {
      // The fields of a struct are accessors of its class.
      for (const name in part)
        if (!name.startsWith('$')) walk(Reflect.get(part, name), path === '' ? name : `${path}.${name}`);
    } else if (part instanceof Map) {
      for (const [key, item] of part) walk(item, `${path}[${String(key)}]`);
    } else if (ArrayBuffer.isView(part) || Symbol.iterator in part) {
      // A DataView has no elements that could be named.
      if (part instanceof DataView) return;
      let index = 0;
      // What is left here can be iterated: arrays, typed arrays, Sets, and the lists of a struct.
      for (const item of part as Iterable<unknown>) walk(item, `${path}[${index++}]`);
    } else {
      for (const [name, item] of Object.entries(part)) walk(item, path === '' ? name : `${path}.${name}`);
    }
  };
  walk(value, '');
}

/** The path of a field as an error names it. */
function namedPath(name: string, path: string): string {
  if (path === '') return name;
  return path.startsWith('[') ? `${name}${path}` : `${name}.${path}`;
}

/** Throws `TypeError` for a number that is not finite and `RangeError` for one beyond its limits, naming the field. */
export function checkNumbers(name: string, value: unknown, limits?: Limits): void {
  eachLeaf(value, (leaf, path) => {
    if (typeof leaf !== 'number') return;
    if (!Number.isFinite(leaf)) throw new TypeError(`${namedPath(name, path)} is ${leaf}; expected a finite number`);
    const limit = limits?.[path] ?? limits?.[path.replace(/\[[^\]]*\]/g, '[]')];
    if (limit === undefined || (leaf >= limit[0] && leaf <= limit[1])) return;
    throw new RangeError(`${namedPath(name, path)} is ${leaf}; expected ${limit[0]} to ${limit[1]}`);
  });
}

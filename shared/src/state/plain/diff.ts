import type { FieldDifference } from '../model.js';
import { ulpsBetween } from '../ulps.js';
import {
  ARRAY,
  BUFFER,
  CUSTOM,
  DICTIONARY,
  FIELDS,
  MAP,
  type Mark,
  type Marks,
  OBJECT,
  RANDOM,
  SET,
  VIEW,
  VIEW_KINDS,
  type View,
  viewLength,
} from './kinds.js';
import { callPath, indexPath, keyPath, keyText } from './path.js';
import type { PlainRandom } from './random.js';

/** What a difference shows where there is no value to show: as text everywhere, in JSON too. */
export class DifferenceNote {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** One side of a difference that has no such key, element, entry or member. Not the same as `undefined`. */
export const ABSENT = new DifferenceNote('(absent)');

/** Two 32-bit words as a debugger would show them. */
function wordsText(words: Int32Array): string {
  return [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join(':');
}

/** Finds where two states differ, walking both side by side in the order in which they are saved. */
export class Differ {
  readonly #marks: Marks;
  readonly #found: FieldDifference[] = [];
  /** Where each side's objects were met first. */
  readonly #aPaths = new Map<object, string>();
  readonly #bPaths = new Map<object, string>();

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  run(a: unknown, b: unknown): FieldDifference[] {
    this.#compare(a, b, '');
    return this.#found;
  }

  #differ(path: string, a: unknown, b: unknown): void {
    const shown = { path: path === '' ? 'state' : path, a: this.#show(a), b: this.#show(b) };
    const float =
      typeof a === 'number' && typeof b === 'number' && (a === b || !Number.isInteger(a) || !Number.isInteger(b));
    const ulps = float ? ulpsBetween(a, b) : undefined;
    this.#found.push(ulps === undefined ? shown : { ...shown, ulps });
  }

  #show(value: unknown): unknown {
    if (typeof value === 'bigint') return new DifferenceNote(`${value}n`);
    if (typeof value !== 'object' || value === null || value instanceof DifferenceNote) return value;
    const { kind, detail } = this.#marks.of(value);
    switch (kind) {
      case OBJECT:
      case DICTIONARY:
        return new DifferenceNote(
          `(${kind === OBJECT ? 'object' : 'object without prototype'}: ${Object.keys(value).join(', ')})`,
        );
      case ARRAY:
        return new DifferenceNote(`(array of ${(value as unknown[]).length})`);
      case MAP:
      case SET:
        return new DifferenceNote(`(${kind === MAP ? 'Map' : 'Set'} of ${(value as Set<unknown>).size})`);
      case BUFFER:
        return new DifferenceNote(`(ArrayBuffer of ${(value as ArrayBuffer).byteLength})`);
      case VIEW:
        return new DifferenceNote(`(${VIEW_KINDS[detail].type.name} of ${viewLength(value as View)})`);
      case RANDOM:
        return wordsText((value as PlainRandom).words);
      default:
        return new DifferenceNote(`(${value.constructor.name})`);
    }
  }

  #compare(a: unknown, b: unknown, path: string): void {
    if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
      if (!Object.is(a, b)) this.#differ(path, a, b);
      return;
    }
    const aFirst = this.#aPaths.get(a);
    const bFirst = this.#bPaths.get(b);
    if (aFirst !== bFirst) {
      const of = (first: string | undefined, value: object) =>
        first === undefined ? value : new DifferenceNote(`(the same as ${first})`);
      this.#differ(path, of(aFirst, a), of(bFirst, b));
      return;
    }
    // Both met before at one place: compared there.
    if (aFirst !== undefined) return;
    this.#aPaths.set(a, path);
    this.#bPaths.set(b, path);
    const mark = this.#marks.of(a);
    const other = this.#marks.of(b);
    if (mark.kind !== other.kind || mark.detail !== other.detail) this.#differ(path, a, b);
    else this.#compareContent(a, b, mark, path);
  }

  #compareContent(a: object, b: object, mark: Mark, path: string): void {
    // The marks say what both objects are, by their prototypes: the compiler cannot follow that.
    switch (mark.kind) {
      case OBJECT:
      case DICTIONARY:
      case FIELDS:
        this.#compareFields(a as Record<string, unknown>, b as Record<string, unknown>, path);
        return;
      case ARRAY:
        this.#compareElements(a as unknown[], b as unknown[], (index) => indexPath(path, index));
        return;
      case MAP:
        this.#compareMaps(a as Map<unknown, unknown>, b as Map<unknown, unknown>, path);
        return;
      case SET:
        this.#compareSets(a as Set<unknown>, b as Set<unknown>, path);
        return;
      case BUFFER:
        this.#compareBytes(new Uint8Array(a as ArrayBuffer), new Uint8Array(b as ArrayBuffer), path);
        return;
      case VIEW:
        this.#compareViews(a as View, b as View, path);
        return;
      case RANDOM:
        if (wordsText((a as PlainRandom).words) !== wordsText((b as PlainRandom).words)) this.#differ(path, a, b);
        return;
      case CUSTOM: {
        const copier = this.#marks.copiers[mark.detail];
        this.#compare(copier?.save(a), copier?.save(b), path);
      }
    }
  }

  #compareFields(a: Record<string, unknown>, b: Record<string, unknown>, path: string): void {
    for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
      const at = keyPath(path, key);
      if (!Object.hasOwn(a, key)) this.#differ(at, ABSENT, b[key]);
      else if (!Object.hasOwn(b, key)) this.#differ(at, a[key], ABSENT);
      else this.#compare(a[key], b[key], at);
    }
  }

  #compareElements(a: ArrayLike<unknown>, b: ArrayLike<unknown>, pathOf: (index: number) => string): void {
    const shorter = Math.min(a.length, b.length);
    const longer = Math.max(a.length, b.length);
    for (let index = 0; index < shorter; index++) {
      const x = a[index];
      const y = b[index];
      // No path is made for what is the same: arrays may be long.
      if (Object.is(x, y) && (typeof x !== 'object' || x === null)) continue;
      this.#compare(x, y, pathOf(index));
    }
    for (let index = shorter; index < longer; index++) {
      this.#differ(pathOf(index), index < a.length ? a[index] : ABSENT, index < b.length ? b[index] : ABSENT);
    }
  }

  #compareMaps(a: Map<unknown, unknown>, b: Map<unknown, unknown>, path: string): void {
    const aKeys = [...a.keys()];
    const bKeys = [...b.keys()];
    const inOrder = aKeys.length === bKeys.length && aKeys.every((key, index) => Object.is(key, bKeys[index]));
    const textOf = (key: unknown) => keyText(key);
    if (inOrder && aKeys.every((key) => textOf(key) !== undefined)) {
      for (const [key, value] of a) this.#compare(value, b.get(key), callPath(path, `get(${textOf(key)})`));
      return;
    }
    if ([...aKeys, ...bKeys].some((key) => textOf(key) === undefined)) {
      this.#comparePositions(aKeys, bKeys, [...a.values()], [...b.values()], path);
      return;
    }
    const before = this.#found.length;
    for (const key of new Set([...aKeys, ...bKeys])) {
      const at = callPath(path, `get(${textOf(key)})`);
      if (!a.has(key)) this.#differ(at, ABSENT, b.get(key));
      else if (!b.has(key)) this.#differ(at, a.get(key), ABSENT);
      else this.#compare(a.get(key), b.get(key), at);
    }
    if (this.#found.length === before) this.#compareElements(aKeys, bKeys, (at) => callPath(path, `keys()[${at}]`));
  }

  /** Maps with objects as keys: by position, key and value by turns as they are saved. */
  #comparePositions(aKeys: unknown[], bKeys: unknown[], aValues: unknown[], bValues: unknown[], path: string): void {
    const shorter = Math.min(aKeys.length, bKeys.length);
    for (let index = 0; index < shorter; index++) {
      this.#compare(aKeys[index], bKeys[index], callPath(path, `keys()[${index}]`));
      this.#compare(aValues[index], bValues[index], callPath(path, `values()[${index}]`));
    }
    for (let index = shorter; index < Math.max(aKeys.length, bKeys.length); index++) {
      const at = callPath(path, `keys()[${index}]`);
      this.#differ(at, index < aKeys.length ? aKeys[index] : ABSENT, index < bKeys.length ? bKeys[index] : ABSENT);
    }
  }

  #compareSets(a: Set<unknown>, b: Set<unknown>, path: string): void {
    const before = this.#found.length;
    const all = [...new Set([...a, ...b])];
    if (all.every((member) => keyText(member) !== undefined)) {
      for (const member of all) {
        if (a.has(member) !== b.has(member)) {
          this.#differ(callPath(path, `has(${keyText(member)})`), a.has(member), b.has(member));
        }
      }
    }
    if (this.#found.length === before) {
      this.#compareElements([...a], [...b], (index) => callPath(path, `values()[${index}]`));
    }
  }

  #compareBytes(a: Uint8Array, b: Uint8Array, path: string): void {
    this.#compareElements(a, b, (index) => indexPath(path, index));
  }

  #compareViews(a: View, b: View, path: string): void {
    const aLength = viewLength(a);
    const bLength = viewLength(b);
    if (a.byteOffset !== b.byteOffset) this.#differ(`${path}.byteOffset`, a.byteOffset, b.byteOffset);
    const whole =
      aLength === bLength &&
      a.byteLength === a.buffer.byteLength &&
      b.byteLength === b.buffer.byteLength &&
      !(a instanceof DataView) &&
      !this.#aPaths.has(a.buffer) &&
      !this.#bPaths.has(b.buffer);
    if (whole) {
      this.#aPaths.set(a.buffer, `${path}.buffer`);
      this.#bPaths.set(b.buffer, `${path}.buffer`);
      // Every view but a DataView is indexed as an array is.
      this.#compareElements(a as ArrayLike<unknown> & View, b as ArrayLike<unknown> & View, (at) =>
        indexPath(path, at),
      );
      return;
    }
    if (aLength !== bLength) this.#differ(`${path}.length`, aLength, bLength);
    this.#compare(a.buffer, b.buffer, `${path}.buffer`);
  }
}

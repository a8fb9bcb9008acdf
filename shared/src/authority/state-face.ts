import { BytesModel } from '../state/bytes.js';
import type { StateModel } from '../state/model.js';
import { plain } from '../state/plain/plain.js';
import { View } from '../state/struct/view.js';
import { type Held, HeldModel } from './held.js';
import { checkNumbers, copyValue, isRecord, type Limits, thaw } from './values.js';

/**
 * How an input changes a state: `state` in place, or by the new state that is returned. Deterministic: it reads its
 * arguments only.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that changes its state in place returns nothing.
export type Apply<S, I> = (state: S, input: I) => S | void;

/** What prediction needs to know of states: those of a model, and values such as a number. */
export interface StateFace<S> {
  readonly model: StateModel<Held<S>>;
  /** A state from outside, checked, as one of our own. Throws `TypeError` or `RangeError`, naming the field. */
  take(state: S, limits: Limits | undefined): Held<S>;
  /** Throws `TypeError` when a state that we made is no longer finite. */
  check(state: S): void;
  /** Puts in place of the held state the one that was returned for it. */
  replace(held: Held<S>, next: S): void;
}

/** A list of `q16`, `bool` or `choice` in a struct. */
interface WritableList {
  readonly length: number;
  get(index: number): unknown;
  set(index: number, value: unknown): void;
}

function isWritableList(value: object): value is WritableList {
  return 'get' in value && 'set' in value && 'length' in value;
}

/** A written number was kept when it reads back as it is, as the nearest 32-bit float, or floored to 1/65,536. */
function isKept(written: unknown, read: unknown): boolean {
  if (Object.is(written, read) || written === read) return true;
  if (typeof written !== 'number' || typeof read !== 'number') return false;
  return read === Math.fround(written) || (written >= read && written - read < 1 / 65_536);
}

function refuse(path: string, value: unknown, read: unknown): never {
  if (typeof value !== typeof read) throw new TypeError(`${path} is ${String(value)}; expected a ${typeof read}`);
  throw new RangeError(`${path} is ${String(value)}; the field cannot hold that (it would be ${String(read)})`);
}

/** Fills a struct from an object of the same names, as it comes from JSON. */
function fillStruct(into: View, from: Record<string, unknown>, name: string): void {
  for (const key of Object.keys(from)) {
    if (!(key in into) || key.startsWith('$')) throw new TypeError(`${name}.${key} is not a field of the state`);
  }
  for (const key in into) {
    if (key.startsWith('$')) continue;
    const path = `${name}.${key}`;
    if (!Object.hasOwn(from, key)) throw new TypeError(`${path} is missing; expected the whole state`);
    const value = from[key];
    const field: unknown = Reflect.get(into, key);
    if (typeof field === 'object' && field !== null) {
      fillPart(field, value, path);
      continue;
    }
    if (typeof value !== typeof field) refuse(path, value, field);
    Reflect.set(into, key, value);
    const read: unknown = Reflect.get(into, key);
    if (!isKept(value, read)) refuse(path, value, read);
  }
}

function fillPart(part: object, value: unknown, path: string): void {
  if (part instanceof View && isRecord(value)) {
    fillStruct(part, value, path);
    return;
  }
  const isList = Array.isArray(part) || ArrayBuffer.isView(part) || isWritableList(part);
  const isGiven = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!isList || !isGiven) {
    throw new TypeError(`${path} cannot be taken from ${String(value)}; expected a state of the model`);
  }
  // Both are lists that are read by index.
  const items = value as ArrayLike<unknown>;
  const list = part as ArrayLike<unknown>;
  if (items.length !== list.length) {
    throw new RangeError(`${path} has ${items.length} elements; expected ${list.length}`);
  }
  for (let index = 0; index < list.length; index++) {
    const at = `${path}[${index}]`;
    const item = items[index];
    if (isWritableList(part) && !ArrayBuffer.isView(part)) {
      if (typeof item !== typeof part.get(index)) refuse(at, item, part.get(index));
      part.set(index, item);
      if (!isKept(item, part.get(index))) refuse(at, item, part.get(index));
    } else if (ArrayBuffer.isView(part)) {
      // A struct's arrays of numbers are typed arrays of numbers.
      const numbers = part as Float64Array;
      if (typeof item !== 'number') refuse(at, item, numbers[index]);
      numbers[index] = item;
      if (!isKept(item, numbers[index])) refuse(at, item, numbers[index]);
    } else {
      // What is left are arrays of nested parts.
      fillPart(list[index] as object, item, at);
    }
  }
}

/** States of a model. The states of `bytes()` are opaque: nothing in them is looked at. */
export function modelFace<S>(model: StateModel<S>): StateFace<S> {
  const isOpaque = model instanceof BytesModel;
  return {
    model: new HeldModel(model),
    take(state, limits) {
      if (typeof state !== 'object' || state === null) {
        throw new TypeError(`state is ${String(state)}; expected a state of the model`);
      }
      if (!isOpaque) checkNumbers('state', state, limits);
      const own = model.create();
      if (own instanceof View && isRecord(state)) fillStruct(own, state, 'state');
      else model.copy(isOpaque ? state : thaw(state), own);
      return { value: own };
    },
    check(state) {
      if (!isOpaque) checkNumbers('predicted state', state);
    },
    replace: (held, next) => model.copy(next, held.value),
  };
}

/** States that are values: a number, or plain data that an input replaces or changes. */
export function valueFace<S>(initial: S): StateFace<S> {
  const check = (name: string, state: S): void => {
    if (typeof state !== typeof initial || (state === null) !== (initial === null)) {
      throw new TypeError(`${name} is ${String(state)}; expected a value like ${String(initial)}`);
    }
  };
  return {
    model: plain(() => ({ value: copyValue(initial) })),
    take(state, limits) {
      check('state', state);
      checkNumbers('state', state, limits);
      return { value: copyValue(state) };
    },
    check(state) {
      check('predicted state', state);
      checkNumbers('predicted state', state);
    },
    // What was returned may be frozen, or the caller's own.
    replace(held, next) {
      held.value = copyValue(next);
    },
  };
}

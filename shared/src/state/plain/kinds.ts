import { RiposteError } from '../../errors.js';
import { PlainRandom } from './random.js';
import { NO_KEYS, type Shape, type ShapeTable } from './shape.js';

/*
 * What a value is: one byte each in a saved state and on the wire, so their numbers are part of the hash and of the
 * encoded form. Zero is none of them: it ends a list of tags.
 */
export const UNDEFINED = 1;
export const NULL = 2;
export const FALSE = 3;
export const TRUE = 4;
export const NUMBER = 5;
export const STRING = 6;
export const BIGINT = 7;
/** The object with this number, met before: sharing is part of the state. */
export const REFERENCE = 8;
export const OBJECT = 9;
/** An object without a prototype. */
export const DICTIONARY = 10;
export const ARRAY = 11;
export const MAP = 12;
export const SET = 13;
export const BUFFER = 14;
/** A typed array or DataView; its buffer follows as a value of its own, since views may share one. */
export const VIEW = 15;
export const RANDOM = 16;
/** An instance of a registered class, by its own fields. */
export const FIELDS = 17;
/** An instance of a registered class, by the plain value that its copier makes of it. */
export const CUSTOM = 18;

/** Objects nested deeper are refused: a walk is recursive, and hostile bytes must not exhaust the stack. */
export const DEPTH_MAX = 500;

/** A typed array or a DataView. */
export type View = ArrayBufferView & { readonly length?: number };

export interface ViewKind {
  readonly type: new (buffer: ArrayBuffer, offset: number, length: number) => View;
  readonly bytes: number;
  readonly float?: true;
}

/** Their order is part of the hash and of the encoded form: add at the end only. */
export const VIEW_KINDS: readonly ViewKind[] = [
  { type: Int8Array, bytes: 1 },
  { type: Uint8Array, bytes: 1 },
  { type: Uint8ClampedArray, bytes: 1 },
  { type: Int16Array, bytes: 2 },
  { type: Uint16Array, bytes: 2 },
  { type: Int32Array, bytes: 4 },
  { type: Uint32Array, bytes: 4 },
  { type: Float32Array, bytes: 4, float: true },
  { type: Float64Array, bytes: 8, float: true },
  { type: BigInt64Array, bytes: 8 },
  { type: BigUint64Array, bytes: 8 },
  { type: DataView, bytes: 1 },
];

/** How many elements a view has; a DataView counts bytes. */
export function viewLength(view: View): number {
  return view.length ?? view.byteLength;
}

// A class of any constructor: only its prototype is looked at.
type AnyClass<T> = abstract new (...args: never[]) => T;

/** How instances of one class are carried, when their own fields are not their whole memory. */
export interface Copier<T extends object> {
  readonly type: AnyClass<T>;
  /** A new instance to load into. */
  create(): T;
  /** The instance's whole memory as a plain value. May hand out its own objects: they are copied. */
  save(from: T): unknown;
  /** Puts back what `save` returned. `saved` is a fresh copy that the instance may keep. */
  load(saved: unknown, into: T): void;
}

/** What an object is, as found when it was first seen, and where the current walk met it. */
export interface Mark {
  /** A container's tag, or 0 for an object that cannot be part of a state. */
  readonly kind: number;
  /** Which view kind, or which registered class. */
  readonly detail: number;
  /** Why the object is refused, and at which of its keys. */
  readonly fault: Fault | undefined;
  shape: Shape;
  /** The walk that met it last, and its number there. */
  walk: number;
  index: number;
  /** The walk that is inside it, or 0. */
  openIn: number;
  /** Where a buffer's bytes were put. */
  bytesAt: number;
}

export interface Fault {
  readonly key: string | undefined;
  readonly problem: string;
}

function propertyFault(object: object): Fault | undefined {
  if (Object.getOwnPropertySymbols(object).length > 0) return { key: undefined, problem: 'has a symbol as a key' };
  for (const key of Object.getOwnPropertyNames(object)) {
    if (key === '__proto__') return { key, problem: 'has a name that no object can safely be given' };
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property === undefined) continue;
    if (property.get !== undefined || property.set !== undefined) return { key, problem: 'is a getter or setter' };
    if (property.enumerable !== true) return { key, problem: 'is not enumerable' };
    if (property.writable !== true) return { key, problem: 'is read-only: keep constants outside the state' };
  }
  return undefined;
}

function faultOf(object: object, kind: number): Fault | undefined {
  if (!Object.isExtensible(object)) {
    return { key: undefined, problem: 'is frozen, sealed or not extensible: keep constants outside the state' };
  }
  if (kind === ARRAY) {
    const extra = Object.keys(object).find((key) => !/^\d+$/.test(key));
    return extra === undefined ? undefined : { key: extra, problem: 'is a named property of an array' };
  }
  if (kind !== MAP && kind !== SET && kind !== BUFFER) return undefined;
  const [extra] = Object.keys(object);
  return extra === undefined ? undefined : { key: extra, problem: 'is a property of a Map, Set or ArrayBuffer' };
}

/**
 * Looking at a property costs more than saving it. Objects with a getter or a read-only property come from one place
 * in a game's code, with one list of keys: the first objects of each list are looked at, the many later ones are not.
 */
const CHECKED_PER_SHAPE = 64;

/** Knows what every object is. One look at an object's prototype and properties, when it is first seen. */
export class Marks {
  /** Registered classes, in the order of their registration; undefined where own fields are the memory. */
  readonly copiers: readonly (Copier<object> | undefined)[];
  readonly prototypes: readonly object[];
  readonly #kinds = new Map<object | null, { readonly kind: number; readonly detail: number }>();
  readonly #marks = new WeakMap<object, Mark>();
  readonly #shapes: ShapeTable;
  #walks = 0;

  /** Throws `bad-game` for an entry that is neither a class nor a copier, or a class named twice. */
  constructor(registered: readonly (AnyClass<object> | Copier<object>)[], shapes: ShapeTable) {
    this.#shapes = shapes;
    const kinds = this.#kinds;
    kinds.set(null, { kind: DICTIONARY, detail: 0 });
    kinds.set(Object.prototype, { kind: OBJECT, detail: 0 });
    kinds.set(Array.prototype, { kind: ARRAY, detail: 0 });
    kinds.set(Map.prototype, { kind: MAP, detail: 0 });
    kinds.set(Set.prototype, { kind: SET, detail: 0 });
    kinds.set(ArrayBuffer.prototype, { kind: BUFFER, detail: 0 });
    kinds.set(PlainRandom.prototype, { kind: RANDOM, detail: 0 });
    for (const [detail, { type }] of VIEW_KINDS.entries()) kinds.set(type.prototype, { kind: VIEW, detail });
    this.copiers = registered.map((entry) => (typeof entry === 'function' ? undefined : entry));
    this.prototypes = registered.map((entry, detail) => {
      const type: unknown = typeof entry === 'function' ? entry : entry?.type;
      const prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
      if (typeof prototype !== 'object' || prototype === null) {
        throw new RiposteError(
          'bad-game',
          `copiers[${detail}] is ${String(entry)}; expected a class or { type, create, save, load }`,
        );
      }
      if (kinds.has(prototype)) {
        throw new RiposteError('bad-game', `copiers[${detail}] names a class that already has a copier`);
      }
      kinds.set(prototype, { kind: typeof entry === 'function' ? FIELDS : CUSTOM, detail });
      return prototype;
    });
  }

  /** A number for one walk over a state, which no walk before had. */
  nextWalk(): number {
    return ++this.#walks;
  }

  of(object: object): Mark {
    let mark = this.#marks.get(object);
    if (mark === undefined) {
      mark = this.#look(object);
      this.#marks.set(object, mark);
    }
    return mark;
  }

  #look(object: object): Mark {
    const found = this.#kinds.get(Object.getPrototypeOf(object));
    const kind = found?.kind ?? 0;
    let shape = NO_KEYS;
    let fault = kind === 0 ? undefined : faultOf(object, kind);
    if (fault === undefined && (kind === OBJECT || kind === DICTIONARY || kind === FIELDS)) {
      shape = this.#shapes.of(Object.keys(object));
      if (shape.checked < CHECKED_PER_SHAPE) {
        shape.checked++;
        fault = propertyFault(object);
      }
    }
    return { kind, detail: found?.detail ?? 0, fault, shape, walk: 0, index: 0, openIn: 0, bytesAt: 0 };
  }
}

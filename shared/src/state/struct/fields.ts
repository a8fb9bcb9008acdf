import type { Random } from '../../math/random.js';

/**
 * Scalar field kinds. Writes that do not fit follow one rule per kind:
 *
 * - `i8 u8 i16 u16 i32 u32`: truncated toward zero, then wrapped to the width; NaN and infinities become 0.
 * - `f32`: rounded to the nearest 32-bit float. `f64`: kept as it is. NaN is saved and hashed as one canonical NaN;
 *   -0 and 0 are different states.
 * - `q16`: floored to a multiple of 1/65,536, then wrapped as a 32-bit integer; NaN and infinities become 0.
 * - `fixed`: a raw Q16.16 integer for the `fx...` functions; wraps like `i32`.
 * - `bool`: any truthy value is true.
 */
export type ScalarKind =
  | 'i8'
  | 'u8'
  | 'i16'
  | 'u16'
  | 'i32'
  | 'u32'
  | 'f32'
  | 'f64'
  | 'q16'
  | 'fixed'
  | 'bool'
  | 'choice';

/** A field that holds one value of type `T`. */
export interface ScalarField<T> {
  readonly field: 'scalar';
  readonly kind: ScalarKind;
  readonly bytes: 1 | 2 | 4 | 8;
  /** The names of a `choice`, in the order of their numbers. */
  readonly names?: readonly T[];
}

/** A generator that lives in the state. */
export interface RandomField {
  readonly field: 'random';
}

/** `length` equal elements side by side. */
export interface ArrayField<E extends Element> {
  readonly field: 'array';
  readonly length: number;
  readonly element: E;
}

export interface Shape {
  readonly [name: string]: Element;
}

export type Element = ScalarField<number> | ScalarField<boolean> | ScalarField<string> | RandomField | AnyArray | Shape;

export interface AnyArray {
  readonly field: 'array';
  readonly length: number;
  readonly element: Element;
}

/** An array of scalars that no typed array can hold as they are: read and written by index. */
export interface ScalarList<T> extends Iterable<T> {
  readonly length: number;
  /** Throws `bad-argument` when `index` is outside the list. */
  get(index: number): T;
  set(index: number, value: T): void;
}

type TypedArrays = {
  i8: Int8Array;
  u8: Uint8Array;
  i16: Int16Array;
  u16: Uint16Array;
  i32: Int32Array;
  u32: Uint32Array;
  f32: Float32Array;
  f64: Float64Array;
  fixed: Int32Array;
};

type KindOf<E> = E extends { readonly kind: infer K } ? K : never;

type Elements<E> =
  E extends ScalarField<infer T>
    ? KindOf<E> extends keyof TypedArrays
      ? TypedArrays[KindOf<E>]
      : ScalarList<T>
    : readonly ValueOf<E>[];

type ValueOf<E> =
  E extends ScalarField<infer T>
    ? T
    : E extends RandomField
      ? Random
      : E extends ArrayField<infer I>
        ? Elements<I>
        : E extends Shape
          ? StateOf<E>
          : never;

type ScalarNames<S> = { [K in keyof S]: S[K] extends { readonly field: 'scalar' } ? K : never }[keyof S];

/** The state that a shape describes: scalars are assignable, nested parts are fixed in place. */
export type StateOf<S> = { [K in ScalarNames<S>]: ValueOf<S[K]> } & {
  readonly [K in Exclude<keyof S, ScalarNames<S>>]: ValueOf<S[K]>;
};

export interface NumberField<K extends ScalarKind> extends ScalarField<number> {
  readonly kind: K;
}

function numberField<K extends ScalarKind>(kind: K, bytes: 1 | 2 | 4 | 8): NumberField<K> {
  return { field: 'scalar', kind, bytes };
}

export const i8 = numberField('i8', 1);
export const u8 = numberField('u8', 1);
export const i16 = numberField('i16', 2);
export const u16 = numberField('u16', 2);
export const i32 = numberField('i32', 4);
export const u32 = numberField('u32', 4);
export const f32 = numberField('f32', 4);
export const f64 = numberField('f64', 8);
/** Plain numbers kept as multiples of 1/65,536. */
export const q16 = numberField('q16', 4);
/** Raw Q16.16 integers, for the `fx...` functions. */
export const fixed = numberField('fixed', 4);
export const bool: ScalarField<boolean> = { field: 'scalar', kind: 'bool', bytes: 1 };

/** One of up to 256 names; the first is the zero. Writing another string throws `bad-state`. */
export function choice<const N extends readonly [string, ...string[]]>(...names: N): ScalarField<N[number]> {
  return { field: 'scalar', kind: 'choice', bytes: 1, names };
}

/** A generator held in the state, started from the match's seed: `state.random.below(6)`. */
export function random(): RandomField {
  return { field: 'random' };
}

/**
 * `length` elements. Arrays of numbers are typed arrays, arrays of `q16`, `bool` and `choice` have `get` and `set`,
 * arrays of structs are read-only lists of views.
 */
export function array<const E extends Element>(length: number, element: E): ArrayField<E> {
  return { field: 'array', length, element };
}

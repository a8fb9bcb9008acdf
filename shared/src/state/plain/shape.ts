import { chainHash } from '../hash.js';

/** 32 bits of a text by its UTF-16 units and its length. */
export function hashText(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
    hash = (hash << 13) | (hash >>> 19);
  }
  return chainHash(text.length, hash);
}

/** The keys that an object has: their order as the game sees it, and the one order in which they are hashed. */
export interface Shape {
  /** In the object's own order. */
  readonly keys: readonly string[];
  /** By UTF-16 units. */
  readonly sorted: readonly string[];
  /** Where each of `keys` is in `sorted`. */
  readonly ranks: readonly number[];
  /** 32 bits of the sorted keys: the same for every order. */
  readonly hash: number;
  /** How many objects of this shape were looked at property by property. */
  checked: number;
  /** No object of this shape was seen to hold anything but numbers. */
  numeric: boolean;
}

export const NO_KEYS: Shape = { keys: [], sorted: [], ranks: [], hash: 0, checked: 0, numeric: true };

/** Bounds the memory that objects used as dictionaries, with ever new keys, may take. */
const SHAPES_MAX = 512;

function same(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** Finds the shape of a key list, so that objects of one shape share its sorted order. */
export class ShapeTable {
  readonly #known = new Map<number, Shape>();
  /** The shape that was asked for last: objects of one kind come in rows. */
  #last = NO_KEYS;

  of(keys: readonly string[]): Shape {
    if (!same(this.#last.keys, keys)) this.#last = this.#find(keys);
    return this.#last;
  }

  #find(keys: readonly string[]): Shape {
    let name = keys.length;
    for (const key of keys) name = chainHash(name, hashText(key));
    const known = this.#known.get(name);
    if (known !== undefined && same(known.keys, keys)) return known;
    if (this.#known.size >= SHAPES_MAX) this.#known.clear();
    const sorted = [...keys].sort();
    const ranks = keys.map((key) => sorted.indexOf(key));
    const hash = sorted.reduce((so, key) => chainHash(so, hashText(key)), keys.length);
    const shape = { keys, sorted, ranks, hash, checked: 0, numeric: true };
    this.#known.set(name, shape);
    return shape;
  }
}

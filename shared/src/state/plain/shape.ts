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
  /** 32 bits of the sorted keys: the same for every order. */
  readonly hash: number;
}

export const NO_KEYS: Shape = { keys: [], sorted: [], hash: 0 };

/** Bounds the memory that objects used as dictionaries, with ever new keys, may take. */
const SHAPES_MAX = 512;

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

/** Finds the shape of a key list, so that objects of one shape share its sorted order. */
export class ShapeTable {
  readonly #known = new Map<number, Shape>();

  of(keys: readonly string[]): Shape {
    let name = keys.length;
    for (const key of keys) name = chainHash(name, hashText(key));
    const known = this.#known.get(name);
    if (known !== undefined && same(known.keys, keys)) return known;
    if (this.#known.size >= SHAPES_MAX) this.#known.clear();
    const sorted = [...keys].sort();
    const shape: Shape = {
      keys,
      sorted,
      hash: sorted.reduce((hash, key) => chainHash(hash, hashText(key)), keys.length),
    };
    this.#known.set(name, shape);
    return shape;
  }
}

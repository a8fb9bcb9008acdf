import { RiposteError } from '../../errors.js';
import type { FieldDifference, Snapshot, StateModel } from '../model.js';
import { encodeImage, ImageReader } from './codec.js';
import { Differ } from './diff.js';
import { Image } from './image.js';
import { BUFFER, type Copier, Marks, OBJECT, VIEW } from './kinds.js';
import { Loader } from './loader.js';
import { PlainRandom } from './random.js';
import { ShapeTable } from './shape.js';
import { Writer } from './writer.js';

export interface PlainOptions {
  /**
   * The classes that a state may hold instances of. A class alone: an instance is its own fields, and a new one is
   * made without running the constructor; right for classes without `#private` fields. A `Copier` for all others.
   * The order is part of the hash: the same on every peer.
   */
  readonly copiers?: readonly ((abstract new (...args: never[]) => object) | Copier<object>)[];
}

class PlainSnapshot<S> implements Snapshot<S> {
  readonly #writer: Writer;
  readonly #loader: Loader;
  #image = new Image();
  #saved = false;
  /** The hash once it was asked for; -1 before. */
  #hash = -1;

  constructor(writer: Writer, loader: Loader) {
    this.#writer = writer;
    this.#loader = loader;
  }

  save(state: S): void {
    this.#image = this.#writer.write(state, this.#image);
    this.#saved = true;
    this.#hash = -1;
  }

  load(into: S): void {
    if (!this.#saved) throw new RiposteError('bad-state', 'the snapshot is empty; expected a saved state');
    this.#loader.load(this.#image, into);
  }

  hash(): number {
    if (this.#hash === -1) this.#hash = this.#image.hash();
    return this.#hash;
  }
}

/** A state of ordinary objects, copied by value. */
export class PlainModel<S extends object> implements StateModel<S> {
  readonly #make: () => S;
  readonly #marks: Marks;
  readonly #shapes = new ShapeTable();
  readonly #writer: Writer;
  readonly #loader: Loader;
  /** What `create` copies; made at the first call. */
  #initial: Image | undefined;
  /** For what only passes through. */
  #scratch = new Image();

  constructor(make: () => S, options: PlainOptions) {
    this.#make = make;
    this.#marks = new Marks(options.copiers ?? [], this.#shapes);
    this.#writer = new Writer(this.#marks, this.#shapes);
    this.#loader = new Loader(this.#marks);
  }

  create(): S {
    if (this.#initial === undefined) {
      const image = this.#writer.write(this.#make(), new Image());
      const [root] = image.tags;
      if (root < OBJECT || root === BUFFER || root === VIEW) {
        throw new RiposteError('bad-state', 'the initial state is a single value; expected an object that holds it');
      }
      this.#initial = image;
    }
    // The image is that of an S, and the loader makes again what the writer read.
    return this.#loader.create(this.#initial) as S;
  }

  createSnapshot(): Snapshot<S> {
    return new PlainSnapshot(this.#writer, this.#loader);
  }

  #imageOf(state: unknown): Image {
    this.#scratch = this.#writer.write(state, this.#scratch);
    return this.#scratch;
  }

  copy(from: S, into: S): void {
    this.#loader.load(this.#imageOf(from), into);
  }

  hash(state: S): number {
    return this.#imageOf(state).hash();
  }

  /** Where `b` differs from `a`, keys in sorted order. Throws `bad-state` for what is not plain data. */
  diff(a: S, b: S): FieldDifference[] {
    this.#imageOf(a);
    this.#imageOf(b);
    return new Differ(this.#marks).run(a, b);
  }

  encode(state: S): Uint8Array {
    return encodeImage(this.#imageOf(state));
  }

  decode(bytes: Uint8Array, into: S): void {
    const image = new Image();
    new ImageReader(bytes, image, this.#marks, this.#shapes).read();
    // Made apart first: whatever is wrong with it shows before `into` is touched.
    let again: Uint8Array;
    try {
      again = this.encode(this.#loader.create(image) as S);
    } catch (error) {
      throw new RiposteError('bad-state', `the encoded state cannot be made: ${String(error)}`);
    }
    if (again.length !== bytes.length || again.some((byte, at) => byte !== bytes[at])) {
      throw new RiposteError('bad-state', 'the encoded state is not in its one canonical form');
    }
    this.#loader.load(image, into);
  }

  seed(state: S, seed: number): void {
    let stream = 0;
    this.#imageOf(state);
    this.#writer.eachMet((object) => {
      if (object instanceof PlainRandom) object.seed(seed, stream++);
    });
  }
}

/**
 * A state of ordinary objects: `plain(() => ({ players: [{ x: 0, hp: 100 }], shots: [], scores: new Map() }))`.
 *
 * A state may hold objects, arrays, Maps, Sets, typed arrays, DataViews, ArrayBuffers, strings, numbers, bigints,
 * booleans, null, undefined, generators (`plainRandom()`) and instances of registered classes, to 500 levels.
 * `create` is called once, and each new state is a copy of what it returned. Everything is copied by value; `load`
 * restores in place, so that the state object stays the same while what is inside is filled, removed or made anew.
 * Keep no reference to a part of the state outside it: after a load that part may be another one.
 *
 * The rules of sameness, for hash and diff alike:
 * - the order of an object's keys does not count, that of a Map's entries and a Set's members does; copies keep both;
 * - NaN is one value; -0 and 0 differ; 1 and 1.0 are the same number; 1n and 1 differ;
 * - a key with the value undefined differs from an absent one;
 * - what is shared stays shared: one object at two places differs from two equal objects.
 *
 * Saving throws `bad-state`, naming the path (`players[1].onHit`), for functions, symbols, getters, read-only or
 * non-enumerable properties, frozen objects, sparse arrays, cycles, and instances of classes that are not registered.
 * Throws `bad-game` for a bad entry in `options.copiers`, and `bad-state` on a big-endian machine.
 */
export function plain<S extends object>(create: () => S, options: PlainOptions = {}): PlainModel<S> {
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
    throw new RiposteError('bad-state', 'this machine is big-endian; state layouts are little-endian');
  }
  if (typeof create !== 'function') {
    throw new RiposteError('bad-game', 'plain() was given no function; expected one that returns the initial state');
  }
  return new PlainModel(create, options);
}

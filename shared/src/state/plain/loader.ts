import { RiposteError } from '../../errors.js';
import { Image } from './image.js';
import {
  ARRAY,
  BIGINT,
  BUFFER,
  CUSTOM,
  DICTIONARY,
  FALSE,
  FIELDS,
  MAP,
  type Mark,
  type Marks,
  NULL,
  NUMBER,
  OBJECT,
  RANDOM,
  REFERENCE,
  SET,
  STRING,
  TRUE,
  UNDEFINED,
  VIEW,
  VIEW_KINDS,
  type View,
  viewLength,
} from './kinds.js';
import { PlainRandom } from './random.js';
import type { Shape } from './shape.js';

type Fields = Record<string, unknown>;

/** Puts an image back into a live state: objects of the same kind in the same place are filled, others made anew. */
export class Loader {
  readonly #marks: Marks;
  #image = new Image();
  #walk = 0;
  #tagAt = 0;
  #numberAt = 0;
  #textAt = 0;
  #shapeAt = 0;
  #byteAt = 0;
  /** The objects made or filled so far, by their number in the image. */
  readonly #objects: object[] = [];

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** A new state, sharing nothing with any other. */
  create(image: Image): unknown {
    return this.#start(image, undefined);
  }

  /** Makes `into` the state of the image, in place. Throws `bad-state`, changing nothing, for another kind of root. */
  load(image: Image, into: unknown): void {
    const mark = typeof into === 'object' && into !== null ? this.#marks.of(into) : undefined;
    const detailed = mark?.kind === FIELDS || mark?.kind === CUSTOM;
    const fits = mark?.kind === image.tags[0] && (!detailed || mark.detail === image.numbers[0]);
    if (!fits || mark?.fault !== undefined) {
      throw new RiposteError('bad-state', 'the state to load into is of another kind than the saved one');
    }
    this.#start(image, into);
  }

  #start(image: Image, old: unknown): unknown {
    this.#image = image;
    this.#walk = this.#marks.nextWalk();
    this.#tagAt = 0;
    this.#numberAt = 0;
    this.#textAt = 0;
    this.#shapeAt = 0;
    this.#byteAt = 0;
    const value = this.#read(old);
    this.#objects.length = 0;
    return value;
  }

  #number(): number {
    return this.#image.numbers[this.#numberAt++];
  }

  #read(old: unknown): unknown {
    const tag = this.#image.tags[this.#tagAt++];
    switch (tag) {
      case NUMBER:
        return this.#number();
      case TRUE:
        return true;
      case FALSE:
        return false;
      case NULL:
        return null;
      case UNDEFINED:
        return undefined;
      case STRING:
      case BIGINT:
        return this.#image.texts[this.#textAt++];
      case REFERENCE:
        return this.#objects[this.#number()];
      default:
        return this.#object(tag, old);
    }
  }

  /** The old object's mark when it is of this kind and not yet taken in this walk: then it is filled. */
  #reusable(tag: number, detail: number, old: unknown): old is object {
    if (typeof old !== 'object' || old === null) return false;
    const mark: Mark = this.#marks.of(old);
    if (mark.kind !== tag || mark.detail !== detail || mark.fault !== undefined || mark.walk === this.#walk)
      return false;
    mark.walk = this.#walk;
    return true;
  }

  /** Numbers an object as the walk that wrote it did. */
  #claim<T extends object>(object: T): T {
    this.#objects.push(object);
    return object;
  }

  #object(tag: number, old: unknown): object {
    // A reused object has the kind that the tag says, by its prototype: the compiler cannot follow that.
    switch (tag) {
      case OBJECT:
        return this.#fields(this.#reusable(tag, 0, old) ? (old as Fields) : {});
      case DICTIONARY:
        return this.#fields(this.#reusable(tag, 0, old) ? (old as Fields) : Object.create(null));
      case FIELDS: {
        const detail = this.#number();
        const reused = this.#reusable(tag, detail, old);
        return this.#fields(reused ? (old as Fields) : Object.create(this.#marks.prototypes[detail]));
      }
      case ARRAY:
        return this.#array(this.#reusable(tag, 0, old) ? (old as unknown[]) : []);
      case MAP:
        return this.#map(this.#reusable(tag, 0, old) ? (old as Map<unknown, unknown>) : new Map());
      case SET:
        return this.#set(this.#reusable(tag, 0, old) ? (old as Set<unknown>) : new Set());
      case BUFFER:
        return this.#buffer(this.#reusable(tag, 0, old) ? (old as ArrayBuffer) : undefined);
      case VIEW:
        return this.#view(old);
      case RANDOM: {
        const generator = this.#claim(this.#reusable(tag, 0, old) ? (old as PlainRandom) : new PlainRandom());
        generator.words[0] = this.#number();
        generator.words[1] = this.#number();
        return generator;
      }
      default:
        return this.#custom(old);
    }
  }

  #fields(object: Fields): object {
    this.#claim(object);
    const image = this.#image;
    const shape = image.shapes[this.#shapeAt++];
    this.#numberAt++;
    giveKeys(object, shape);
    const { sorted } = shape;
    for (let index = 0; index < sorted.length; index++) {
      const key = sorted[index];
      if (image.tags[this.#tagAt] === NUMBER) {
        this.#tagAt++;
        object[key] = image.numbers[this.#numberAt++];
      } else {
        object[key] = this.#read(object[key]);
      }
    }
    return object;
  }

  #array(array: unknown[]): object {
    this.#claim(array);
    const length = this.#number();
    if (array.length > length) array.length = length;
    for (let index = 0; index < length; index++) {
      const value = this.#read(index < array.length ? array[index] : undefined);
      if (index < array.length) array[index] = value;
      else array.push(value);
    }
    return array;
  }

  #map(map: Map<unknown, unknown>): object {
    this.#claim(map);
    const size = this.#number();
    const keys = [...map.keys()];
    const values = [...map.values()];
    let matching = true;
    for (let index = 0; index < size; index++) {
      const key = this.#read(keys[index]);
      // The order is part of the state: from the first entry with another key on, all are put in anew.
      if (matching && (index >= keys.length || !sameKey(key, keys[index]))) {
        matching = false;
        for (let rest = index; rest < keys.length; rest++) map.delete(keys[rest]);
      }
      map.set(key, this.#read(values[index]));
    }
    if (matching) for (let rest = size; rest < keys.length; rest++) map.delete(keys[rest]);
    return map;
  }

  #set(set: Set<unknown>): object {
    this.#claim(set);
    const size = this.#number();
    const members = [...set];
    let matching = true;
    for (let index = 0; index < size; index++) {
      const member = this.#read(members[index]);
      if (matching && (index >= members.length || !sameKey(member, members[index]))) {
        matching = false;
        for (let rest = index; rest < members.length; rest++) set.delete(members[rest]);
      }
      set.add(member);
    }
    if (matching) for (let rest = size; rest < members.length; rest++) set.delete(members[rest]);
    return set;
  }

  #buffer(old: ArrayBuffer | undefined): object {
    const length = this.#number();
    const buffer = this.#claim(old !== undefined && old.byteLength === length ? old : new ArrayBuffer(length));
    const from = this.#byteAt;
    this.#byteAt += Math.ceil(length / 8) * 8;
    new Uint8Array(buffer).set(this.#image.bytes.subarray(from, from + length));
    return buffer;
  }

  #view(old: unknown): object {
    const detail = this.#number();
    const offset = this.#number();
    const length = this.#number();
    const view = this.#reusable(VIEW, detail, old) ? (old as View) : undefined;
    // Its number comes before its buffer's: the place is kept.
    const place = this.#objects.length;
    this.#objects.push(this);
    // The writer gave the buffer's tag, or a reference to it.
    const buffer = this.#read(view?.buffer) as ArrayBuffer;
    const same =
      view !== undefined && view.buffer === buffer && view.byteOffset === offset && viewLength(view) === length;
    const loaded = same ? view : new VIEW_KINDS[detail].type(buffer, offset, length);
    this.#objects[place] = loaded;
    return loaded;
  }

  #custom(old: unknown): object {
    const detail = this.#number();
    const copier = this.#marks.copiers[detail];
    if (copier === undefined) throw new RiposteError('bad-state', `class ${detail} has no copier here`);
    const instance = this.#claim(this.#reusable(CUSTOM, detail, old) ? old : copier.create());
    copier.load(this.#read(undefined), instance);
    return instance;
  }
}

/** As a Map and a Set compare keys. */
function sameKey(a: unknown, b: unknown): boolean {
  return a === b || Object.is(a, b);
}

/** Gives an object exactly these keys in this order; those from the first that differs on are put in anew. */
function giveKeys(object: Fields, { keys }: Shape): void {
  let matching = 0;
  let extra = false;
  for (const key in object) {
    if (matching >= keys.length || keys[matching] !== key) {
      extra = true;
      break;
    }
    matching++;
  }
  if (!extra && matching === keys.length) return;
  if (extra) {
    // The last first: engines undo additions cheaply in that order alone.
    const own = Object.keys(object);
    for (let index = own.length - 1; index >= matching; index--) delete object[own[index]];
  }
  // A number is what most fields hold: engines then store them unboxed.
  for (let index = matching; index < keys.length; index++) object[keys[index]] = 0;
}

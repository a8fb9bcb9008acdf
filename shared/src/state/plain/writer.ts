import { RiposteError } from '../../errors.js';
import { Image } from './image.js';
import {
  ARRAY,
  BIGINT,
  BUFFER,
  CUSTOM,
  DEPTH_MAX,
  DICTIONARY,
  type Fault,
  FIELDS,
  MAP,
  type Mark,
  type Marks,
  NULL,
  OBJECT,
  RANDOM,
  REFERENCE,
  SET,
  STRING,
  UNDEFINED,
  VIEW,
  VIEW_KINDS,
  type View,
  viewLength,
} from './kinds.js';
import { keyPath, memberPath } from './path.js';
import type { PlainRandom } from './random.js';
import type { Shape, ShapeTable } from './shape.js';

const EXPECTED =
  'expected plain data: objects, arrays, Maps, Sets, typed arrays, strings, numbers, bigints, booleans, null or undefined';

/** Walks a state and writes it into an image. What the state reaches twice is written once and then referred to. */
export class Writer {
  readonly #marks: Marks;
  readonly #shapes: ShapeTable;
  /** The image being written. A finished one is handed out for the one given, so that a failed save spoils nothing. */
  #image = new Image();
  #walk = 0;
  /** The objects that this walk and the last one met, in order: the same one again needs no look-up. */
  readonly #met: object[] = [];
  readonly #metMarks: Mark[] = [];
  #count = 0;
  /** Where the walk is: containers from the root on, with the key or position each is at. */
  #depth = 0;
  readonly #holders: object[] = [];
  readonly #keys: string[] = [];
  readonly #positions = new Int32Array(DEPTH_MAX);

  constructor(marks: Marks, shapes: ShapeTable) {
    this.#marks = marks;
    this.#shapes = shapes;
  }

  /**
   * Writes a state and returns its image; `given` is taken in exchange, its storage to be reused by a later write.
   * Throws `bad-state`, naming the path, for what is not plain data; then `given` is as it was.
   */
  write(state: unknown, given: Image): Image {
    const image = this.#image;
    image.clear();
    this.#walk = this.#marks.nextWalk();
    this.#count = 0;
    this.#depth = 0;
    this.#value(state);
    image.trim();
    if (this.#met.length > this.#count) {
      this.#met.length = this.#count;
      this.#metMarks.length = this.#count;
    }
    this.#image = given;
    return image;
  }

  /** Visits the objects of the state that was written last, in the order of the walk. */
  eachMet(visit: (object: object) => void): void {
    for (const object of this.#met) visit(object);
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'number':
        this.#image.numberValue(value);
        return;
      case 'string':
        this.#image.text(STRING, value);
        return;
      case 'boolean':
        this.#image.boolean(value);
        return;
      case 'undefined':
        this.#image.tag(UNDEFINED);
        return;
      case 'bigint':
        this.#image.text(BIGINT, value);
        return;
      case 'object':
        if (value === null) this.#image.tag(NULL);
        else this.#object(value);
        return;
      default:
        throw this.#refusal(typeof value === 'function' ? 'a function' : 'a symbol');
    }
  }

  #object(object: object): void {
    const mark = this.#markOf(object);
    const image = this.#image;
    if (mark.walk === this.#walk) {
      if (mark.openIn === this.#walk) throw this.#cycle(object);
      image.tag(REFERENCE);
      image.number(mark.index);
      return;
    }
    if (mark.kind === 0) throw this.#refusal(describe(object));
    if (mark.fault !== undefined) throw this.#faulty(mark.fault);
    if (this.#depth === DEPTH_MAX) throw this.#refusal(`nested deeper than ${DEPTH_MAX} objects`);
    mark.walk = this.#walk;
    mark.openIn = this.#walk;
    mark.index = this.#count;
    this.#met[this.#count] = object;
    this.#metMarks[this.#count++] = mark;
    image.tag(mark.kind);
    this.#holders[this.#depth] = object;
    this.#keys[this.#depth] = '';
    this.#positions[this.#depth] = -1;
    this.#depth++;
    this.#content(object, mark);
    this.#depth--;
    mark.openIn = 0;
  }

  #markOf(object: object): Mark {
    return this.#met[this.#count] === object ? this.#metMarks[this.#count] : this.#marks.of(object);
  }

  #content(object: object, mark: Mark): void {
    // The mark says what the object is, by its prototype: the compiler cannot follow that.
    switch (mark.kind) {
      case FIELDS:
        this.#image.number(mark.detail);
        this.#fields(object as Record<string, unknown>, mark);
        return;
      case OBJECT:
      case DICTIONARY:
        this.#fields(object as Record<string, unknown>, mark);
        return;
      case ARRAY:
        this.#array(object as unknown[]);
        return;
      case MAP:
        this.#image.number((object as Map<unknown, unknown>).size);
        (object as Map<unknown, unknown>).forEach(this.#entry);
        return;
      case SET:
        this.#image.number((object as Set<unknown>).size);
        (object as Set<unknown>).forEach(this.#member);
        return;
      case BUFFER:
        this.#buffer(object as ArrayBuffer, mark);
        return;
      case VIEW:
        this.#view(object as View, mark);
        return;
      case RANDOM: {
        const { words } = object as PlainRandom;
        this.#image.number(words[0]);
        this.#image.number(words[1]);
        return;
      }
      case CUSTOM:
        this.#image.number(mark.detail);
        this.#keys[this.#depth - 1] = 'save()';
        this.#value(this.#marks.copiers[mark.detail]?.save(object));
    }
  }

  /**
   * Writes an object that has the known keys and holds only numbers; false, and nothing is written, for another. One
   * look at each field in the object's own order: several times as fast as looking fields up by name.
   */
  #numeric(object: Record<string, unknown>, shape: Shape): boolean {
    const { keys, ranks } = shape;
    const image = this.#image;
    const first = image.beginNumeric(keys.length);
    const { numbers } = image;
    let sawNan = false;
    let count = 0;
    for (const key in object) {
      if (count >= keys.length || keys[count] !== key) return false;
      const value = object[key];
      if (typeof value !== 'number') {
        shape.numeric = false;
        return false;
      }
      numbers[first + ranks[count++]] = value;
      if (Number.isNaN(value)) sawNan = true;
    }
    if (count !== keys.length) return false;
    image.endNumeric(shape, sawNan);
    return true;
  }

  #fields(object: Record<string, unknown>, mark: Mark): void {
    if (mark.shape.numeric && this.#numeric(object, mark.shape)) return;
    const shape = this.#shapeOf(object, mark);
    const image = this.#image;
    image.shape(shape);
    const { sorted } = shape;
    const at = this.#depth - 1;
    for (let index = 0; index < sorted.length; index++) {
      const key = sorted[index];
      const value = object[key];
      if (typeof value === 'number') {
        image.numberValue(value);
      } else {
        this.#keys[at] = key;
        this.#value(value);
      }
    }
  }

  /** The object's shape: nearly always the one it had when it was last met. */
  #shapeOf(object: object, mark: Mark): Shape {
    const { keys } = mark.shape;
    let count = 0;
    for (const key in object) {
      if (count >= keys.length || keys[count] !== key) {
        count = -1;
        break;
      }
      count++;
    }
    if (count === keys.length) return mark.shape;
    const own = Object.keys(object);
    if (own.includes('__proto__')) {
      throw this.#faulty({ key: '__proto__', problem: 'has a name that no object can safely be given' });
    }
    mark.shape = this.#shapes.of(own);
    return mark.shape;
  }

  #array(array: readonly unknown[]): void {
    const image = this.#image;
    const { length } = array;
    image.number(length);
    const at = this.#depth - 1;
    for (let index = 0; index < length; index++) {
      const value = array[index];
      if (typeof value === 'number') {
        image.numberValue(value);
        continue;
      }
      this.#positions[at] = index;
      if (value === undefined && !(index in array)) throw this.#refusal('a hole in a sparse array');
      this.#value(value);
    }
  }

  readonly #entry = (value: unknown, key: unknown): void => {
    this.#positions[this.#depth - 1]++;
    this.#value(key);
    this.#positions[this.#depth - 1]++;
    this.#value(value);
  };

  readonly #member = (value: unknown): void => {
    this.#positions[this.#depth - 1]++;
    this.#value(value);
  };

  #buffer(buffer: ArrayBuffer, mark: Mark): void {
    const image = this.#image;
    image.number(buffer.byteLength);
    mark.bytesAt = image.reserveBytes(buffer.byteLength);
    image.bytes.set(new Uint8Array(buffer), mark.bytesAt);
  }

  #view(view: View, mark: Mark): void {
    const image = this.#image;
    const length = viewLength(view);
    image.number(mark.detail);
    image.number(view.byteOffset);
    image.number(length);
    this.#keys[this.#depth - 1] = 'buffer';
    this.#object(view.buffer);
    const { bytes, float } = VIEW_KINDS[mark.detail];
    if (float) image.canonicalizeFloats(this.#marks.of(view.buffer).bytesAt + view.byteOffset, bytes, length);
  }

  #path(depth = this.#depth): string {
    let path = '';
    for (let at = 0; at < depth; at++) {
      const position = this.#positions[at];
      if (position >= 0) path = memberPath(path, this.#holders[at], position);
      else if (this.#keys[at] === 'save()') path = `${path}.save()`;
      else path = keyPath(path, this.#keys[at]);
    }
    return path === '' ? 'the state' : path;
  }

  #refusal(what: string): RiposteError {
    return new RiposteError('bad-state', `${this.#path()} is ${what}; ${EXPECTED}`);
  }

  #cycle(object: object): RiposteError {
    const target = this.#path(this.#holders.indexOf(object));
    return new RiposteError(
      'bad-state',
      `${this.#path()} leads back to ${target}, which contains it; expected a state without cycles: hold an index or id`,
    );
  }

  #faulty({ key, problem }: Fault): RiposteError {
    const path = this.#path();
    const at = key === undefined ? path : keyPath(path === 'the state' ? '' : path, key);
    return new RiposteError('bad-state', `${at} ${problem}; ${EXPECTED}`);
  }
}

/** An object that cannot be part of a state, by the name of its class. */
function describe(object: object): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  const maker: unknown = typeof prototype === 'object' && prototype !== null ? prototype.constructor : undefined;
  const name = typeof maker === 'function' && maker.name !== '' ? maker.name : 'an unnamed class';
  return `an instance of ${name}, which has no copier`;
}

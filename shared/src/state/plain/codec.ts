import type { Image } from './image.js';
import {
  ARRAY,
  BIGINT,
  BUFFER,
  CUSTOM,
  DEPTH_MAX,
  DICTIONARY,
  FALSE,
  FIELDS,
  MAP,
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
} from './kinds.js';
import type { Shape, ShapeTable } from './shape.js';
import { StateReader, StateWriter } from './wire.js';

const VERSION = 1;
/** On the wire alone: a number that is a 32-bit integer, as a zigzag varint. */
const INTEGER = 32;
/** Reading a bigint costs more than its digits: more hexadecimal digits than these are refused. */
const BIGINT_DIGITS_MAX = 65_536;

/**
 * An image as portable bytes: the tags in their order, each followed by what belongs to it. An object gives the number
 * of its key list; a new number is followed by the keys, in the object's own order.
 */
export function encodeImage(image: Image): Uint8Array {
  const out = new StateWriter();
  const lists = new Map<string, number>();
  let numberAt = 0;
  let textAt = 0;
  let shapeAt = 0;
  let byteAt = 0;
  out.u8(VERSION);
  for (let tagAt = 0; tagAt < image.tagCount; tagAt++) {
    const tag = image.tags[tagAt];
    if (tag === NUMBER) {
      const value = image.numbers[numberAt++];
      if ((value | 0) === value && !Object.is(value, -0)) {
        out.u8(INTEGER);
        out.varint((value << 1) ^ (value >> 31));
      } else {
        out.u8(NUMBER);
        out.f64(value);
      }
      continue;
    }
    out.u8(tag);
    switch (tag) {
      case STRING:
      case BIGINT: {
        const text = image.texts[textAt++];
        out.text(typeof text === 'string' ? text : text.toString(16));
        break;
      }
      case FIELDS:
        out.varint(image.numbers[numberAt++]);
        writeShape(out, lists, image.shapes[shapeAt++]);
        numberAt++;
        break;
      case OBJECT:
      case DICTIONARY:
        writeShape(out, lists, image.shapes[shapeAt++]);
        numberAt++;
        break;
      case BUFFER: {
        const length = image.numbers[numberAt++];
        out.varint(length);
        out.bytes(image.bytes.subarray(byteAt, byteAt + length));
        byteAt += Math.ceil(length / 8) * 8;
        break;
      }
      default:
        for (let count = NUMBERS_OF[tag] ?? 0; count > 0; count--) out.varint(image.numbers[numberAt++]);
    }
  }
  return out.finish();
}

/** How many numbers belong to a tag that has nothing else. */
const NUMBERS_OF: { readonly [tag: number]: number } = {
  [REFERENCE]: 1,
  [ARRAY]: 1,
  [MAP]: 1,
  [SET]: 1,
  [VIEW]: 3,
  [RANDOM]: 2,
  [CUSTOM]: 1,
};

function writeShape(out: StateWriter, lists: Map<string, number>, { keys }: Shape): void {
  const name = JSON.stringify(keys);
  const known = lists.get(name);
  out.varint(known ?? lists.size);
  if (known !== undefined) return;
  lists.set(name, lists.size);
  out.varint(keys.length);
  for (const key of keys) out.text(key);
}

/**
 * Reads what `encodeImage` wrote into an image. Checks all that loading relies on; that the bytes are *the* encoding
 * of that state (no key twice, no other order) its caller checks by encoding again. Throws `bad-state`.
 */
export class ImageReader {
  readonly #in: StateReader;
  readonly #marks: Marks;
  readonly #shapes: ShapeTable;
  readonly #image: Image;
  readonly #lists: Shape[] = [];
  /** The objects read so far; `bytes` is a buffer's length. A reference to an open one would be a cycle. */
  readonly #objects: { readonly tag: number; open: boolean; bytes: number }[] = [];

  constructor(bytes: Uint8Array, image: Image, marks: Marks, shapes: ShapeTable) {
    this.#in = new StateReader(bytes);
    this.#image = image;
    this.#marks = marks;
    this.#shapes = shapes;
  }

  read(): void {
    this.#image.clear();
    const version = this.#in.u8();
    if (version !== VERSION) throw this.#in.bad(`version ${version}; expected ${VERSION}`);
    this.#value(0);
    if (this.#in.left > 0) throw this.#in.bad(`${this.#in.left} bytes are left over`);
    this.#image.trim();
  }

  #value(depth: number): void {
    const image = this.#image;
    const tag = this.#in.u8();
    switch (tag) {
      case UNDEFINED:
      case NULL:
      case TRUE:
      case FALSE:
        image.tag(tag);
        return;
      case INTEGER: {
        const value = this.#in.varint();
        image.numberValue((value >>> 1) ^ -(value & 1));
        return;
      }
      case NUMBER:
        image.numberValue(this.#in.f64());
        return;
      case STRING:
        image.text(STRING, this.#in.text());
        return;
      case BIGINT:
        image.text(BIGINT, this.#bigint());
        return;
      case REFERENCE: {
        const index = this.#in.varint();
        const target = this.#objects[index];
        if (target === undefined || target.open)
          throw this.#in.bad(`a reference to object ${index}, not finished here`);
        image.tag(REFERENCE);
        image.number(index);
        return;
      }
      default:
        if (depth === DEPTH_MAX) throw this.#in.bad(`nested deeper than ${DEPTH_MAX} objects`);
        this.#object(tag, depth + 1);
    }
  }

  #bigint(): bigint {
    const digits = this.#in.text();
    const negative = digits.startsWith('-');
    const magnitude = negative ? digits.slice(1) : digits;
    if (!/^[0-9a-f]+$/.test(magnitude) || magnitude.length > BIGINT_DIGITS_MAX) {
      throw this.#in.bad(`a bigint is not 1 to ${BIGINT_DIGITS_MAX} hexadecimal digits`);
    }
    const value = BigInt(`0x${magnitude}`);
    return negative ? -value : value;
  }

  #object(tag: number, depth: number): void {
    const image = this.#image;
    const object = { tag, open: true, bytes: 0 };
    this.#objects.push(object);
    image.tag(tag);
    switch (tag) {
      case FIELDS:
        this.#registered(FIELDS);
        this.#fields(depth);
        break;
      case OBJECT:
      case DICTIONARY:
        this.#fields(depth);
        break;
      case ARRAY:
      case SET:
        for (let left = this.#count(); left > 0; left--) this.#value(depth);
        break;
      case MAP:
        for (let left = this.#count() * 2; left > 0; left--) this.#value(depth);
        break;
      case BUFFER: {
        object.bytes = this.#count();
        const from = this.#in.bytes(object.bytes);
        const at = image.reserveBytes(object.bytes);
        image.bytes.set(from, at);
        break;
      }
      case VIEW:
        this.#view(depth);
        break;
      case RANDOM:
        image.number(this.#in.varint() | 0);
        image.number(this.#in.varint() | 0);
        break;
      case CUSTOM:
        this.#registered(CUSTOM);
        this.#value(depth);
        break;
      default:
        throw this.#in.bad(`${tag} begins no value`);
    }
    object.open = false;
  }

  #count(): number {
    const count = this.#in.count();
    this.#image.number(count);
    return count;
  }

  #registered(tag: number): void {
    const detail = this.#in.varint();
    const known = detail < this.#marks.prototypes.length;
    if (!known || (this.#marks.copiers[detail] === undefined) !== (tag === FIELDS)) {
      throw this.#in.bad(`class ${detail} is not one that this model knows`);
    }
    this.#image.number(detail);
  }

  #fields(depth: number): void {
    const index = this.#in.varint();
    if (index > this.#lists.length) throw this.#in.bad(`key list ${index} was not given`);
    if (index === this.#lists.length) {
      const keys: string[] = [];
      for (let left = this.#in.count(); left > 0; left--) keys.push(this.#in.text());
      if (keys.includes('__proto__')) throw this.#in.bad('a key is __proto__');
      this.#lists.push(this.#shapes.of(keys));
    }
    const shape = this.#lists[index];
    this.#image.shape(shape);
    for (let left = shape.keys.length; left > 0; left--) this.#value(depth);
  }

  #view(depth: number): void {
    const detail = this.#in.varint();
    const offset = this.#in.varint();
    const length = this.#in.varint();
    this.#image.number(detail);
    this.#image.number(offset);
    this.#image.number(length);
    const kind = VIEW_KINDS[detail];
    if (kind === undefined) throw this.#in.bad(`${detail} is no kind of typed array`);
    const next = this.#objects.length;
    const tagAt = this.#image.tagCount;
    this.#value(depth);
    const referred = this.#image.tags[tagAt] === REFERENCE;
    const buffer = this.#objects[referred ? this.#image.numbers[this.#image.numberCount - 1] : next];
    if (buffer?.tag !== BUFFER) throw this.#in.bad('a typed array has no buffer');
    if (offset % kind.bytes !== 0 || offset + length * kind.bytes > buffer.bytes) {
      throw this.#in.bad(`a typed array at ${offset} of ${length} elements leaves its ${buffer.bytes} bytes`);
    }
  }
}

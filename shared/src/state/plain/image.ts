import { chainHash, hashWords } from '../hash.js';
import { FALSE, NUMBER, TRUE } from './kinds.js';
import { hashText, type Shape } from './shape.js';

const CANONICAL_NAN_HIGH = 0x7ff80000;

/**
 * One state by value, in five flat lists that are filled in one walk over the state and read back in the same order:
 * tags (what each value is), numbers (also lengths and the like), texts, the shapes of objects, and the bytes of
 * buffers. The lists keep their storage from one save to the next.
 */
export class Image {
  tags = new Uint8Array(64);
  tagCount = 0;
  numbers = new Float64Array(32);
  numberCount = 0;
  readonly texts: (string | bigint)[] = [];
  textCount = 0;
  readonly shapes: Shape[] = [];
  shapeCount = 0;
  bytes = new Uint8Array(0);
  byteCount = 0;
  #tagWords = new Int32Array(this.tags.buffer);
  #numberWords = new Int32Array(this.numbers.buffer);
  #floats = new Float32Array(0);
  #doubles = new Float64Array(0);

  clear(): void {
    this.tagCount = 0;
    this.numberCount = 0;
    this.textCount = 0;
    this.shapeCount = 0;
    this.byteCount = 0;
  }

  /** Lets go of texts and shapes that an earlier, larger state left behind. */
  trim(): void {
    if (this.texts.length > this.textCount) this.texts.length = this.textCount;
    if (this.shapes.length > this.shapeCount) this.shapes.length = this.shapeCount;
  }

  tag(tag: number): void {
    if (this.tagCount === this.tags.length) this.#growTags();
    this.tags[this.tagCount++] = tag;
  }

  /** A number without a tag: a length, a kind. */
  number(value: number): void {
    if (this.numberCount === this.numbers.length) this.#growNumbers();
    this.numbers[this.numberCount++] = value;
  }

  /** A number of the state, with one NaN for all NaNs. */
  numberValue(value: number): void {
    this.tag(NUMBER);
    this.number(value);
    if (Number.isNaN(value)) this.#canonicalizeNumber(this.numberCount - 1);
  }

  /** Makes room for an object that holds only numbers; returns where they will lie, once `endNumeric` takes them. */
  beginNumeric(count: number): number {
    // Before them comes the shape.
    while (this.numberCount + 1 + count > this.numbers.length) this.#growNumbers();
    while (this.tagCount + count > this.tags.length) this.#growTags();
    return this.numberCount + 1;
  }

  /** Takes the numbers that were written after `beginNumeric`; `sawNan` when one of them is NaN. */
  endNumeric(shape: Shape, sawNan: boolean): void {
    const { tags } = this;
    const { length } = shape.keys;
    this.shape(shape);
    const end = this.tagCount + length;
    for (let at = this.tagCount; at < end; at++) tags[at] = NUMBER;
    this.tagCount = end;
    const first = this.numberCount;
    this.numberCount += length;
    if (!sawNan) return;
    for (let at = first; at < this.numberCount; at++) {
      if (Number.isNaN(this.numbers[at])) this.#canonicalizeNumber(at);
    }
  }

  /** Engines differ in the bits of NaN: these are written as words. */
  #canonicalizeNumber(at: number): void {
    this.#numberWords[at * 2] = 0;
    this.#numberWords[at * 2 + 1] = CANONICAL_NAN_HIGH;
  }

  boolean(value: boolean): void {
    this.tag(value ? TRUE : FALSE);
  }

  text(tag: number, value: string | bigint): void {
    this.tag(tag);
    this.texts[this.textCount++] = value;
  }

  shape(shape: Shape): void {
    this.shapes[this.shapeCount++] = shape;
    this.number(shape.hash);
  }

  /** Makes room for `count` bytes, padded with zeros to a multiple of 8, and returns where they begin. */
  reserveBytes(count: number): number {
    const at = this.byteCount;
    const end = at + Math.ceil(count / 8) * 8;
    if (end > this.bytes.length) this.#growBytes(end);
    this.bytes.fill(0, at + count, end);
    this.byteCount = end;
    return at;
  }

  /** Gives the floats at these bytes one NaN for all NaNs. */
  canonicalizeFloats(bytesAt: number, size: number, count: number): void {
    const floats = size === 4 ? this.#floats : this.#doubles;
    const first = bytesAt / size;
    for (let at = first; at < first + count; at++) {
      if (!Number.isNaN(floats[at])) continue;
      const words = new Int32Array(this.bytes.buffer, at * size, size >> 2);
      words[0] = size === 4 ? 0x7fc00000 : 0;
      if (size === 8) words[1] = CANONICAL_NAN_HIGH;
    }
  }

  /** 32 bits, unsigned. */
  hash(): number {
    const padded = (this.tagCount + 3) & ~3;
    for (let at = this.tagCount; at < padded; at++) this.tags[at] = 0;
    let hash = hashWords(this.#tagWords, 0, padded >> 2);
    hash = chainHash(hash, hashWords(this.#numberWords, 0, this.numberCount * 2));
    if (this.byteCount > 0) {
      hash = chainHash(
        hash,
        hashWords(new Int32Array(this.bytes.buffer, 0, this.byteCount >> 2), 0, this.byteCount >> 2),
      );
    }
    for (let at = 0; at < this.textCount; at++) {
      const text = this.texts[at];
      hash = chainHash(hash, hashText(typeof text === 'string' ? text : text.toString(16)));
    }
    return hash;
  }

  #growTags(): void {
    const tags = new Uint8Array(this.tags.length * 2);
    tags.set(this.tags);
    this.tags = tags;
    this.#tagWords = new Int32Array(tags.buffer);
  }

  #growNumbers(): void {
    const numbers = new Float64Array(this.numbers.length * 2);
    const words = new Int32Array(numbers.buffer);
    // As words: copying NaNs as numbers need not keep their bits.
    words.set(this.#numberWords);
    this.numbers = numbers;
    this.#numberWords = words;
  }

  #growBytes(needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.#floats = new Float32Array(bytes.buffer);
    this.#doubles = new Float64Array(bytes.buffer);
  }
}

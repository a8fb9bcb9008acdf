import { RiposteError } from '../errors.js';
import { decodeUtf8, encodeUtf8 } from './utf8.js';

/** The most bytes of an unsigned 32-bit integer, seven bits a byte. */
export const VARINT_BYTES_MAX = 5;

/** How many bytes `putVarint` writes. */
export function varintBytes(value: number): number {
  return Math.ceil((32 - Math.clz32(value | 1)) / 7);
}

/** Writes an unsigned 32-bit integer, seven bits a byte, the lowest first, at `at`; returns where it ends, 1 to 5 bytes on. */
export function putVarint(into: Uint8Array, at: number, value: number): number {
  let rest = value >>> 0;
  let end = at;
  for (; rest >= 0x80; rest >>>= 7) into[end++] = rest | 0x80;
  into[end] = rest;
  return end + 1;
}

/** A signed 32-bit integer as the unsigned one that is written for it: small ones of either sign are short. */
export function zigzagOf(value: number): number {
  return (value << 1) ^ (value >> 31);
}

/** The same bytes, for words at any place. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** A growing buffer with a recording's kinds of numbers. Allocates only to grow, and then doubles. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;
  #view: DataView;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = viewOf(this.#bytes);
  }

  /** The buffer itself: valid up to `length`, until the next write. */
  get buffer(): Uint8Array {
    return this.#bytes;
  }

  /** The same bytes, for words at any place. */
  get view(): DataView {
    return this.#view;
  }

  /** The buffer, with room for `count` more bytes: who writes there sets `length` to where that ends. */
  room(count: number): Uint8Array {
    if (this.length + count > this.#bytes.length) this.#grow(count);
    return this.#bytes;
  }

  /** Makes room for `count` more bytes. */
  #grow(count: number): void {
    const larger = new Uint8Array(Math.max(this.length + count, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }

  u8(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  /** Four bytes, the lowest first. */
  u32(value: number): void {
    this.room(4);
    this.#view.setUint32(this.length, value, true);
    this.length += 4;
  }

  /** The first `count` words of a list, as `u32` writes them. */
  words(from: Int32Array | Uint32Array, count: number): void {
    this.room(4 * count);
    const view = this.#view;
    let at = this.length;
    for (let index = 0; index < count; index++, at += 4) view.setInt32(at, from[index]!, true);
    this.length = at;
  }

  /** Four numbers below 256, one byte each. */
  four(a: number, b: number, c: number, d: number): void {
    const bytes = this.room(4);
    const at = this.length;
    bytes[at] = a;
    bytes[at + 1] = b;
    bytes[at + 2] = c;
    bytes[at + 3] = d;
    this.length = at + 4;
  }

  /** An unsigned 32-bit integer, seven bits a byte, the lowest first; 1 to 5 bytes. */
  varint(value: number): void {
    this.length = putVarint(this.room(VARINT_BYTES_MAX), this.length, value);
  }

  /** A signed 32-bit integer, small ones of either sign short. */
  zigzag(value: number): void {
    this.varint(zigzagOf(value));
  }

  /** Leaves room for `count` bytes, which are written later. */
  skip(count: number): void {
    this.room(count);
    this.length += count;
  }

  bytes(from: Uint8Array): void {
    this.room(from.length).set(from, this.length);
    this.length += from.length;
  }

  /** All that another writer has written. */
  copy({ buffer, view, length }: ByteWriter): void {
    const bytes = this.room(length);
    const into = this.#view;
    const start = this.length;
    let at = 0;
    // A part of the buffer as an array of its own costs more than so few bytes.
    for (; at + 4 <= length; at += 4) into.setInt32(start + at, view.getInt32(at));
    for (; at < length; at++) bytes[start + at] = buffer[at]!;
    this.length = start + length;
  }

  /** UTF-8 with its length in bytes before it. */
  text(value: string): void {
    const encoded = encodeUtf8(value);
    this.varint(encoded.length);
    this.bytes(encoded);
  }
}

/** Reads what `ByteWriter` wrote, from `at` on and never past `end`. Every method throws `bad-recording` when the bytes do not fit. */
export class ByteReader {
  readonly bytes: Uint8Array;
  end: number;
  at: number;
  #view: DataView | undefined;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** The same bytes, for words at any place. */
  get view(): DataView {
    this.#view ??= viewOf(this.bytes);
    return this.#view;
  }

  #take(count: number): number {
    const at = this.at;
    if (count > this.end - at) {
      throw new RiposteError('bad-recording', `${this.end - at} bytes are left at byte ${at}; expected ${count}`);
    }
    this.at = at + count;
    return at;
  }

  /** Passes over `count` bytes; returns where they begin. */
  skip(count: number): number {
    return this.#take(count);
  }

  /** A reader of the next `count` bytes, which are passed over here. */
  part(count: number): ByteReader {
    const start = this.#take(count);
    return new ByteReader(this.bytes, start, start + count);
  }

  u8(): number {
    return this.bytes[this.#take(1)]!;
  }

  u32(): number {
    const at = this.#take(4);
    const { bytes } = this;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }

  /** Reads `count` words as `u32` does, to `into[at]` on. */
  words(into: Uint32Array, at: number, count: number): void {
    const { view } = this;
    const from = this.#take(count * 4);
    for (let index = 0; index < count; index++) into[at + index] = view.getUint32(from + index * 4, true);
  }

  varint(): number {
    // Most numbers have one byte.
    const first = this.bytes[this.at]!;
    if (first < 0x80 && this.at < this.end) {
      this.at++;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      if (shift === 28 && byte > 0x0f) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RiposteError('bad-recording', `the number before byte ${this.at} has more than 32 bits`);
  }

  zigzag(): number {
    const value = this.varint();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Text of at most `bytesMax` bytes. */
  text(bytesMax: number): string {
    const length = this.varint();
    if (length > bytesMax) {
      throw new RiposteError('bad-recording', `a text before byte ${this.at} has ${length} bytes; at most ${bytesMax}`);
    }
    const start = this.#take(length);
    const text = decodeUtf8(this.bytes, start, start + length);
    if (text === undefined) throw new RiposteError('bad-recording', `the text at byte ${start} is not UTF-8`);
    return text;
  }
}

import { RiposteError } from '../../errors.js';

/** A growing buffer with an encoded state's kinds of numbers. */
export class StateWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  /** What was written, as bytes of their own. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An unsigned 32-bit integer, seven bits a byte, the lowest first. */
  varint(value: number): void {
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) this.u8((rest & 0x7f) | 0x80);
    this.u8(rest);
  }

  f64(value: number): void {
    this.#reserve(8);
    if (Number.isNaN(value)) {
      this.#view.setUint32(this.#length, 0, true);
      this.#view.setUint32(this.#length + 4, 0x7ff80000, true);
    } else {
      this.#view.setFloat64(this.#length, value, true);
    }
    this.#length += 8;
  }

  bytes(from: Uint8Array): void {
    this.#reserve(from.length);
    this.#bytes.set(from, this.#length);
    this.#length += from.length;
  }

  /** UTF-16 units, each a varint: halves of surrogate pairs are kept as they are. */
  text(value: string): void {
    this.varint(value.length);
    for (let at = 0; at < value.length; at++) this.varint(value.charCodeAt(at));
  }
}

/** Reads what `StateWriter` wrote, never past the end. Every method throws `bad-state` when the bytes do not fit. */
export class StateReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  bad(problem: string): RiposteError {
    return new RiposteError('bad-state', `encoded state, byte ${this.#at} of ${this.#bytes.length}: ${problem}`);
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.left) throw this.bad(`${count} bytes expected, ${this.left} left`);
    this.#at += count;
    return at;
  }

  u8(): number {
    return this.#bytes[this.#take(1)];
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      if (shift === 28 && byte > 0x0f) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw this.bad('a number has more than 32 bits');
  }

  /** The number of things that follow, each of which takes a byte at least: no more than there are bytes. */
  count(): number {
    const count = this.varint();
    if (count > this.left) throw this.bad(`${count} things announced, ${this.left} bytes left`);
    return count;
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  text(): string {
    const length = this.count();
    const units: number[] = [];
    let text = '';
    for (let at = 0; at < length; at++) {
      const unit = this.varint();
      if (unit > 0xffff) throw this.bad(`${unit} is no UTF-16 unit`);
      units.push(unit);
      // In parts: a call takes only so many arguments.
      if (units.length === 1024 || at === length - 1) text += String.fromCharCode(...units.splice(0));
    }
    return text;
  }
}

import { RiposteError, requireInteger } from '../errors.js';
import { chainHash, hashWords } from './hash.js';
import type { FieldDifference, Snapshot, StateModel } from './model.js';

/** How an emulator or a WebAssembly module gives and takes its memory. */
export interface BytesOptions<S> {
  /** A new machine in its initial state, sharing no memory with another. */
  create(): S;
  /**
   * The whole state as bytes. Either writes them to the start of `into` and returns how many (more than `into` has:
   * it is called again with that many), or returns an array of its own, which is copied at once.
   */
  save(state: S, into: Uint8Array): number | Uint8Array;
  /** Takes what `save` gave. `bytes` is only lent: copy, do not keep. Throws for bytes that cannot be a state. */
  load(state: S, bytes: Uint8Array): void;
  /** Starts the generators in the state. Without it the seed changes nothing. */
  seed?(state: S, seed: number): void;
  /** Room to begin with; 1,024 bytes by default. */
  sizeHint?: number;
  /** The largest state; 16 MiB by default. A save or encoded state beyond it is refused. */
  sizeMax?: number;
}

const SIZE_HINT_DEFAULT = 1024;
const SIZE_MAX_DEFAULT = 16 * 1024 * 1024;
/** Differing ranges that are listed one by one; the rest makes one range. */
const RANGES_MAX = 64;
/** Ranges with fewer equal bytes between them are one: a difference is seldom a single byte. */
const GAP_BYTES = 4;
/** Bytes of a range that are shown. */
const SHOWN_BYTES_MAX = 16;

/** Bytes that are kept, in whole words, with zeros after their end. */
class Store {
  length = 0;
  #bytes = new Uint8Array(0);
  #words = new Int32Array(0);
  #view = this.#bytes;

  /** The bytes in use. The array is made anew only when their number changes. */
  get bytes(): Uint8Array {
    if (this.#view.length !== this.length || this.#view.buffer !== this.#bytes.buffer) {
      this.#view = this.#bytes.subarray(0, this.length);
    }
    return this.#view;
  }

  reserve(size: number): Uint8Array {
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.ceil(size / 4) * 4);
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#words = new Int32Array(larger.buffer);
    }
    return this.#bytes;
  }

  hash(): number {
    const { length } = this;
    const words = (length + 3) >> 2;
    this.#bytes.fill(0, length, words * 4);
    return chainHash(hashWords(this.#words, 0, words), length);
  }
}

class BytesSnapshot<S> implements Snapshot<S> {
  readonly #model: BytesModel<S>;
  #store = new Store();
  #spare = new Store();

  constructor(model: BytesModel<S>) {
    this.#model = model;
  }

  save(state: S): void {
    // Into the other store: a save that throws leaves the snapshot as it was.
    this.#model.saveInto(state, this.#spare);
    [this.#store, this.#spare] = [this.#spare, this.#store];
  }

  load(into: S): void {
    this.#model.loadFrom(this.#store.bytes, into);
  }

  hash(): number {
    return this.#store.hash();
  }
}

/** A state that is only bytes to us. */
export class BytesModel<S> implements StateModel<S> {
  readonly #options: BytesOptions<S>;
  readonly #sizeHint: number;
  readonly #sizeMax: number;
  readonly #first = new Store();
  readonly #second = new Store();

  constructor(options: BytesOptions<S>) {
    const { sizeHint = SIZE_HINT_DEFAULT, sizeMax = SIZE_MAX_DEFAULT } = options;
    for (const part of ['create', 'save', 'load'] as const) {
      if (typeof options[part] !== 'function')
        throw new RiposteError('bad-game', `bytes() was given no ${part} function`);
    }
    requireInteger('sizeMax', sizeMax, 1, 0x7fffffff);
    requireInteger('sizeHint', sizeHint, 0, sizeMax);
    this.#options = options;
    this.#sizeHint = sizeHint;
    this.#sizeMax = sizeMax;
  }

  create(): S {
    return this.#options.create();
  }

  createSnapshot(): Snapshot<S> {
    return new BytesSnapshot(this);
  }

  /** Saves `state` into a store. Throws `bad-state` when `save` returns neither bytes nor a number of them. */
  saveInto(state: S, store: Store): void {
    const room = store.reserve(this.#sizeHint);
    let saved = this.#options.save(state, room);
    if (typeof saved === 'number' && saved > room.length) {
      this.#checkSize(saved);
      saved = this.#options.save(state, store.reserve(saved));
    }
    if (typeof saved === 'number') {
      this.#checkSize(saved);
      const { length } = store.reserve(0);
      if (saved > length)
        throw new RiposteError('bad-state', `save asked for ${saved} bytes after it was given ${length}`);
      store.length = saved;
      return;
    }
    if (!(saved instanceof Uint8Array)) {
      throw new RiposteError('bad-state', `save returned ${String(saved)}; expected bytes or a number of bytes`);
    }
    this.#checkSize(saved.length);
    store.reserve(saved.length).set(saved);
    store.length = saved.length;
  }

  #checkSize(size: number): void {
    if (Number.isInteger(size) && size >= 0 && size <= this.#sizeMax) return;
    throw new RiposteError('bad-state', `a state of ${size} bytes; expected 0 to ${this.#sizeMax}`);
  }

  loadFrom(bytes: Uint8Array, into: S): void {
    this.#options.load(into, bytes);
  }

  copy(from: S, into: S): void {
    this.saveInto(from, this.#first);
    this.loadFrom(this.#first.bytes, into);
  }

  hash(state: S): number {
    this.saveInto(state, this.#first);
    return this.#first.hash();
  }

  /**
   * Differing ranges, ends included: `bytes[0x1f3..0x1f6]`, with their first bytes in hexadecimal. At most 65: the last
   * one then spans all that is left. Different lengths come first, as `length`.
   */
  diff(a: S, b: S): FieldDifference[] {
    this.saveInto(a, this.#first);
    this.saveInto(b, this.#second);
    return diffBytes(this.#first.bytes, this.#second.bytes);
  }

  encode(state: S): Uint8Array {
    this.saveInto(state, this.#first);
    return this.#first.bytes.slice();
  }

  decode(bytes: Uint8Array, into: S): void {
    this.#checkSize(bytes.length);
    this.saveInto(into, this.#second);
    const before = this.#second.bytes.slice();
    try {
      this.loadFrom(bytes.slice(), into);
    } catch (error) {
      this.loadFrom(before, into);
      throw new RiposteError('bad-state', `load refused ${bytes.length} bytes of state: ${String(error)}`);
    }
  }

  seed(state: S, seed: number): void {
    this.#options.seed?.(state, seed);
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function shown(bytes: Uint8Array, from: number, end: number): string {
  const last = Math.min(end, from + SHOWN_BYTES_MAX, bytes.length);
  const text = [...bytes.subarray(from, last)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return last < Math.min(end, bytes.length) ? `${text} ...` : text;
}

function diffBytes(a: Uint8Array, b: Uint8Array): FieldDifference[] {
  const found: FieldDifference[] = [];
  if (a.length !== b.length) found.push({ path: 'length', a: a.length, b: b.length });
  const length = Math.max(a.length, b.length);
  const add = (from: number, end: number) => {
    const place = end - from === 1 ? hex(from) : `${hex(from)}..${hex(end - 1)}`;
    found.push({ path: `bytes[${place}]`, a: shown(a, from, end), b: shown(b, from, end) });
  };
  let ranges = 0;
  let from = -1;
  let end = -1;
  for (let at = 0; at < length; at++) {
    if (a[at] === b[at]) continue;
    if (from !== -1 && at - end >= GAP_BYTES && ranges < RANGES_MAX) {
      add(from, end);
      ranges++;
      from = -1;
    }
    if (from === -1) from = at;
    end = at + 1;
  }
  if (from !== -1) add(from, end);
  return found;
}

/**
 * A state kept by something that is not a plain object, such as an emulator or a WebAssembly module: it is saved to
 * bytes, of any number, and loaded from them. Throws `bad-game` when a function is missing, `bad-argument` for a size.
 */
export function bytes<S>(options: BytesOptions<S>): BytesModel<S> {
  return new BytesModel(options);
}

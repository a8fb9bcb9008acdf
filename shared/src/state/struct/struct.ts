import { RiposteError } from '../../errors.js';
import { Random } from '../../math/random.js';
import { hashWords } from '../hash.js';
import type { FieldDifference, Snapshot, StateModel } from '../model.js';
import { ulpsBetween, ulpsBetween32 } from '../ulps.js';
import type { ScalarKind, Shape, StateOf } from './fields.js';
import { eachScalar, layoutOf, type StructNode } from './layout.js';
import { accessorOf, Memory, View, type ViewClass, viewClassOf } from './view.js';

/** Up to this many words a loop beats the fixed cost of a call of `TypedArray.set` (measured in V8 11 and 13). */
const LOOP_WORDS_MAX = 16;

function copyWords(from: Int32Array, into: Int32Array): void {
  const count = into.length;
  if (count > LOOP_WORDS_MAX) {
    into.set(from);
    return;
  }
  let index = 0;
  for (const last = count - 4; index <= last; index += 4) {
    into[index] = from[index]!;
    into[index + 1] = from[index + 1]!;
    into[index + 2] = from[index + 2]!;
    into[index + 3] = from[index + 3]!;
  }
  for (; index < count; index++) into[index] = from[index]!;
}

const CANONICAL_NAN_32 = 0x7fc00000;
const CANONICAL_NAN_64_HIGH = 0x7ff80000;

class StructSnapshot<S> implements Snapshot<S> {
  readonly #model: StructModel<S>;
  readonly #words: Int32Array;

  constructor(model: StructModel<S>) {
    this.#model = model;
    this.#words = new Int32Array(model.byteLength >> 2);
  }

  save(state: S): void {
    copyWords(this.#model.wordsOf(state), this.#words);
  }

  load(into: S): void {
    copyWords(this.#words, this.#model.memoryOf(into).words);
  }

  hash(): number {
    return hashWords(this.#words, 0, this.#words.length);
  }
}

/** A state of named fields over one buffer: saving is a memory copy, and every difference has a field's name. */
export class StructModel<S> implements StateModel<S> {
  /** Bytes of one state, a multiple of four. */
  readonly byteLength: number;
  readonly #layout: StructNode;
  readonly #Root: ViewClass;
  /** Byte offsets of the floats, whose NaNs are made one before they are saved, and of the generators. */
  readonly #singles: number[] = [];
  readonly #doubles: number[] = [];
  readonly #generators: number[] = [];
  readonly #hasFloats: boolean;
  /** The greatest value of each byte, once it is asked for. */
  #greatest: Uint8Array | undefined;
  #lastState: S | undefined;
  #lastMemory: Memory | undefined;

  constructor(layout: StructNode) {
    this.byteLength = layout.size;
    this.#layout = layout;
    this.#Root = viewClassOf(layout, '');
    eachScalar(layout, (_path, offset, field) => {
      if (field === 'random') this.#generators.push(offset);
      else if (field.kind === 'f32') this.#singles.push(offset);
      else if (field.kind === 'f64') this.#doubles.push(offset);
    });
    this.#hasFloats = this.#singles.length + this.#doubles.length > 0;
  }

  create(): S {
    // The accessors of the class are made from the shape that S is inferred from: the compiler cannot follow that.
    return new this.#Root(new Memory(this.byteLength), 0) as View & S;
  }

  createSnapshot(): Snapshot<S> {
    return new StructSnapshot(this);
  }

  /** The memory under a state of this layout. Throws `bad-state` for anything else. */
  memoryOf(state: S): Memory {
    // A match saves one and the same state all the time.
    if (state === this.#lastState && this.#lastMemory !== undefined) return this.#lastMemory;
    if (!(state instanceof View) || state.$memory.words.length !== this.byteLength >> 2) {
      throw new RiposteError('bad-state', `the state is not one that this model created (of ${this.byteLength} bytes)`);
    }
    this.#lastState = state;
    this.#lastMemory = state.$memory;
    return state.$memory;
  }

  /** The state's words, with one NaN for all NaNs. */
  wordsOf(state: S): Int32Array {
    const memory = this.memoryOf(state);
    if (this.#hasFloats) this.#canonicalize(memory);
    return memory.words;
  }

  #canonicalize(memory: Memory): void {
    for (const offset of this.#singles) {
      if (Number.isNaN(memory.f32[offset >> 2])) memory.i32[offset >> 2] = CANONICAL_NAN_32;
    }
    for (const offset of this.#doubles) {
      if (Number.isNaN(memory.f64[offset >> 3])) {
        memory.i32[offset >> 2] = 0;
        memory.i32[(offset >> 2) + 1] = CANONICAL_NAN_64_HIGH;
      }
    }
  }

  copy(from: S, into: S): void {
    copyWords(this.wordsOf(from), this.memoryOf(into).words);
  }

  hash(state: S): number {
    const words = this.wordsOf(state);
    return hashWords(words, 0, words.length);
  }

  hashedWords(state: S): Int32Array | undefined {
    return this.#hasFloats ? undefined : this.memoryOf(state).words;
  }

  diff(a: S, b: S): FieldDifference[] {
    const aWords = this.wordsOf(a);
    const bWords = this.wordsOf(b);
    const aBytes = this.memoryOf(a).u8;
    const bBytes = this.memoryOf(b).u8;
    const aView = new View(this.memoryOf(a), 0);
    const bView = new View(this.memoryOf(b), 0);
    const differences: FieldDifference[] = [];
    eachScalar(this.#layout, (path, offset, field) => {
      if (field === 'random') {
        const word = offset >> 2;
        if (aWords[word] === bWords[word] && aWords[word + 1] === bWords[word + 1]) return;
        differences.push({ path, a: generatorText(aWords, word), b: generatorText(bWords, word) });
        return;
      }
      for (let byte = offset; byte < offset + field.bytes; byte++) {
        if (aBytes[byte] === bBytes[byte]) continue;
        const { get } = accessorOf(field, offset, path);
        differences.push(difference(path, field.kind, get.call(aView), get.call(bView)));
        return;
      }
    });
    return differences;
  }

  encode(state: S): Uint8Array {
    this.wordsOf(state);
    return this.memoryOf(state).u8.slice(0, this.byteLength);
  }

  decode(bytes: Uint8Array, into: S): void {
    if (bytes.length !== this.byteLength) {
      throw new RiposteError('bad-state', `${bytes.length} bytes of state; expected ${this.byteLength}`);
    }
    this.#greatest ??= greatestBytes(this.#layout);
    for (let at = 0; at < bytes.length; at++) {
      const greatest = this.#greatest[at]!;
      if (bytes[at]! <= greatest) continue;
      throw new RiposteError('bad-state', `byte ${at} of the state is ${bytes[at]}; expected at most ${greatest}`);
    }
    this.memoryOf(into).u8.set(bytes);
  }

  seed(state: S, seed: number): void {
    const { i32 } = this.memoryOf(state);
    for (const [stream, offset] of this.#generators.entries()) new Random(i32, offset >> 2).seed(seed, stream);
  }
}

/** What each byte of a state may be at most: the bytes between fields are 0, a choice is one of its names. */
function greatestBytes(layout: StructNode): Uint8Array {
  const greatest = new Uint8Array(layout.size);
  eachScalar(layout, (_path, offset, field) => {
    if (field === 'random') greatest.fill(0xff, offset, offset + 8);
    else if (field.kind === 'bool') greatest[offset] = 1;
    else if (field.names !== undefined) greatest[offset] = field.names.length - 1;
    else greatest.fill(0xff, offset, offset + field.bytes);
  });
  return greatest;
}

/** A difference of two scalars; floats with their distance. */
function difference(path: string, kind: ScalarKind, a: unknown, b: unknown): FieldDifference {
  if (typeof a !== 'number' || typeof b !== 'number' || (kind !== 'f32' && kind !== 'f64')) return { path, a, b };
  const ulps = kind === 'f32' ? ulpsBetween32(a, b) : ulpsBetween(a, b);
  return ulps === undefined ? { path, a, b } : { path, a, b, ulps };
}

/** A generator's two words, as a debugger would show them. */
function generatorText(words: Int32Array, at: number): string {
  return [words[at]!, words[at + 1]!].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join(':');
}

/**
 * A state of named fields: `struct({ x: q16, hp: u8, shots: array(16, { x: q16, alive: bool }) })`.
 * Throws `bad-game`, naming the field, for a shape that cannot be laid out.
 */
export function struct<const F extends Shape>(shape: F): StructModel<StateOf<F>> {
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
    throw new RiposteError('bad-state', 'this machine is big-endian; state layouts are little-endian');
  }
  return new StructModel(layoutOf(shape));
}

import { RiposteError } from '../../errors.js';
import { Random } from '../../math/random.js';
import type { ScalarList } from './fields.js';
import type { AnyScalar, Member, Node, StructNode } from './layout.js';

/** One buffer under all the typed arrays that fields are read through. */
export class Memory {
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
  readonly i16: Int16Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  /** The whole state as words; `bytes` is a multiple of four. */
  readonly words: Int32Array;

  constructor(bytes: number) {
    const buffer = new ArrayBuffer(Math.ceil(bytes / 8) * 8);
    this.i8 = new Int8Array(buffer);
    this.u8 = new Uint8Array(buffer);
    this.i16 = new Int16Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.words = new Int32Array(buffer, 0, bytes >> 2);
  }
}

/**
 * What a struct's fields are accessors on. The typed arrays lie on the view itself, one load away; names that begin
 * with `$` cannot collide with a field.
 */
export class View {
  readonly $memory: Memory;
  readonly $i8: Int8Array;
  readonly $u8: Uint8Array;
  readonly $i16: Int16Array;
  readonly $u16: Uint16Array;
  readonly $i32: Int32Array;
  readonly $u32: Uint32Array;
  readonly $f32: Float32Array;
  readonly $f64: Float64Array;
  /** Where this view begins, counted in 1, 2, 4 and 8 bytes. */
  readonly $at1: number;
  readonly $at2: number;
  readonly $at4: number;
  readonly $at8: number;

  constructor(memory: Memory, offset: number) {
    this.$memory = memory;
    this.$i8 = memory.i8;
    this.$u8 = memory.u8;
    this.$i16 = memory.i16;
    this.$u16 = memory.u16;
    this.$i32 = memory.i32;
    this.$u32 = memory.u32;
    this.$f32 = memory.f32;
    this.$f64 = memory.f64;
    this.$at1 = offset;
    this.$at2 = offset >> 1;
    this.$at4 = offset >> 2;
    this.$at8 = offset >> 3;
  }

  /** The fields as a plain object, for logs and debuggers. */
  toJSON(): Record<string, unknown> {
    const plain: Record<string, unknown> = {};
    for (const name in this) if (!name.startsWith('$')) plain[name] = this[name];
    return plain;
  }
}

export type ViewClass = new (memory: Memory, offset: number) => View;

interface Accessor {
  get(this: View): unknown;
  set(this: View, value: never): void;
}

/** Reads and writes one scalar at `offset` bytes into its view. Each kind has its own closure, so that each inlines. */
export function accessorOf(field: AnyScalar, offset: number, path: string): Accessor {
  const half = offset >> 1;
  const word = offset >> 2;
  const double = offset >> 3;
  switch (field.kind) {
    case 'i8':
      return {
        get() {
          return this.$i8[this.$at1 + offset];
        },
        set(value: number) {
          this.$i8[this.$at1 + offset] = value;
        },
      };
    case 'u8':
      return {
        get() {
          return this.$u8[this.$at1 + offset];
        },
        set(value: number) {
          this.$u8[this.$at1 + offset] = value;
        },
      };
    case 'i16':
      return {
        get() {
          return this.$i16[this.$at2 + half];
        },
        set(value: number) {
          this.$i16[this.$at2 + half] = value;
        },
      };
    case 'u16':
      return {
        get() {
          return this.$u16[this.$at2 + half];
        },
        set(value: number) {
          this.$u16[this.$at2 + half] = value;
        },
      };
    case 'i32':
    case 'fixed':
      return {
        get() {
          return this.$i32[this.$at4 + word];
        },
        set(value: number) {
          this.$i32[this.$at4 + word] = value;
        },
      };
    case 'u32':
      return {
        get() {
          return this.$u32[this.$at4 + word];
        },
        set(value: number) {
          this.$u32[this.$at4 + word] = value;
        },
      };
    case 'f32':
      return {
        get() {
          return this.$f32[this.$at4 + word];
        },
        set(value: number) {
          this.$f32[this.$at4 + word] = value;
        },
      };
    case 'f64':
      return {
        get() {
          return this.$f64[this.$at8 + double];
        },
        set(value: number) {
          this.$f64[this.$at8 + double] = value;
        },
      };
    case 'q16':
      return {
        get() {
          return this.$i32[this.$at4 + word]! / 65536;
        },
        set(value: number) {
          this.$i32[this.$at4 + word] = Math.floor(value * 65536);
        },
      };
    case 'bool':
      return {
        get() {
          return this.$u8[this.$at1 + offset] !== 0;
        },
        set(value: boolean) {
          this.$u8[this.$at1 + offset] = value ? 1 : 0;
        },
      };
    case 'choice': {
      const names: readonly unknown[] = field.names ?? [];
      const numbers = new Map(names.map((name, number) => [name, number]));
      return {
        get() {
          return names[this.$u8[this.$at1 + offset]!];
        },
        set(value: string) {
          const number = numbers.get(value);
          if (number === undefined) {
            throw new RiposteError(
              'bad-state',
              `${path} was set to ${String(value)}; expected one of ${names.join(', ')}`,
            );
          }
          this.$u8[this.$at1 + offset] = number;
        },
      };
    }
  }
}

class List implements ScalarList<unknown> {
  readonly length: number;
  readonly #views: readonly (View & { value: unknown })[];

  constructor(views: readonly (View & { value: unknown })[]) {
    this.length = views.length;
    this.#views = views;
  }

  #at(index: number): View & { value: unknown } {
    const view = this.#views[index];
    if (view === undefined) {
      throw new RiposteError('bad-argument', `index is ${index}; expected an integer from 0 to ${this.length - 1}`);
    }
    return view;
  }

  get(index: number): unknown {
    return this.#at(index).value;
  }

  set(index: number, value: unknown): void {
    this.#at(index).value = value;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (const view of this.#views) yield view.value;
  }

  toJSON(): unknown[] {
    return [...this];
  }
}

/** Builds the part that lies at `offset` of `memory`. Parts are made once, when a state is created. */
type Build = (memory: Memory, offset: number) => unknown;

function buildOf(part: Exclude<Node, { node: 'scalar' }>, path: string): Build {
  if (part.node === 'random') return (memory, offset) => new Random(memory.i32, offset >> 2);
  if (part.node === 'struct') {
    const Nested = viewClassOf(part, path);
    return (memory, offset) => new Nested(memory, offset);
  }
  return arrayBuildOf(part, path);
}

function arrayBuildOf(part: Extract<Node, { node: 'array' }>, path: string): Build {
  const { element, length, stride } = part;
  if (element.node !== 'scalar') {
    const build = buildOf(element, `${path}[]`);
    // Not frozen: V8 reads frozen arrays a quarter slower, and the step reads them all the time.
    return (memory, offset) => Array.from({ length }, (_, index) => build(memory, offset + index * stride));
  }
  switch (element.field.kind) {
    case 'i8':
      return (memory, offset) => memory.i8.subarray(offset, offset + length);
    case 'u8':
      return (memory, offset) => memory.u8.subarray(offset, offset + length);
    case 'i16':
      return (memory, offset) => memory.i16.subarray(offset >> 1, (offset >> 1) + length);
    case 'u16':
      return (memory, offset) => memory.u16.subarray(offset >> 1, (offset >> 1) + length);
    case 'i32':
    case 'fixed':
      return (memory, offset) => memory.i32.subarray(offset >> 2, (offset >> 2) + length);
    case 'u32':
      return (memory, offset) => memory.u32.subarray(offset >> 2, (offset >> 2) + length);
    case 'f32':
      return (memory, offset) => memory.f32.subarray(offset >> 2, (offset >> 2) + length);
    case 'f64':
      return (memory, offset) => memory.f64.subarray(offset >> 3, (offset >> 3) + length);
    default: {
      class ElementView extends View {
        declare value: unknown;
      }
      defineScalar(ElementView, { name: 'value', offset: 0, part: element }, element.field, `${path}[]`);
      return (memory, offset) =>
        new List(Array.from({ length }, (_, index) => new ElementView(memory, offset + index * stride)));
    }
  }
}

function defineScalar(owner: ViewClass, member: Member, field: AnyScalar, path: string): void {
  const accessor: PropertyDescriptor = accessorOf(field, member.offset, path);
  Object.defineProperty(owner.prototype, member.name, { get: accessor.get!, set: accessor.set!, enumerable: true });
}

/** A class whose instances read and write the struct at their offset: scalars by accessors, nested parts as properties. */
export function viewClassOf(layout: StructNode, path: string): ViewClass {
  const nested: { name: string; offset: number; build: Build }[] = [];
  class StructView extends View {
    constructor(memory: Memory, offset: number) {
      super(memory, offset);
      for (const part of nested) {
        Object.defineProperty(this, part.name, { value: part.build(memory, offset + part.offset), enumerable: true });
      }
    }
  }
  for (const member of layout.members) {
    const memberPath = path === '' ? member.name : `${path}.${member.name}`;
    if (member.part.node === 'scalar') {
      defineScalar(StructView, member, member.part.field, memberPath);
    } else {
      nested.push({ name: member.name, offset: member.offset, build: buildOf(member.part, memberPath) });
    }
  }
  return StructView;
}

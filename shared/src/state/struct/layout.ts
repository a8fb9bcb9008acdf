import { RiposteError } from '../../errors.js';
import type { Element, ScalarField, Shape } from './fields.js';

export type AnyScalar = ScalarField<number> | ScalarField<boolean> | ScalarField<string>;

/** A part of the state with its place: offsets count bytes from the start of the enclosing part. */
export type Node =
  | { readonly node: 'scalar'; readonly field: AnyScalar; readonly size: number; readonly align: number }
  | { readonly node: 'random'; readonly size: number; readonly align: number }
  | {
      readonly node: 'array';
      readonly length: number;
      readonly stride: number;
      readonly element: Node;
      readonly size: number;
      readonly align: number;
    }
  | { readonly node: 'struct'; readonly members: readonly Member[]; readonly size: number; readonly align: number };

export type StructNode = Extract<Node, { node: 'struct' }>;

export interface Member {
  readonly name: string;
  readonly offset: number;
  readonly part: Node;
}

const BYTES_MAX = 64 * 1024 * 1024;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'toJSON', 'hasOwnProperty']);

function isShape(element: Element): element is Shape {
  return typeof element.field !== 'string';
}

/**
 * Places fields in the order in which they are written, each at the next multiple of its own size; structs are padded
 * to their alignment and the whole to four bytes. Little-endian. The same shape has the same layout on every engine.
 */
export function layoutOf(shape: Shape, path = ''): StructNode {
  const members: Member[] = [];
  let offset = 0;
  let align = 4;
  for (const [name, element] of Object.entries(shape)) {
    if (!NAME.test(name) || RESERVED.has(name)) {
      throw new RiposteError(
        'bad-game',
        `state field "${path}${name}" cannot be a field name; expected letters, digits and _`,
      );
    }
    const part = partOf(element, `${path}${name}`);
    offset = roundUp(offset, part.align);
    members.push({ name, offset, part });
    offset += part.size;
    align = Math.max(align, part.align);
  }
  const size = roundUp(offset, align);
  if (size > BYTES_MAX) {
    throw new RiposteError('bad-game', `the state is ${size} bytes; expected at most ${BYTES_MAX}`);
  }
  return { node: 'struct', members, size, align };
}

function partOf(element: Element, path: string): Node {
  if (typeof element !== 'object' || element === null) {
    throw new RiposteError(
      'bad-game',
      `state field "${path}" is ${String(element)}; expected a field such as u8 or { ... }`,
    );
  }
  if (isShape(element)) return layoutOf(element, `${path}.`);
  if (element.field === 'random') return { node: 'random', size: 8, align: 4 };
  if (element.field === 'scalar') {
    if (element.names !== undefined && new Set<unknown>(element.names).size !== element.names.length) {
      throw new RiposteError('bad-game', `state field "${path}" names a choice twice`);
    }
    if (element.names !== undefined && element.names.length > 256) {
      throw new RiposteError(
        'bad-game',
        `state field "${path}" has ${element.names.length} choices; expected at most 256`,
      );
    }
    return { node: 'scalar', field: element, size: element.bytes, align: element.bytes };
  }
  if (!Number.isInteger(element.length) || element.length < 1) {
    throw new RiposteError('bad-game', `array "${path}" has length ${element.length}; expected a positive integer`);
  }
  const part = partOf(element.element, `${path}[]`);
  const stride = roundUp(part.size, part.align);
  return {
    node: 'array',
    length: element.length,
    stride,
    element: part,
    size: stride * element.length,
    align: part.align,
  };
}

function roundUp(offset: number, align: number): number {
  return Math.ceil(offset / align) * align;
}

/** Calls `visit` for each scalar of `part`, in layout order, with its byte offset from the start of the state. */
export function eachScalar(
  part: Node,
  visit: (path: string, offset: number, field: AnyScalar | 'random') => void,
  offset = 0,
  path = '',
): void {
  switch (part.node) {
    case 'scalar':
      visit(path, offset, part.field);
      return;
    case 'random':
      visit(path, offset, 'random');
      return;
    case 'array':
      for (let index = 0; index < part.length; index++) {
        eachScalar(part.element, visit, offset + index * part.stride, `${path}[${index}]`);
      }
      return;
    case 'struct':
      for (const member of part.members) {
        eachScalar(member.part, visit, offset + member.offset, path === '' ? member.name : `${path}.${member.name}`);
      }
  }
}

import type { FieldDifference } from '@riposte/shared';
import { callPath, indexPath, keyPath, keyText } from '@riposte/shared/debugging';

/** A part of a state that has a name. */
export interface StateNode {
  readonly label: string;
  /** As differences name it: `fighters[1].hitstun`. */
  readonly path: string;
  readonly value: unknown;
}

/** More children of one node than this are counted, not listed. */
export const CHILDREN_MAX = 200;

/** The parts of a value, up to `CHILDREN_MAX`, and how many there are; null for a value without parts. */
export function childrenOf(value: unknown, path: string): { nodes: StateNode[]; count: number } | null {
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Map) {
    const nodes = firstOf(value, ([key, item], at): StateNode => {
      const text = keyText(key) ?? `#${at}`;
      return { label: text, path: callPath(path, `get(${text})`), value: item };
    });
    return { nodes, count: value.size };
  }
  if (value instanceof Set) {
    const nodes = firstOf(value, (item, at): StateNode => {
      return { label: `#${at}`, path: callPath(path, `values()[${at}]`), value: item };
    });
    return { nodes, count: value.size };
  }
  const plain: unknown = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
  if (typeof plain !== 'object' || plain === null) return null;
  if (isList(plain)) {
    const nodes = Array.from({ length: Math.min(CHILDREN_MAX, plain.length) }, (_, at): StateNode => {
      return { label: `[${at}]`, path: indexPath(path, at), value: plain[at] };
    });
    return { nodes, count: plain.length };
  }
  const entries = Object.entries(plain);
  if (entries.length === 0) return null;
  const nodes = firstOf(entries, ([key, item]): StateNode => ({ label: key, path: keyPath(path, key), value: item }));
  return { nodes, count: entries.length };
}

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function firstOf<T>(items: Iterable<T>, nodeOf: (item: T, at: number) => StateNode): StateNode[] {
  const nodes: StateNode[] = [];
  for (const item of items) {
    if (nodes.length === CHILDREN_MAX) break;
    nodes.push(nodeOf(item, nodes.length));
  }
  return nodes;
}

/** The differences at a node itself, and how many lie in it or below it. */
export function differencesIn(
  path: string,
  differences: readonly FieldDifference[],
): { own: FieldDifference | undefined; count: number } {
  let own: FieldDifference | undefined;
  let count = 0;
  for (const difference of differences) {
    const isOwn = difference.path === path;
    if (isOwn) own = difference;
    const next = difference.path[path.length];
    if (isOwn || (difference.path.startsWith(path) && (next === '.' || next === '['))) count++;
  }
  return { own, count };
}

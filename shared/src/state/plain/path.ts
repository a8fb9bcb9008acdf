const NAME = /^[A-Za-z_$][\w$]*$/;

/** `players.hp`, `players["odd name"]`. */
export function keyPath(path: string, key: string): string {
  if (!NAME.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** `shots[3]`. */
export function indexPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/** A Map's or Set's key as code: `"ann"`, `3`, `5n`. Undefined for an object, which has no such form. */
export function keyText(key: unknown): string | undefined {
  if (typeof key === 'string') return JSON.stringify(key);
  if (typeof key === 'bigint') return `${key}n`;
  if (typeof key === 'object' && key !== null) return undefined;
  return String(key);
}

/** A call on the Map or Set at `path`: `scores.get("ann")`, `tags.has("it")`. */
export function callPath(path: string, call: string): string {
  return path === '' ? call : `${path}.${call}`;
}

/**
 * Where the member number `position` of a container is, counting as a walk does: elements one by one, a Map's keys
 * and values by turns.
 */
export function memberPath(path: string, holder: object, position: number): string {
  if (holder instanceof Map) {
    const index = position >> 1;
    const text = keyText([...holder.keys()][index]);
    if (position % 2 === 0 || text === undefined) {
      return callPath(path, `${position % 2 === 0 ? 'keys' : 'values'}()[${index}]`);
    }
    return callPath(path, `get(${text})`);
  }
  return holder instanceof Set ? callPath(path, `values()[${position}]`) : indexPath(path, position);
}

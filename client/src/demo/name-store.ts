import { readStored, store } from './stored.js';

const KEY = 'riposte.name';

/** The name that this browser's player used last; null when there is none. */
export function readName(): string | null {
  return readStored(KEY);
}

export function storeName(name: string): void {
  store(KEY, name);
}

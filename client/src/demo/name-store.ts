const KEY = 'riposte.name';

/** The name that this browser's player used last; null when there is none, or the browser keeps nothing. */
export function readName(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Keeps the name for the next visit where the browser allows that. */
export function storeName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

/** What this browser kept under `key`; null when there is nothing, or it keeps nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps `text` for the next visit, or forgets what was kept, where the browser allows that. */
export function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

/** One of a few values, the first by default, remembered between visits. */
export class StoredChoice<T extends string> {
  readonly choices: readonly [T, ...T[]];
  readonly #key: string;
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;

  constructor(key: string, choices: readonly [T, ...T[]]) {
    this.choices = choices;
    this.#key = key;
    const stored = readStored(key);
    this.#value = choices.find((choice) => choice === stored) ?? choices[0];
  }

  get value(): T {
    return this.#value;
  }

  choose(value: T): void {
    this.#value = value;
    store(this.#key, value);
    for (const listener of this.#listeners) listener(value);
  }

  /** Calls `listener` at every change; returns a function that stops that. */
  listen(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Whether the page sounds. */
export const soundChoice = new StoredChoice('riposte.sound', ['on', 'off']);

/** The hand that attacks on a touch screen. */
export const handChoice = new StoredChoice('riposte.hand', ['right', 'left']);

/** The input delay in frames, or by the link. */
export const delayChoice = new StoredChoice('riposte.delay', ['auto', '0', '1', '2', '3', '4', '5', '6']);

/**
 * Which buttons are held, by whatever holds them: a key, a finger. A button may be held by several at once, and a
 * press shorter than a tick still counts for one tick.
 */
export class HeldButtons<N extends string> {
  readonly #names: readonly N[];
  /** The button that each holder holds. */
  readonly #held = new Map<string, N>();
  readonly #tapped = new Set<N>();
  readonly #input: Record<N, boolean>;

  constructor(names: readonly N[]) {
    this.#names = names;
    // Complete at once: every name gets its entry.
    this.#input = Object.fromEntries(names.map((name) => [name, false])) as Record<N, boolean>;
  }

  press(holder: string, name: N): void {
    this.#held.set(holder, name);
    this.#tapped.add(name);
  }

  /** Returns whether `holder` held a button. */
  release(holder: string): boolean {
    return this.#held.delete(holder);
  }

  /** Lets everything go. */
  clear(): void {
    this.#held.clear();
    this.#tapped.clear();
  }

  /** The buttons of this tick, in an object that the next read changes. */
  read(): Readonly<Record<N, boolean>> {
    for (const name of this.#names) this.#input[name] = this.#tapped.has(name);
    for (const name of this.#held.values()) this.#input[name] = true;
    this.#tapped.clear();
    return this.#input;
  }
}

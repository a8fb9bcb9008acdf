/** Functions that want to hear of events. */
export class Listeners<Events extends { [name in keyof Events]: (...args: never[]) => void }> {
  readonly #byEvent: { [E in keyof Events]?: Set<Events[E]> } = {};

  /** Returns a function that takes the listener off again. */
  add<E extends keyof Events>(event: E, listener: Events[E]): () => void {
    const listeners: Set<Events[E]> = this.#byEvent[event] ?? new Set();
    this.#byEvent[event] = listeners;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<E extends keyof Events>(event: E, ...args: Parameters<Events[E]>): void {
    for (const listener of this.#byEvent[event] ?? []) listener(...args);
  }
}

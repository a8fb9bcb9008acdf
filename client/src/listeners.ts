/** Calls a function of the page, if there is one: what it throws is reported, and does no harm. */
export function tell<Args extends unknown[]>(listener: ((...args: Args) => void) | undefined, ...args: Args): void {
  try {
    listener?.(...args);
  } catch (error) {
    console.error(error);
  }
}

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
    const listeners = this.#byEvent[event];
    // Those there are now: one may add others, or take some off.
    for (const listener of [...(listeners ?? [])]) if (listeners?.has(listener)) tell(listener, ...args);
  }
}

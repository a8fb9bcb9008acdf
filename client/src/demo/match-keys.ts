import { type KeyBindings, keyboard } from '../input/keyboard.js';

/** Keys that are a game's while it is played, and the page's afterwards and between two matches. */
export class MatchKeys<N extends string> {
  readonly #bindings: () => KeyBindings<N>;
  #keys: ReturnType<typeof keyboard<N>>;
  #isListening = true;

  /** `bindings` are read anew for each match. */
  constructor(bindings: () => KeyBindings<N>) {
    this.#bindings = bindings;
    this.#keys = keyboard(bindings());
  }

  readonly read = (): Readonly<Record<N, boolean>> => this.#keys();

  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#keys = keyboard(this.#bindings());
  }

  rest(): void {
    this.#isListening = false;
    this.#keys.dispose();
  }
}

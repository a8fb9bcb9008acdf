import { HeldButtons } from './held-buttons.js';

/** Buttons on the screen: the page says which finger presses what, the match reads what is held. */
export interface TouchSource<N extends string> {
  (): Readonly<Record<N, boolean>>;
  /** `pointer` is the event's `pointerId`. */
  press(pointer: number, name: N): void;
  release(pointer: number): void;
  /** Lets everything go. */
  clear(): void;
}

/** An input source for buttons that are touched. */
export function touch<N extends string>(names: readonly N[]): TouchSource<N> {
  const held = new HeldButtons(names);
  return Object.assign(() => held.read(), {
    press: (pointer: number, name: N) => held.press(String(pointer), name),
    release: (pointer: number) => {
      held.release(String(pointer));
    },
    clear: () => held.clear(),
  });
}

/** A source in which a button is held while any of `sources` holds it. */
export function eitherOf<N extends string>(
  names: readonly N[],
  ...sources: readonly (() => Readonly<Record<N, boolean>>)[]
): () => Readonly<Record<N, boolean>> {
  // Complete at once: every name gets its entry.
  const input = Object.fromEntries(names.map((name) => [name, false])) as Record<N, boolean>;
  return () => {
    for (const name of names) input[name] = false;
    for (const source of sources) {
      const held = source();
      for (const name of names) if (held[name]) input[name] = true;
    }
    return input;
  };
}

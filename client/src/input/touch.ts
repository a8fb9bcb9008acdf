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

import type { TouchSource } from '../input/touch.js';

/** Buttons for fingers, in two groups: of the thumb that moves, and of the one that acts. */
export interface Pad {
  readonly groups: readonly (readonly PadButton[])[];
  release(pointer: number): void;
  clear(): void;
}

export interface PadButton {
  readonly label: string;
  /** What it does, in words. */
  readonly action: string;
  press(pointer: number): void;
}

/** The names of a game's buttons with what is on them, by thumb. */
export type PadLayout<N extends string> = readonly (readonly (readonly [name: N, label: string])[])[];

export function padOf<N extends string>(
  layout: PadLayout<N>,
  actions: Readonly<Record<N, string>>,
  fingers: TouchSource<N>,
): Pad {
  return {
    groups: layout.map((group) =>
      group.map(([name, label]) => ({
        label,
        action: actions[name],
        press: (pointer) => fingers.press(pointer, name),
      })),
    ),
    release: (pointer) => fingers.release(pointer),
    clear: () => fingers.clear(),
  };
}

/** The parts of jsnes that a match uses; the package has no types. */
declare module 'jsnes' {
  export type Saved = { [name: string]: unknown };

  export class NES {
    constructor(options: { emulateSound?: boolean; onFrame?: (pixels: number[]) => void });
    readonly ppu: { readonly ptTile: object[]; scantile: (object | undefined)[] };
    loadROM(data: string): void;
    frame(): void;
    buttonDown(controller: 1 | 2, button: number): void;
    buttonUp(controller: 1 | 2, button: number): void;
    /** Hands out the live arrays: a copy of names, not of memory. */
    toJSON(): Saved;
    /** Resets the machine and takes over the arrays given. */
    fromJSON(saved: Saved): void;
  }
}

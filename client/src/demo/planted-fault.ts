/** No frame: before a fault is asked for. */
const NEVER = -1;
/** A fault is planted so many frames ahead, where nothing has run yet: half a second, to look at the picture. */
const AHEAD = 30;

/** A fault in this page's own game that is planted when it is asked for, once a match. */
export class PlantedFault {
  #frame = NEVER;

  /** The frame that goes wrong, as `withFault` reads it; -1 before there is one. */
  readonly at = (): number => this.#frame;

  /** The frame that goes wrong; null before there is one. */
  get frame(): number | null {
    return this.#frame === NEVER ? null : this.#frame;
  }

  /** Plants it soon after the last frame that has run, unless this match has it already. */
  plant(lastFrame: number): void {
    if (this.#frame === NEVER) this.#frame = lastFrame + AHEAD;
  }

  /** For the next match, whose frames begin anew. */
  clear(): void {
    this.#frame = NEVER;
  }
}

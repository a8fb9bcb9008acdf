import type { Machine } from './machine.js';

/** What a trace tells the changes of. */
interface Figures {
  readonly frame: number;
  readonly confirmed: number;
  readonly rollbacks: number;
  readonly resimulated: number;
  readonly stalls: number;
}

const NO_FIGURES: Figures = { frame: -1, confirmed: -1, rollbacks: 0, resimulated: 0, stalls: 0 };

function figuresOf({ session }: Machine): Figures {
  const stats = session.sim?.stats;
  return {
    frame: session.sim?.lastFrame() ?? -1,
    confirmed: session.driver?.checker.newest ?? -1,
    rollbacks: stats?.rollbacks ?? 0,
    resimulated: stats?.resimulatedFrames ?? 0,
    stalls: session.driver?.stalledFrames ?? 0,
  };
}

/** Tells of machines' ticks as lines, by what has changed since the last ones. */
export class TickTrace {
  readonly #told = new Map<Machine, Figures>();

  lineOf(machine: Machine, ticks: number): string {
    // Not read before the ticks: that would make their rollback.
    const before = this.#told.get(machine) ?? NO_FIGURES;
    const after = figuresOf(machine);
    this.#told.set(machine, after);
    let line = `${machine.me} ticks ${ticks}: frame ${after.frame}, confirmed ${after.confirmed}`;
    if (after.rollbacks > before.rollbacks) {
      line += `, rolled back ${after.resimulated - before.resimulated} frames`;
    }
    if (after.stalls > before.stalls) line += `, stalled ${after.stalls - before.stalls}`;
    return line;
  }
}

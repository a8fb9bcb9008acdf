import { RiposteError } from '../errors.js';

/** From `frame` on, up to the next change, the players whose bits are set in `gone` are not in the match. */
export interface AbsenceChange {
  readonly frame: number;
  readonly gone: number;
}

/** The changes of who is in a match, in the order of their frames, as a reader collects them. */
export class AbsenceList {
  readonly all: AbsenceChange[] = [];
  readonly #players: number;

  constructor(players: number) {
    this.#players = players;
  }

  /** Throws `bad-recording` for a set that has no such players, or that changes nothing. */
  add(frame: number, gone: number): void {
    const last = this.all.at(-1);
    if (gone >= 1 << this.#players) {
      throw new RiposteError('bad-recording', `absent players ${gone}; expected bits of ${this.#players} players`);
    }
    if (last?.frame === frame || (last?.gone ?? 0) === gone) {
      throw new RiposteError('bad-recording', `the absences at frame ${frame} change nothing or a second time`);
    }
    this.all.push({ frame, gone });
  }
}

/** How many changes lie at `frame` or before it. */
export function absencesUpTo(changes: readonly AbsenceChange[], frame: number): number {
  const next = changes.findIndex((change) => change.frame > frame);
  return next < 0 ? changes.length : next;
}

/** The players who are not in the match in `frame`: one bit each. */
export function goneIn(changes: readonly AbsenceChange[], frame: number): number {
  return changes[absencesUpTo(changes, frame) - 1]?.gone ?? 0;
}

/** The first frame from `from` up to, not including, `end` in which not the same players are absent; `end` when none. */
export function firstAbsenceDifference(
  a: readonly AbsenceChange[],
  b: readonly AbsenceChange[],
  from: number,
  end: number,
): number {
  const frames = [from, ...[...a, ...b].map(({ frame }) => frame).sort((one, other) => one - other)];
  return frames.find((frame) => frame >= from && frame < end && goneIn(a, frame) !== goneIn(b, frame)) ?? end;
}

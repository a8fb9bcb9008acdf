import type { RollbackSim } from '@riposte/shared';
import type { SeatTable } from './seat-table.js';

/** After every frame: a seat whose inputs are taken without an end. */
export const NO_LIMIT = 2 ** 30 - 1;

/** Carries out what is settled of the seats: which inputs are taken, and who is in the match from which frame on. */
export class SeatChanges<S, I> {
  /** By seat: the last frame of which an input is taken. */
  readonly limits: Int32Array;
  /** This side's own seat is not there yet, or not any more. */
  isOutside: boolean;
  readonly #sim: RollbackSim<S, I>;
  readonly #me: number;
  readonly #table: SeatTable;
  readonly #changed: (seat: number, isHere: boolean) => void;

  /** `changed` is told that a seat is gone, or is there again. */
  constructor(sim: RollbackSim<S, I>, me: number, table: SeatTable, changed: (seat: number, isHere: boolean) => void) {
    this.#sim = sim;
    this.#me = me;
    this.#table = table;
    this.#changed = changed;
    this.limits = new Int32Array(sim.players).fill(NO_LIMIT);
    this.isOutside = table.isGone[me]!;
  }

  /** The frame that a seat was let in at, while it has not played since as far as is known here; else -1. */
  awaitedAt(seat: number): number {
    const backFrom = this.#sim.absenceAfter(seat, -1)?.[1] ?? NO_LIMIT;
    return this.#sim.heldThrough(seat) < backFrom && backFrom !== NO_LIMIT ? backFrom : -1;
  }

  /** The last frame that a seat has played, as far as is known here. */
  playedThrough(seat: number): number {
    const [goneFrom] = this.#sim.absenceAfter(seat, -1) ?? [0];
    return this.awaitedAt(seat) < 0 ? this.#sim.heldThrough(seat) : goneFrom - 1;
  }

  freeze(seat: number, round: number): void {
    this.#table.rounds[seat] = round;
    if (this.#table.isGone[seat]) return;
    this.#table.isFrozen[seat] = true;
    this.limits[seat] = this.#sim.heldThrough(seat);
  }

  thaw(seat: number): void {
    this.#table.isFrozen[seat] = false;
    if (!this.#table.isGone[seat]) this.limits[seat] = NO_LIMIT;
  }

  /** The seat is gone after `last`, as soon as all its inputs up to there are held. */
  giveUp(seat: number, last: number): void {
    if (this.#table.isGone[seat]) return;
    const played = this.playedThrough(seat);
    this.limits[seat] = Math.min(NO_LIMIT, Math.max(last, played));
    this.#table.isDropping[seat] = true;
    if (played >= last) this.drop(seat, last);
  }

  drop(seat: number, last: number): void {
    this.#table.isFrozen[seat] = false;
    this.#table.isDropping[seat] = false;
    this.#table.isCut[seat] = false;
    if (this.#table.isGone[seat]) return;
    if (this.playedThrough(seat) !== last) {
      // The others settled it without what is known here: they play on without this side.
      this.fallOut();
      return;
    }
    // One that was let in and never played may have been let in elsewhere, or nowhere.
    this.#sim.disconnect(seat, this.#sim.heldThrough(seat) + 1);
    this.#table.isGone[seat] = true;
    this.#table.isReady[seat] = false;
    this.#table.entersAt[seat] = -1;
    this.#changed(seat, false);
  }

  /** False when the frame is final here already. */
  admit(seat: number, frame: number): boolean {
    const isAgain = !this.#table.isGone[seat];
    const awaitedAt = this.awaitedAt(seat);
    if (frame <= this.#sim.confirmedFrame || (isAgain && (awaitedAt < 0 || frame < awaitedAt))) return false;
    this.#sim.admit(seat, frame);
    this.#table.isGone[seat] = false;
    this.#table.entersAt[seat] = frame;
    this.#table.hasLeft[seat] = false;
    this.#table.leavingMs[seat] = Number.NaN;
    this.#table.isFrozen[seat] = false;
    this.#table.isDropping[seat] = false;
    this.limits[seat] = NO_LIMIT;
    if (seat !== this.#me && !isAgain) this.#changed(seat, true);
    return true;
  }

  /** The seat plays: nobody has to admit it any more. */
  entered(seat: number): void {
    this.#table.entersAt[seat] = -1;
    this.#table.isReady[seat] = false;
  }

  /** The others play on without this side. */
  fallOut(): void {
    this.#table.isGone[this.#me] = true;
    this.isOutside = true;
    this.#changed(this.#me, false);
  }

  /** Whether the absence after `last` is known here. */
  knowsAbsence(seat: number, last: number): boolean {
    const absence = this.#sim.absenceAfter(seat, -1);
    return absence !== null && (absence[1] ?? NO_LIMIT) > last;
  }

  /** All seats that are not there, but `except`. */
  goneSeats(except: number): number[] {
    return this.#table.isGone.flatMap((isGone, seat) => (isGone && seat !== except ? [seat] : []));
  }
}

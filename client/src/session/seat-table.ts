/** Who asked to return within this time is waited for by one who is alone. */
const RETURNING_MS = 3000;

/** Who was heard within this time is there, for those who ask. */
export const HEARD_MS = 1500;

/** What ends a match for those who are left: nobody else is there, or most are elsewhere. */
export type SeatsVerdict = 'alone' | 'minority' | undefined;

/** What one player knows of all seats of a match, by seat. */
export class SeatTable {
  /** When it was last looked at. */
  nowMs = 0;
  readonly isGone: boolean[];
  /** Said that it leaves, or came back with nothing: not waited for. */
  readonly hasLeft: boolean[];
  /**
   * When others passed on that it left, while it was heard here: that counts once it is not heard any more, and not where
   * it is heard for long after that. NaN where nobody did.
   */
  readonly leavingMs: number[];
  /** Admitted, and not playing yet: it does not lead. The frame that its first input is awaited for; -1 for nobody. */
  readonly entersAt: number[];
  /** Its page is there again, with the state of the match. */
  readonly isReady: boolean[];
  /** How long it was not heard; infinite for longer than the match waits. */
  readonly silentMs: number[];
  /** When it last asked for the match, or said that it has it. */
  readonly returningMs: number[];
  /**
   * The newest round that this side took part in, and whether the seat's inputs are frozen. Before the first, 1: older is
   * what was said in no round, 0.
   */
  readonly rounds: number[];
  readonly isFrozen: boolean[];
  /** Its last frame was said: somebody may have settled it already, so that there is no way back. */
  readonly isDropping: boolean[];
  /** Another seat was given up without its word, as it was not heard: it may hold otherwise, and has to begin anew. It does not lead. */
  readonly isCut: boolean[];
  readonly remindedMs: number[];
  readonly thawedMs: number[];
  readonly #players: number;
  readonly #me: number;

  constructor(players: number, me: number, isGone: (seat: number) => boolean) {
    const each = <T>(value: T): T[] => Array.from({ length: players }, () => value);
    this.#players = players;
    this.#me = me;
    this.isGone = Array.from({ length: players }, (_, seat) => isGone(seat));
    this.hasLeft = each(false);
    this.leavingMs = each(Number.NaN);
    this.entersAt = each(-1);
    this.isReady = each(false);
    this.silentMs = each(0);
    this.returningMs = each(Number.NEGATIVE_INFINITY);
    this.rounds = each(1);
    this.isFrozen = each(false);
    this.isDropping = each(false);
    this.isCut = each(false);
    this.remindedMs = each(Number.NEGATIVE_INFINITY);
    this.thawedMs = each(Number.NEGATIVE_INFINITY);
  }

  /** A seat that is there by what was settled, and not heard. */
  isMissing(seat: number): boolean {
    return seat !== this.#me && (this.hasLeft[seat]! || this.silentMs[seat] === Number.POSITIVE_INFINITY);
  }

  /** A seat that is not gone yet, and is given up unless somebody hears it. */
  isLost(seat: number): boolean {
    return !this.isGone[seat] && (this.isMissing(seat) || this.isDropping[seat]! || this.isCut[seat]!);
  }

  /** A seat is there, and heard. */
  isInGroup(seat: number): boolean {
    return !this.isGone[seat] && !this.isMissing(seat);
  }

  /** All seats that have to go because they had no part in what was settled. */
  cutSeats(): number[] {
    return this.isCut.flatMap((isCut, seat) => (isCut ? [seat] : []));
  }

  /** Whether any other seat is there, and heard. */
  isAnyHere(): boolean {
    return this.isGone.some((_, seat) => seat !== this.#me && this.isInGroup(seat));
  }

  /** The lowest living seat: it leads, as far as this side knows. */
  get leader(): number {
    for (let seat = 0; seat < this.#players; seat++) {
      const isGivenUp = this.isDropping[seat]! || this.isCut[seat]!;
      if (this.isInGroup(seat) && this.entersAt[seat]! < 0 && !isGivenUp) return seat;
    }
    return this.#me;
  }

  /** Whether a seat that is not gone yet, other than this one, is missing, or is being given up. */
  isAnyLost(except = -1): boolean {
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat !== except && this.isLost(seat)) return true;
    }
    return false;
  }

  /** What ends the match for this side. */
  verdict(nowMs: number): SeatsVerdict {
    let here = 0;
    let group = 0;
    let lowest = -1;
    for (let seat = 0; seat < this.#players; seat++) {
      if (this.isGone[seat]) continue;
      // Who left of its own will is nobody's majority.
      if (!this.hasLeft[seat]) {
        here++;
        if (lowest < 0) lowest = seat;
      }
      if (this.isInGroup(seat)) group++;
    }
    if (group <= 1 && !this.returningMs.some((atMs) => nowMs - atMs < RETURNING_MS)) return 'alone';
    if (group * 2 < here || (group * 2 === here && !this.isInGroup(lowest))) return 'minority';
    return undefined;
  }
}

import type { SeatMessage } from '@riposte/shared/protocol';

/** What a leader asks of all others, one after the other; a seat that returns needs `admit` alone. */
export type RoundKind = 'freeze' | 'drop' | 'gone' | 'admit';

/** One bit each. */
function setOf(players: readonly number[]): number {
  return players.reduce((set, player) => set | (1 << player), 0);
}

/** One attempt of a leader to settle with all others what becomes of a seat. */
export class Round {
  kind: RoundKind;
  readonly seat: number;
  readonly number: number;
  /** The seat's last frame, or the first of one that returns; -1 while it is not known. */
  frame: number;
  /** Of a seat that returns: the last frame before it was gone. */
  readonly last: number | undefined;
  /** When it was last asked. */
  askedMs = Number.NEGATIVE_INFINITY;
  /** The seat is there after all. */
  isHeard = false;
  /** Somebody was told its last frame: it may be settled, so that there is no way back. */
  isDropping = false;
  /** Its last frame, where somebody has taken it as gone: that is settled. */
  goneAfter: number | undefined;
  /** The newest frame that is final somewhere, where it was too late to admit a seat; -1 where it was not. */
  late = -1;
  #answered = 0;
  /** By player: the largest frame that an answer held. */
  readonly #held: number[] = [];
  #asked = 0;

  constructor(kind: RoundKind, seat: number, number: number, frame: number, last?: number) {
    this.kind = kind;
    this.seat = seat;
    this.number = number;
    this.frame = frame;
    this.last = last;
  }

  answer(player: number, frame: number, heard: SeatMessage['heard']): void {
    this.#answered |= 1 << player;
    this.#held[player] = Math.max(this.#held[player] ?? -1, frame);
    if (heard === 'heard') this.isHeard = true;
    if (heard === 'dropping') this.isDropping = true;
    if (heard === 'gone') this.goneAfter = frame;
  }

  hasAnswer(player: number): boolean {
    return (this.#answered & (1 << player)) !== 0;
  }

  /** The largest frame that answers of these players held. */
  mostOf(players: readonly number[]): number {
    return Math.max(-1, ...players.map((player) => this.#held[player] ?? -1));
  }

  /** Whether these are the players whose answers made the frame. */
  isOf(players: readonly number[]): boolean {
    return this.#asked === setOf(players);
  }

  /** The next step, which is asked of the same players. */
  goOn(kind: RoundKind, frame: number, players: readonly number[]): void {
    this.kind = kind;
    this.frame = frame;
    this.askedMs = Number.NEGATIVE_INFINITY;
    this.#answered = 0;
    this.#asked = setOf(players);
  }
}

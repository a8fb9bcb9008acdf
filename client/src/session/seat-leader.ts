import type { RollbackSim } from '@riposte/shared';
import type { SeatMessage, SeatStep } from '@riposte/shared/protocol';
import { Round, type RoundKind } from './round.js';
import { NO_LIMIT, type SeatChanges } from './seat-changes.js';
import { HEARD_MS, type SeatTable } from './seat-table.js';

/** What a leader waits for is asked again this often. */
const REPEAT_MS = 250;
/** A seat that somebody hears is not asked about again for so long: asking holds its inputs back. */
const THAWED_MS = 1000;
/** Who has said so within this time is ready to be let in: with the time after which silence is told, nobody is let in who is long silent. */
const READY_MS = 900;
/** How far ahead of the leader's own frame a seat is taken again, as a share of a second: all must still have to confirm it. */
const ADMIT_AHEAD_S = 0.5;

/** Says a step about a seat to all others. */
export type SaySeat = (
  step: SeatStep,
  seat: number,
  round: number,
  frame: number,
  more?: Pick<SeatMessage, 'heard' | 'last' | 'gone' | 'cut'>,
) => void;

/** The lowest living seat's part: one round after the other, in which it settles with all others what becomes of a seat. */
export class SeatLeader<S, I> {
  /** The newest round of anybody. */
  newestRound = 0;
  readonly #sim: RollbackSim<S, I>;
  readonly #me: number;
  readonly #players: number;
  readonly #table: SeatTable;
  readonly #changes: SeatChanges<S, I>;
  readonly #send: SaySeat;
  #round: Round | undefined;

  constructor(sim: RollbackSim<S, I>, me: number, table: SeatTable, changes: SeatChanges<S, I>, send: SaySeat) {
    this.#sim = sim;
    this.#me = me;
    this.#players = sim.players;
    this.#table = table;
    this.#changes = changes;
    this.#send = send;
  }

  get isLeader(): boolean {
    return !this.#changes.isOutside && this.#table.leader === this.#me;
  }

  /** Whether a seat is asked about now. */
  isAsking(seat: number): boolean {
    return this.#round?.seat === seat;
  }

  /** Another one leads. */
  yield(): void {
    this.#round = undefined;
  }

  /** Once in every frame of the page, where this side leads. */
  lead(): void {
    if (this.#round === undefined) {
      for (let seat = 0; seat < this.#players && this.#round === undefined; seat++) {
        if (seat === this.#me) continue;
        if (this.#table.isLost(seat)) {
          if (!this.#isThawed(seat)) this.#begin('freeze', seat);
        } else if (this.#isReady(seat) && !this.#table.isAnyLost()) this.#beginAdmission(seat);
        // An earlier leader held its inputs back: only who has asked all may let them go.
        else if (this.#table.isFrozen[seat]) this.#begin('freeze', seat);
      }
    }
    if (this.#round !== undefined) this.#advance(this.#round);
  }

  /** Somebody heard the seat a moment ago. */
  #isThawed(seat: number): boolean {
    return this.#table.nowMs - this.#table.thawedMs[seat]! < THAWED_MS && !this.#table.isCut[seat];
  }

  /** Who said so long ago may be gone again. */
  #isReady(seat: number): boolean {
    return this.#table.isReady[seat]! && this.#table.nowMs - this.#table.returningMs[seat]! < READY_MS;
  }

  #begin(kind: RoundKind, seat: number, frame = -1, last?: number): void {
    // Greater than any round before, and no other seat's.
    this.newestRound = (Math.floor(this.newestRound / 8) + 1) * 8 + this.#me;
    this.#round = new Round(kind, seat, this.newestRound, frame, last);
    if (kind === 'freeze') this.#changes.freeze(seat, this.newestRound);
  }

  #beginAdmission(seat: number): void {
    const ahead = Math.ceil(this.#sim.game.tickRate * ADMIT_AHEAD_S);
    const frame = Math.max(this.#sim.lastFrame(), this.#round?.late ?? -1) + ahead;
    this.#begin('admit', seat, frame, this.#changes.playedThrough(seat));
    this.#changes.admit(seat, frame);
  }

  /** Goes on as far as the answers allow, and asks again for those that are missing. */
  #advance(round: Round): void {
    const { seat } = round;
    const isHeard = round.isHeard || this.#table.silentMs[seat]! < HEARD_MS;
    const isAnswered = this.#group().every((player) => round.hasAnswer(player));
    const { isDropping, isCut } = this.#table;
    const isBound = isDropping[seat]! || isCut[seat]! || round.isDropping || round.goneAfter !== undefined;
    if (round.kind === 'freeze' && isAnswered && isHeard && !this.#table.hasLeft[seat] && !isBound) {
      // All have promised to this leader: now it may let go what they held back, for whomever.
      this.#thawAll(seat, round.number);
      this.#round = undefined;
      return;
    }
    if (round.kind === 'admit' && (this.#table.isAnyLost(seat) || this.#table.hasLeft[seat])) {
      // Nobody may play on without knowing of it: who is lost is given up first, also who has lost the match again.
      this.#round = undefined;
      return;
    }
    if (round.kind === 'drop' && !round.isOf(this.#group())) {
      // Who held most may be lost, or who holds more is there again: the last frame is asked anew. Nobody has settled it.
      this.#begin('freeze', seat);
      return;
    }
    if (isAnswered && this.#isOwnPartDone(round)) this.#next(round);
    else if (this.#table.nowMs - round.askedMs >= REPEAT_MS) this.#ask(round);
  }

  #thawAll(seat: number, round: number): void {
    this.#changes.thaw(seat);
    this.#table.thawedMs[seat] = this.#table.nowMs;
    this.#send('thaw', seat, round, -1);
  }

  /** All others who are there, in the leader's eyes, whom a round asks: of its own admission also who returns. */
  #group(): number[] {
    const group: number[] = [];
    const asked = this.#round?.kind === 'admit' ? -1 : this.#round?.seat;
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat === asked) continue;
      if (seat === this.#me || this.#table.isGone[seat] || this.#table.isDropping[seat]) continue;
      // Whom others hear is asked by way of them.
      const isHeard = !this.#table.isMissing(seat) || (!this.#table.hasLeft[seat] && this.#isThawed(seat));
      if (isHeard && !this.#table.isCut[seat]) group.push(seat);
    }
    return group;
  }

  #isOwnPartDone({ kind, seat, frame }: Round): boolean {
    if (kind === 'gone') this.#changes.giveUp(seat, frame);
    if (kind !== 'drop' && kind !== 'gone') return true;
    return this.#table.isGone[seat]! || (kind === 'drop' && this.#changes.playedThrough(seat) >= frame);
  }

  #next(round: Round): void {
    const { kind, seat } = round;
    if (kind === 'freeze' && round.goneAfter !== undefined) {
      // Some have settled it already, with a leader who is no more.
      this.#cutOff(round);
      this.#changes.giveUp(seat, round.goneAfter);
      round.goOn('gone', round.goneAfter, this.#group());
    } else if (kind === 'freeze') {
      // Of who answered and is lost since, nobody can get what it held.
      const group = this.#group();
      round.goOn('drop', Math.max(round.mostOf(group), this.#changes.playedThrough(seat)), group);
      this.#changes.limits[seat] = Math.min(NO_LIMIT, round.frame);
      this.#table.isDropping[seat] = true;
    } else if (kind === 'drop') {
      this.#cutOff(round);
      this.#changes.drop(seat, round.frame);
      round.goOn('gone', round.frame, this.#group());
    } else if (kind === 'admit' && round.late >= 0) {
      this.#beginAdmission(seat);
    } else if (kind === 'admit') {
      this.#changes.entered(seat);
      this.#send('enter', seat, round.number, round.frame);
      this.#round = undefined;
      return;
    } else {
      this.#round = undefined;
      return;
    }
    if (this.#round !== undefined) this.#ask(this.#round);
  }

  /** Whoever is not gone, and has no part in what is settled now, may have confirmed otherwise. */
  #cutOff(round: Round): void {
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat === this.#me || seat === round.seat || this.#table.isGone[seat] || round.hasAnswer(seat)) continue;
      this.#table.isCut[seat] = true;
    }
  }

  #ask(round: Round): void {
    round.askedMs = this.#table.nowMs;
    const { kind, seat, number, frame, last } = round;
    if (kind === 'admit') this.#send(kind, seat, number, frame, { last, gone: this.#changes.goneSeats(seat) });
    else this.#send(kind, seat, number, frame, kind === 'gone' ? { cut: this.#table.cutSeats() } : {});
  }

  /** Another one leads too, and asked later: what was promised here counts no more, and is asked for again. */
  outbid(step: SeatStep, seat: number, number: number): void {
    const round = this.#round;
    if (round?.seat !== seat || number <= round.number || (step !== 'freeze' && step !== 'drop')) return;
    // Of its own seat the other one decides.
    if (seat === this.#me) this.#round = undefined;
    else if (round.kind === 'freeze' || round.kind === 'drop') this.#begin('freeze', seat);
  }

  /** Takes what another one answers. */
  receiveAnswer(
    from: number,
    step: SeatStep,
    seat: number,
    number: number,
    frame: number,
    heard: SeatMessage['heard'],
  ) {
    const round = this.#round;
    if (step === 'held') this.outbid('freeze', seat, number);
    if (round === undefined || round.seat !== seat || round.number !== number) {
      if (number === 0 && step === 'held' && this.isLeader && this.#round === undefined) this.#release(seat);
      return;
    }
    if (round.kind === 'drop' && step === 'held' && frame > round.frame) {
      this.#begin('freeze', seat);
      return;
    }
    const expected = { freeze: 'held', drop: 'have', gone: 'settled', admit: 'settled' }[round.kind];
    if (step === 'late') round.late = Math.max(round.late, frame);
    // Who missed that the seat was let in tells of the absence before that.
    const isOld = heard === 'gone' && this.#changes.knowsAbsence(seat, frame);
    if (step === 'late' || step === expected) round.answer(from, frame, isOld ? 'silent' : heard);
  }

  /** Somebody still waits for a leader that is no more, or missed what was decided. */
  #release(seat: number): void {
    const { isGone } = this.#table;
    if (isGone[seat]) this.#send('gone', seat, this.newestRound, this.#changes.playedThrough(seat));
    else this.#begin('freeze', seat);
  }
}

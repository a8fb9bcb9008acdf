import type { RollbackSim } from '@riposte/shared';
import type { SeatMessage, SeatStep } from '@riposte/shared/protocol';
import { Round, type RoundKind } from './round.js';
import { type SeatsVerdict, SeatTable } from './seat-table.js';

/** After every frame: a seat whose inputs are taken without an end. */
const NO_LIMIT = 2 ** 30 - 1;
/** What a leader waits for is asked again this often, and what a player waits for from its leader. */
const REPEAT_MS = 250;
const REMIND_MS = 1000;
/** A seat that somebody hears is not asked about again for so long: asking holds its inputs back. */
const THAWED_MS = 1000;
/** Who was heard within this time is there, for those who ask. */
const HEARD_MS = 1500;
/** Who has said so within this time is ready to be let in: with the time after which silence is told, nobody is let in who is long silent. */
const READY_MS = 900;
/** How far behind a returning player may be when it is let in, in seconds: all inputs since must still be kept. */
const READY_BEHIND_S = 1;
/** How far ahead of the leader's own frame a seat is taken again, as a share of a second: all must still have to confirm it. */
const ADMIT_AHEAD_S = 0.5;

/** What a seat's silence is read from, and where messages go. */
export interface SeatsOutput {
  send(message: SeatMessage): void;
  /** A seat is gone, or is there again. */
  changed(seat: number, isHere: boolean): void;
}

/**
 * Who is in a match of more than two, agreed among those who are left. The lowest living seat leads. It asks all to take
 * no more inputs of a silent seat and to say what they hold (freeze); if nobody hears it, its last frame is the largest
 * that any of them holds (drop); whoever lacks inputs up to it gets them from who has them; when all have them, it is gone
 * (gone). A seat that returns is admitted at a frame that nobody has confirmed (admit), and plays once all know (enter).
 * The leader repeats what is not answered, and every step may be repeated, so that a lost message or leader does no harm:
 * the next one begins again, and finds what was already settled.
 */
export class Seats<S, I> {
  /** By seat: the last frame of which an input is taken. */
  readonly limits: Int32Array;
  readonly #sim: RollbackSim<S, I>;
  readonly #me: number;
  readonly #players: number;
  readonly #output: SeatsOutput;
  readonly #table: SeatTable;
  #serial = 0;
  readonly #heardSerials: number[];
  #newestRound = 0;
  #round: Round | undefined;
  /** This side's own seat is not there yet. */
  #isOutside: boolean;
  #nowMs = 0;

  constructor(sim: RollbackSim<S, I>, me: number, output: SeatsOutput) {
    this.#sim = sim;
    this.#me = me;
    this.#players = sim.players;
    this.#output = output;
    this.limits = new Int32Array(sim.players).fill(NO_LIMIT);
    this.#table = new SeatTable(sim.players, me, (seat) => sim.isGone(seat, NO_LIMIT - 1));
    this.#isOutside = this.#table.isGone[me]!;
    this.#heardSerials = Array.from({ length: sim.players }, () => -1);
  }

  isGone(seat: number): boolean {
    return this.#table.isGone[seat]!;
  }

  /** This side's seat is not in the match yet, or not any more. */
  get isOutside(): boolean {
    return this.#isOutside;
  }

  get isLeader(): boolean {
    return !this.#isOutside && this.#table.leader === this.#me;
  }

  /** The seat is given up, and this side lacks inputs of it: the seat itself sends them no more. */
  lacks(seat: number): boolean {
    const limit = this.limits[seat]!;
    return limit !== NO_LIMIT && !this.#table.isGone[seat] && this.#sim.heldThrough(seat) < limit;
  }

  /** A seat that leads no more, and is not waited for: it said so, or it came back without the match. */
  left(seat: number): void {
    this.#table.hasLeft[seat] = true;
    this.#table.isReady[seat] = false;
  }

  /** It has the match after all: its word of before came late. */
  stays(seat: number): void {
    if (!this.#table.isGone[seat]) this.#table.hasLeft[seat] = false;
  }

  /** A player asks for the match that it lost. */
  returns(seat: number): void {
    this.#table.returningMs[seat] = this.#nowMs;
  }

  /** Tells the others that this side leaves. */
  leave(): void {
    this.#send('left', this.#me, 0, -1);
  }

  /** For a player who does not know that the others play on without it. */
  noticeOf(seat: number): SeatMessage {
    const frame = this.#sim.heldThrough(seat);
    return { type: 'seat', from: this.#me, serial: this.#serial++, step: 'gone', seat, round: 0, frame };
  }

  /**
   * Once in every frame of the page. `silentMs` says how long a seat was not heard, by any way; infinite for longer than
   * the match waits. Returns what ends the match.
   */
  poll(nowMs: number, silentMs: (seat: number) => number): SeatsVerdict {
    this.#nowMs = nowMs;
    for (let seat = 0; seat < this.#players; seat++) {
      this.#table.silentMs[seat] = seat === this.#me ? 0 : silentMs(seat);
      const entersAt = this.#table.entersAt[seat]!;
      if (entersAt >= 0 && this.#sim.heldThrough(seat) >= entersAt) this.#entered(seat);
    }
    if (this.#isOutside) {
      this.#remind(this.#me, 'ready');
      // Who could let this side in is not heard any more: somebody else may have the match.
      if (!this.#table.isAnyHere()) this.#fallOut();
      return undefined;
    }
    const verdict = this.#table.verdict(nowMs);
    if (verdict !== undefined) return verdict;
    for (let seat = 0; seat < this.#players; seat++) {
      if (this.#table.isFrozen[seat] && this.#round?.seat !== seat) this.#remind(seat, 'held');
    }
    if (this.#table.leader !== this.#me) this.#round = undefined;
    else this.#lead();
    return undefined;
  }

  /** What waits for the leader is said again now and then: there may be another by now. */
  #remind(seat: number, step: 'ready' | 'held'): void {
    if (this.#nowMs - this.#table.remindedMs[seat]! < REMIND_MS) return;
    this.#table.remindedMs[seat] = this.#nowMs;
    if (step === 'ready') this.#send('ready', seat, 0, this.#sim.lastFrame());
    else this.#sendHeld(seat, 0);
  }

  #lead(): void {
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
    return this.#nowMs - this.#table.thawedMs[seat]! < THAWED_MS && !this.#table.isCut[seat];
  }

  /** Who said so long ago may be gone again. */
  #isReady(seat: number): boolean {
    return this.#table.isReady[seat]! && this.#nowMs - this.#table.returningMs[seat]! < READY_MS;
  }

  #begin(kind: RoundKind, seat: number, frame = -1, last?: number): void {
    // Greater than any round before, and no other seat's.
    this.#newestRound = (Math.floor(this.#newestRound / 8) + 1) * 8 + this.#me;
    this.#round = new Round(kind, seat, this.#newestRound, frame, last);
    if (kind === 'freeze') this.#freeze(seat, this.#newestRound);
  }

  #beginAdmission(seat: number): void {
    const ahead = Math.ceil(this.#sim.game.tickRate * ADMIT_AHEAD_S);
    const frame = Math.max(this.#sim.lastFrame(), this.#round?.late ?? -1) + ahead;
    const [goneFrom] = this.#sim.absenceAfter(seat, -1) ?? [0];
    this.#begin('admit', seat, frame, goneFrom - 1);
    this.#admit(seat, frame);
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
    if (round.kind === 'admit' && this.#table.isAnyLost(seat)) {
      // Nobody may play on without knowing of it: who is lost is given up first.
      this.#round = undefined;
      return;
    }
    if (round.kind === 'drop' && !this.#group().every((player) => round.isAsked(player))) {
      // Somebody is lost who may have held most: what is the last frame is asked again. Nobody has settled it.
      this.#begin('freeze', seat);
      return;
    }
    if (isAnswered && this.#isOwnPartDone(round)) this.#next(round);
    else if (this.#nowMs - round.askedMs >= REPEAT_MS) this.#ask(round);
  }

  #thawAll(seat: number, round: number): void {
    this.#thaw(seat);
    this.#table.thawedMs[seat] = this.#nowMs;
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
    if (kind === 'gone') this.#giveUp(seat, frame);
    if (kind !== 'drop' && kind !== 'gone') return true;
    return this.#table.isGone[seat]! || (kind === 'drop' && this.#sim.heldThrough(seat) >= frame);
  }

  #next(round: Round): void {
    const { kind, seat } = round;
    if (kind === 'freeze' && round.goneAfter !== undefined) {
      // Some have settled it already, with a leader who is no more.
      this.#giveUp(seat, round.goneAfter);
      round.goOn('gone', round.goneAfter, this.#group());
    } else if (kind === 'freeze') {
      round.goOn('drop', Math.max(round.most, this.#sim.heldThrough(seat)), this.#group());
      this.limits[seat] = Math.min(NO_LIMIT, round.frame);
      this.#table.isDropping[seat] = true;
    } else if (kind === 'drop') {
      this.#cutOff(round);
      this.#drop(seat, round.frame);
      round.goOn('gone', round.frame, this.#group());
    } else if (kind === 'admit' && round.late >= 0) {
      this.#beginAdmission(seat);
    } else if (kind === 'admit') {
      this.#entered(seat);
      this.#send('enter', seat, round.number, round.frame);
      this.#round = undefined;
      return;
    } else {
      this.#round = undefined;
      return;
    }
    if (this.#round !== undefined) this.#ask(this.#round);
  }

  /** All seats that are not there, but `except`. */
  #goneSeats(except: number): number[] {
    return this.#table.isGone.flatMap((isGone, seat) => (isGone && seat !== except ? [seat] : []));
  }

  /** Whoever is not gone, and has no part in what is settled now, may have confirmed otherwise. */
  #cutOff(round: Round): void {
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat === this.#me || seat === round.seat || this.#table.isGone[seat] || round.hasAnswer(seat)) continue;
      this.#table.isCut[seat] = true;
    }
  }

  #ask(round: Round): void {
    round.askedMs = this.#nowMs;
    const { kind, seat, number, frame, last } = round;
    this.#send(kind, seat, number, frame, last === undefined ? {} : { last, gone: this.#goneSeats(seat) });
  }

  #send(
    step: SeatStep,
    seat: number,
    round: number,
    frame: number,
    more: Pick<SeatMessage, 'heard' | 'last' | 'gone'> = {},
  ): void {
    this.#output.send({ type: 'seat', from: this.#me, serial: this.#serial++, step, seat, round, frame, ...more });
  }

  /** Whether a message is new: one that came by another way before, or after a newer one, is not passed on. */
  isNew({ from, serial }: SeatMessage): boolean {
    if (from === this.#me || from >= this.#players || serial <= this.#heardSerials[from]!) return false;
    this.#heardSerials[from] = serial;
    return true;
  }

  /** `player` begins anew: its messages are counted from the start. */
  restarted(player: number): void {
    this.#heardSerials[player] = -1;
  }

  /** Takes a message that is new. */
  receive({ from, step, seat, round, frame, heard, last = -1, gone = [] }: SeatMessage): void {
    const isOfOutside = step === 'ready' || step === 'settled' || step === 'late' || step === 'left';
    if (seat >= this.#players || (this.#table.isGone[from] && !isOfOutside)) return;
    this.#newestRound = Math.max(this.#newestRound, round);
    // Who leads was let in: the word of it may have been lost with the one who led before.
    if (step === 'freeze' && this.#table.entersAt[from]! >= 0) this.#entered(from);
    this.#outbid(step, seat, round);
    if (step === 'left') {
      if (seat === from) this.left(seat);
      return;
    }
    if (step === 'ready') {
      if (seat !== from) return;
      this.returns(seat);
      // What was said before it was let in asks for nothing more; and who is far behind could not play.
      const isOut = this.#table.isGone[seat] || this.#table.entersAt[seat]! >= 0;
      const isNear = frame >= this.#sim.lastFrame() - this.#sim.game.tickRate * READY_BEHIND_S;
      if (isOut && isNear) this.#table.isReady[seat] = true;
      return;
    }
    const isAnswer = step === 'held' || step === 'have' || step === 'settled' || step === 'late';
    if (isAnswer) this.#receiveAnswer(from, step, seat, round, frame, heard);
    else if (seat === this.#me) this.#receiveOwn(step, round, frame, gone);
    // What is settled holds, whoever tells it; else the newest leader's word.
    else if (step === 'gone' || round >= this.#table.rounds[seat]!) this.#follow(step, seat, round, frame, last);
    // Promised to a later attempt: the leader has to make one after that.
    else if (step === 'freeze') this.#sendHeld(seat, this.#table.rounds[seat]!);
  }

  /** Another one leads too, and asked later: what was promised here counts no more, and is asked for again. */
  #outbid(step: SeatStep, seat: number, number: number): void {
    const round = this.#round;
    if (round?.seat !== seat || number <= round.number || (step !== 'freeze' && step !== 'drop')) return;
    if (round.kind === 'freeze' || round.kind === 'drop') this.#begin('freeze', seat);
  }

  #receiveAnswer(
    from: number,
    step: SeatStep,
    seat: number,
    number: number,
    frame: number,
    heard: SeatMessage['heard'],
  ) {
    const round = this.#round;
    if (round?.kind === 'freeze' && round.seat === seat && number > round.number && step === 'held') {
      this.#begin('freeze', seat);
      return;
    }
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
    const isOld = heard === 'gone' && this.#knowsAbsence(seat, frame);
    if (step === 'late' || step === expected) round.answer(from, frame, isOld ? 'silent' : heard);
  }

  /** Somebody still waits for a leader that is no more, or missed what was decided. */
  #release(seat: number): void {
    if (this.#table.isGone[seat]) this.#send('gone', seat, this.#newestRound, this.#sim.heldThrough(seat));
    else this.#begin('freeze', seat);
  }

  /** What the leader decides of this side's own seat. */
  #receiveOwn(step: SeatStep, round: number, frame: number, gone: readonly number[]): void {
    if (!this.#isOutside) {
      // The others play on without this side.
      if (step === 'gone') this.#fallOut();
      // It is settled that they will: this side leads no more.
      if (step === 'drop') this.#table.isDropping[this.#me] = true;
      return;
    }
    if (step === 'admit') {
      // What was settled since this side was told the match, and did not come here, it has to be told with it.
      const own = this.#goneSeats(this.#me);
      if (own.length !== gone.length || own.some((each) => !gone.includes(each))) {
        this.#fallOut();
        return;
      }
      const isInTime = this.#admit(this.#me, frame);
      this.#send(isInTime ? 'settled' : 'late', this.#me, round, this.#sim.confirmedFrame);
    }
    if (step === 'enter' && !this.#table.isGone[this.#me]) {
      this.#entered(this.#me);
      this.#isOutside = false;
      this.#output.changed(this.#me, true);
    }
  }

  #fallOut(): void {
    this.#table.isGone[this.#me] = true;
    this.#isOutside = true;
    this.#output.changed(this.#me, false);
  }

  #follow(step: SeatStep, seat: number, round: number, frame: number, last: number): void {
    if (step === 'thaw') {
      // What was promised to one leader no other may take back.
      if (round === this.#table.rounds[seat] && !this.#table.isDropping[seat]) this.#thaw(seat);
      return;
    }
    this.#table.rounds[seat] = Math.max(this.#table.rounds[seat]!, round);
    if (step === 'freeze') {
      this.#freeze(seat, round);
      this.#sendHeld(seat, round);
    } else if (step === 'drop') {
      if (!this.#table.isGone[seat] && this.#sim.heldThrough(seat) > frame) {
        // The leader did not know of this side: it has to ask again.
        this.#sendHeld(seat, round);
        return;
      }
      if (!this.#table.isGone[seat]) {
        this.limits[seat] = Math.min(NO_LIMIT, frame);
        this.#table.isDropping[seat] = true;
      }
      if (this.#table.isGone[seat] || this.#sim.heldThrough(seat) >= frame) this.#send('have', seat, round, frame);
    } else if (step === 'gone') {
      this.#giveUp(seat, frame);
      if (this.#table.isGone[seat]) this.#send('settled', seat, round, frame);
    } else if (step === 'admit') {
      // This side may have missed that the seat was gone at all.
      const isKnown = this.#knowsAbsence(seat, last);
      if (!isKnown) this.#giveUp(seat, last);
      if (!isKnown && !this.#table.isGone[seat]) return;
      const isInTime = this.#admit(seat, frame);
      this.#send(isInTime ? 'settled' : 'late', seat, round, this.#sim.confirmedFrame);
    } else if (step === 'enter') {
      // All others let it in at a frame that is final here without it: they play on without this side.
      if (this.#table.isGone[seat]) this.#fallOut();
      else this.#entered(seat);
    }
  }

  /**
   * Whether the absence after `last` is known here. Who was told the match while the seat was not there knows that absence
   * from a later frame on only, so that its end tells it.
   */
  #knowsAbsence(seat: number, last: number): boolean {
    const absence = this.#sim.absenceAfter(seat, -1);
    return absence !== null && (absence[1] ?? NO_LIMIT) > last;
  }

  /** The seat is gone after `last`, as soon as all its inputs up to there are held. */
  #giveUp(seat: number, last: number): void {
    if (this.#table.isGone[seat]) return;
    const held = this.#sim.heldThrough(seat);
    this.limits[seat] = Math.min(NO_LIMIT, Math.max(last, held));
    if (held >= last) this.#drop(seat, last);
  }

  #sendHeld(seat: number, round: number): void {
    const isHeard = this.#table.silentMs[seat]! < HEARD_MS && !this.#table.hasLeft[seat];
    const heard = isHeard ? 'heard' : 'silent';
    const bound = this.#table.isGone[seat] ? 'gone' : this.#table.isDropping[seat] ? 'dropping' : heard;
    this.#send('held', seat, round, this.#sim.heldThrough(seat), { heard: bound });
  }

  #freeze(seat: number, round: number): void {
    this.#table.rounds[seat] = round;
    if (this.#table.isGone[seat]) return;
    this.#table.isFrozen[seat] = true;
    this.limits[seat] = this.#sim.heldThrough(seat);
  }

  #thaw(seat: number): void {
    this.#table.isFrozen[seat] = false;
    if (!this.#table.isGone[seat]) this.limits[seat] = NO_LIMIT;
  }

  #drop(seat: number, last: number): void {
    this.#table.isFrozen[seat] = false;
    this.#table.isDropping[seat] = false;
    this.#table.isCut[seat] = false;
    if (this.#table.isGone[seat]) return;
    if (this.#sim.heldThrough(seat) !== last) {
      // The others settled it without what is known here: they play on without this side.
      this.#fallOut();
      return;
    }
    this.#sim.disconnect(seat, last + 1);
    this.#table.isGone[seat] = true;
    this.#table.isReady[seat] = false;
    this.#table.entersAt[seat] = -1;
    this.#output.changed(seat, false);
  }

  /** The seat plays: nobody has to admit it any more. */
  #entered(seat: number): void {
    this.#table.entersAt[seat] = -1;
    this.#table.isReady[seat] = false;
  }

  /** False when the frame is final here already. */
  #admit(seat: number, frame: number): boolean {
    const isAgain = !this.#table.isGone[seat];
    if (frame <= this.#sim.confirmedFrame || (isAgain && this.#sim.heldThrough(seat) >= frame)) return false;
    this.#sim.admit(seat, frame);
    this.#table.isGone[seat] = false;
    this.#table.entersAt[seat] = frame;
    this.#table.hasLeft[seat] = false;
    this.#table.isFrozen[seat] = false;
    this.#table.isDropping[seat] = false;
    this.limits[seat] = NO_LIMIT;
    if (seat !== this.#me && !isAgain) this.#output.changed(seat, true);
    return true;
  }
}

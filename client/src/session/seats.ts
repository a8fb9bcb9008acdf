import type { RollbackSim } from '@riposte/shared';
import type { SeatMessage, SeatStep } from '@riposte/shared/protocol';
import { NO_LIMIT, SeatChanges } from './seat-changes.js';
import { type SaySeat, SeatLeader } from './seat-leader.js';
import { HEARD_MS, type SeatsVerdict, SeatTable } from './seat-table.js';

/** What a player waits for from its leader is said again this often. */
const REMIND_MS = 1000;
/** How far behind a returning player may be when it is let in, in seconds: all inputs since must still be kept. */
const READY_BEHIND_S = 1;
/** Who is let in may lack this share of what the others keep: the rest is for a window and a delay that they run ahead. */
const LACKING_MAX = 3 / 4;
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
  readonly #changes: SeatChanges<S, I>;
  readonly #leader: SeatLeader<S, I>;
  readonly #sim: RollbackSim<S, I>;
  readonly #me: number;
  readonly #players: number;
  readonly #output: SeatsOutput;
  readonly #table: SeatTable;
  #serial = 0;
  readonly #heardSerials: number[];

  constructor(sim: RollbackSim<S, I>, me: number, output: SeatsOutput) {
    this.#sim = sim;
    this.#me = me;
    this.#players = sim.players;
    this.#output = output;
    this.#table = new SeatTable(sim.players, me, (seat) => sim.isGone(seat, NO_LIMIT - 1));
    this.#changes = new SeatChanges(sim, me, this.#table, (seat, isHere) => output.changed(seat, isHere));
    this.#leader = new SeatLeader(sim, me, this.#table, this.#changes, this.#send);
    this.limits = this.#changes.limits;
    // Of a match that was told: who was let in, and had not played yet.
    for (let seat = 0; seat < sim.players; seat++) this.#table.entersAt[seat] = this.#changes.awaitedAt(seat);
    this.#heardSerials = Array.from({ length: sim.players }, () => -1);
  }

  isGone(seat: number): boolean {
    return this.#table.isGone[seat]!;
  }

  /** This side's seat is not in the match yet, or not any more. */
  get isOutside(): boolean {
    return this.#changes.isOutside;
  }

  get isLeader(): boolean {
    return this.#leader.isLeader;
  }

  /** The seat is given up, and this side lacks inputs of it: the seat itself sends them no more. */
  lacks(seat: number): boolean {
    const limit = this.#changes.limits[seat]!;
    return limit !== NO_LIMIT && !this.#table.isGone[seat] && this.#sim.heldThrough(seat) < limit;
  }

  /** A seat that leads no more, and is not waited for: it said so, or it came back without the match. */
  left(seat: number): void {
    this.#table.leavingMs[seat] = Number.NaN;
    this.#table.hasLeft[seat] = true;
    this.#table.isReady[seat] = false;
  }

  /** Others pass on that a seat left, which is heard here: its own word may come late, or never. */
  leaves(seat: number): void {
    this.#table.leavingMs[seat] = this.#table.nowMs;
  }

  /** It has the match after all: its word of before came late. */
  stays(seat: number): void {
    if (!this.#table.isGone[seat]) this.#table.hasLeft[seat] = false;
  }

  /** A player asks for the match that it lost. */
  returns(seat: number): void {
    this.#table.returningMs[seat] = this.#table.nowMs;
  }

  /** Tells the others that this side leaves. */
  leave(): void {
    this.say('left', -1);
  }

  /** Tells the others what becomes of this side. */
  say(step: 'left' | 'parted' | 'mended', frame: number): void {
    this.#send(step, this.#me, 0, frame);
  }

  /** For a player who does not know that the others play on without it. */
  noticeOf(seat: number): SeatMessage {
    const frame = this.#changes.playedThrough(seat);
    return { type: 'seat', from: this.#me, serial: this.#serial++, step: 'gone', seat, round: 0, frame };
  }

  /**
   * Once in every frame of the page. `silentMs` says how long a seat was not heard, by any way; infinite for longer than
   * the match waits. Returns what ends the match.
   */
  poll(nowMs: number, silentMs: (seat: number) => number): SeatsVerdict {
    this.#table.nowMs = nowMs;
    for (let seat = 0; seat < this.#players; seat++) {
      this.#table.silentMs[seat] = seat === this.#me ? 0 : silentMs(seat);
      this.#pollLeaving(seat);
      const entersAt = this.#table.entersAt[seat]!;
      if (entersAt >= 0 && this.#sim.heldThrough(seat) >= entersAt) this.#changes.entered(seat);
    }
    if (this.#changes.isOutside) {
      this.#remind(this.#me, 'ready');
      // Who could let this side in is not heard any more: somebody else may have the match.
      if (!this.#table.isAnyHere()) this.#changes.fallOut();
      return undefined;
    }
    const verdict = this.#table.verdict(nowMs);
    if (verdict !== undefined) return verdict;
    for (let seat = 0; seat < this.#players; seat++) {
      // What became of a lost one may have been settled without this side.
      const isWaiting = this.#table.isFrozen[seat]! || (this.#table.isLost(seat) && !this.isLeader);
      if (isWaiting && !this.#leader.isAsking(seat)) this.#remind(seat, 'held');
    }
    if (this.#leader.isLeader) this.#leader.lead();
    else this.#leader.yield();
    return undefined;
  }

  /** What others passed on of a leaving comes true with its silence; or it was of before, and is forgotten. */
  #pollLeaving(seat: number): void {
    const { leavingMs, silentMs, nowMs } = this.#table;
    const heardForMs = nowMs - silentMs[seat]! - leavingMs[seat]!;
    if (heardForMs > HEARD_MS) leavingMs[seat] = Number.NaN;
    else if (heardForMs <= HEARD_MS && silentMs[seat]! >= HEARD_MS) this.left(seat);
  }

  /** What waits for the leader is said again now and then: there may be another by now. */
  #remind(seat: number, step: 'ready' | 'held'): void {
    if (this.#table.nowMs - this.#table.remindedMs[seat]! < REMIND_MS) return;
    this.#table.remindedMs[seat] = this.#table.nowMs;
    if (step === 'ready') this.#send('ready', seat, 0, this.#sim.lastFrame());
    else this.#sendHeld(seat, 0);
  }

  readonly #send: SaySeat = (step, seat, round, frame, more = {}) => {
    this.#output.send({ type: 'seat', from: this.#me, serial: this.#serial++, step, seat, round, frame, ...more });
  };

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
  receive({ from, step, seat, round, frame, heard, last = -1, gone = [], cut = [] }: SeatMessage): void {
    const isOfOutside = step === 'ready' || step === 'settled' || step === 'late' || step === 'left';
    if (seat >= this.#players || (this.#table.isGone[from] && !isOfOutside)) return;
    this.#leader.newestRound = Math.max(this.#leader.newestRound, round);
    // Who leads was let in: the word of it may have been lost with the one who led before.
    if (step === 'freeze' && this.#table.entersAt[from]! >= 0) this.#changes.entered(from);
    this.#leader.outbid(step, seat, round);
    if (step === 'left') {
      if (seat === from) this.left(seat);
      return;
    }
    if (step === 'ready') {
      if (seat !== from) return;
      this.returns(seat);
      // What was said before it was let in asks for nothing more; and who has fallen far behind since could not play.
      const isOut = this.#table.isGone[seat]! || this.#table.entersAt[seat]! >= 0;
      const isNear = frame >= this.#sim.lastFrame() - this.#sim.game.tickRate * READY_BEHIND_S;
      this.#table.isReady[seat] = isOut && isNear;
      // Or it was let in, and the word of it was lost with the one who led. Said in no round, for the seat alone.
      const awaitedAt = this.#changes.awaitedAt(seat);
      if (!isOut && awaitedAt >= 0) this.#send('enter', seat, 0, awaitedAt);
      return;
    }
    const isAnswer = step === 'held' || step === 'have' || step === 'settled' || step === 'late';
    if (isAnswer) this.#leader.receiveAnswer(from, step, seat, round, frame, heard);
    else if (seat === this.#me) this.#receiveOwn(step, round, frame, gone);
    else if (cut.includes(this.#me) && !this.isOutside) this.#changes.fallOut();
    // What is settled holds, whoever tells it; else the newest leader's word.
    else if (step === 'gone' || round >= this.#table.rounds[seat]!) {
      this.#noteCut(cut, round);
      this.#follow(step, seat, round, frame, last);
    }
    // Promised to a later attempt: the leader has to make one after that.
    else if (step === 'freeze' || step === 'drop') this.#sendHeld(seat, this.#table.rounds[seat]!);
  }

  /** What the leader decides of this side's own seat. */
  #receiveOwn(step: SeatStep, round: number, frame: number, gone: readonly number[]): void {
    if (!this.#changes.isOutside) {
      // The others play on without this side.
      if (step === 'gone') this.#changes.fallOut();
      // It is settled that they will: this side leads no more.
      if (step === 'drop') this.#table.isDropping[this.#me] = true;
      return;
    }
    if (step === 'admit') {
      // What was settled since this side was told the match, and did not come here or not to its end, it has to be told with
      // it; as it has where it is so far behind that the others will not keep what it lacks.
      const own = this.#changes.goneSeats(this.#me);
      const isOfOne = own.length === gone.length && own.every((each) => gone.includes(each));
      const lacking = frame - this.#sim.confirmedFrame;
      if (!isOfOne || this.#table.isDropping.includes(true) || lacking > this.#sim.history * LACKING_MAX) {
        this.#changes.fallOut();
        return;
      }
      const isInTime = this.#changes.admit(this.#me, frame);
      this.#send(isInTime ? 'settled' : 'late', this.#me, round, this.#sim.confirmedFrame);
    }
    if (step === 'enter' && !this.#table.isGone[this.#me] && frame === this.#table.entersAt[this.#me]) {
      this.#changes.entered(this.#me);
      this.#changes.isOutside = false;
      this.#output.changed(this.#me, true);
    }
  }

  #follow(step: SeatStep, seat: number, round: number, frame: number, last: number): void {
    if (step === 'thaw') {
      // What was promised to one leader no other may take back.
      if (round === this.#table.rounds[seat] && !this.#table.isDropping[seat]) this.#changes.thaw(seat);
      return;
    }
    this.#table.rounds[seat] = Math.max(this.#table.rounds[seat]!, round);
    if (step === 'freeze') {
      this.#changes.freeze(seat, round);
      this.#sendHeld(seat, round);
    } else if (step === 'drop') {
      if (!this.#table.isGone[seat] && this.#changes.playedThrough(seat) > frame) {
        // The leader did not know of this side: it has to ask again.
        this.#sendHeld(seat, round);
        return;
      }
      if (!this.#table.isGone[seat]) {
        this.#changes.limits[seat] = Math.min(NO_LIMIT, frame);
        this.#table.isDropping[seat] = true;
      }
      const hasAll = this.#table.isGone[seat]! || this.#changes.playedThrough(seat) >= frame;
      if (hasAll) this.#send('have', seat, round, frame);
    } else if (step === 'gone') {
      // It may be an earlier word, which came late: the seat has been let in since.
      const isOver = round < this.#table.rounds[seat]! && this.#changes.knowsAbsence(seat, frame);
      if (!isOver) this.#changes.giveUp(seat, frame);
      if (isOver || this.#table.isGone[seat]) this.#send('settled', seat, round, frame);
    } else if (step === 'admit') {
      // This side may have missed that the seat was gone at all.
      const isKnown = this.#changes.knowsAbsence(seat, last);
      if (!isKnown) this.#changes.giveUp(seat, last);
      if (!isKnown && !this.#table.isGone[seat]) return;
      const isInTime = this.#changes.admit(seat, frame);
      this.#send(isInTime ? 'settled' : 'late', seat, round, this.#sim.confirmedFrame);
    } else if (step === 'enter') {
      // All others let it in at a frame that is final here without it: they play on without this side.
      if (this.#table.isGone[seat]) this.#changes.fallOut();
      else this.#changes.entered(seat);
    }
  }

  /** Who had no part in what is settled has to go, whoever leads next; unless it is gone, or back, by a later word. */
  #noteCut(cut: readonly number[], round: number): void {
    const { isCut, isGone, rounds } = this.#table;
    for (const seat of cut) isCut[seat] = isGone[seat] === false && round >= rounds[seat]!;
  }

  #sendHeld(seat: number, round: number): void {
    const isHeard = this.#table.silentMs[seat]! < HEARD_MS && !this.#table.hasLeft[seat];
    const heard = isHeard ? 'heard' : 'silent';
    const bound = this.#table.isGone[seat] ? 'gone' : this.#table.isDropping[seat] ? 'dropping' : heard;
    this.#send('held', seat, round, this.#changes.playedThrough(seat), { heard: bound });
  }
}

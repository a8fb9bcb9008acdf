import type { Session } from '../../client/src/session/session.js';
import type { mixer } from '../../shared/testing/mixer.js';
import { require } from './failure.js';

export type State = ReturnType<typeof mixer.state.create>;
export type Input = ReturnType<typeof mixer.input.create>;

type Running = NonNullable<Session<State, Input>['running']>;
type Driver = Running['driver'];
type Sim = Driver['sim'];

/** No run is longer: two minutes at 60 Hz. */
const FRAMES_MAX = 7200;

/**
 * What one player pressed, and its machine heard and confirmed in a run, written down outside the engine: by the links'
 * own log and by what the players did. After each tick the session must agree with it. A machine may begin anew, with
 * the match as others tell it: what it confirmed before stays written down.
 */
export class Watch {
  readonly me: number;
  /** This player's input of each frame, as its session first had it. */
  readonly own = new Uint8Array(FRAMES_MAX);
  ownThrough = -1;
  /** Each confirmed frame: the hash of the state after it, and the set of the players who were not there. */
  readonly hashes = new Uint32Array(FRAMES_MAX);
  readonly gone = new Uint8Array(FRAMES_MAX);
  /** The frames that this machine confirmed as they stand there. */
  readonly isConfirmed = new Uint8Array(FRAMES_MAX);
  /** Of what the machine has now: the frames from `first` up to `confirmed`. */
  first = 0;
  confirmed = -1;
  /** By player: the newest frame of its inputs that any packet of its own held. */
  readonly heardThrough: Int32Array;
  /** Ticks in which the log says that a prediction had been wrong: in a match of two each must make one rollback. */
  wrongTicks = 0;
  /** Times that the newest input of another, by the log, was older than the window allows. */
  stalls = 0;
  /** Confirmed changes of others' inputs. */
  remoteChanges = 0;
  #isWrong = false;
  /** The buttons that changed in ticks since the newest own input was put. */
  #changed = 0;
  /** That input; neutral for a machine that began anew. */
  #newest = 0;
  #others: readonly Watch[] = [];
  #running: Session<State, Input>['running'];
  #isOutside = false;
  #isLost = false;
  /** By player: the first frame that both have confirmed, each without knowing who was there for the other. */
  readonly #disputes: Int32Array;
  /** What was counted before the machine began anew. */
  #before = { wrongTicks: 0, stalls: 0, remoteChanges: 0 };
  /** By player: its input of the newest confirmed frame. */
  readonly #confirmedInputs: Uint8Array;
  readonly #words = new Int32Array(1);

  constructor(me: number, players: number) {
    this.me = me;
    this.heardThrough = new Int32Array(players).fill(-1);
    this.#confirmedInputs = new Uint8Array(players);
    this.#disputes = new Int32Array(players).fill(FRAMES_MAX);
  }

  /** The watches of all machines. */
  meet(watches: readonly Watch[]): void {
    this.#others = watches.filter((watch) => watch !== this);
  }

  /** A packet that holds `from`'s inputs up to `newest` was given to the session, whose last frame is `head`. */
  heard(from: Watch, newest: number, head: number): void {
    const limit = this.#running?.seats?.limits[from.me] ?? newest;
    const last = Math.min(newest, limit);
    const before = this.heardThrough[from.me]!;
    if (last <= before) return;
    // What every frame after the last one heard of was predicted to be.
    const guess = inputAt(from, before);
    for (let frame = before + 1; frame <= last && frame <= head; frame++) {
      if (from.own[frame] !== guess) this.#isWrong = true;
    }
    this.heardThrough[from.me] = last;
  }

  /** The session has another match than the one that was watched, or one for the first time. */
  isNew({ running }: Session<State, Input>): boolean {
    return running !== this.#running;
  }

  /** Of what the machine has now: rollbacks that the log accounts for, with the one that is still to be made. */
  get rollbacks(): number {
    return this.wrongTicks - this.#before.wrongTicks + (this.#isWrong ? 1 : 0);
  }

  get ownStalls(): number {
    return this.stalls - this.#before.stalls;
  }

  get ownRemoteChanges(): number {
    return this.remoteChanges - this.#before.remoteChanges;
  }

  /** One tick with `word` pressed, and what must be true of it. */
  tick(session: Session<State, Input>, word: number, run: () => void): void {
    const { running } = session;
    if (running === undefined) {
      run();
      return;
    }
    if (running !== this.#running) this.#begin(running);
    const { sim, stalledFrames } = running.driver;
    if (this.#isOutside && running.seats?.isOutside === false) this.#enter(sim);
    const head = sim.lastFrame();
    // Reading the figures makes pending corrections, which the tick would do first anyway.
    const { window } = sim.stats;
    run();
    if (this.#isWrong) this.wrongTicks++;
    this.#isWrong = false;
    const next = head + 1;
    const hasStalled = running.driver.stalledFrames !== stalledFrames;
    const hasAdvanced = sim.lastFrame() !== head;
    if (hasStalled) this.#checkStall(running, next, window);
    if (hasAdvanced) {
      require(sim.lastFrame() === next, () =>
        `one tick took player ${this.me} from frame ${head} to ${sim.lastFrame()}`);
      // Of more than two, others may have passed on what the log of a link does not know.
      require(this.#others.length > 1 || next - this.#knownThrough(sim, next) <= window, () =>
        `player ${this.me} ran frame ${next} with inputs up to ${this.heardThrough} only; the window is ${window}`);
    }
    if (this.#isOutside) this.#changed = 0;
    else {
      if (hasStalled || hasAdvanced) this.#changed |= word ^ this.#newest;
      this.#takeOwn(sim);
    }
    this.#takeConfirmed(running.driver);
  }

  /** The machine lost its match: what only those had of it who lost it is void, and what was settled without it. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const other of this.#others) {
      this.isConfirmed.fill(0, this.#disputes[other.me]);
      this.#disputes[other.me] = FRAMES_MAX;
      other.#disputes[this.me] = FRAMES_MAX;
    }
    const all = [this, ...this.#others];
    const known = Math.max(...all.map((watch) => (watch.#isLost ? -1 : watch.confirmed)));
    for (const watch of all) if (watch.#isLost) watch.isConfirmed.fill(0, known + 1);
    for (let frame = 0; frame <= this.confirmed; frame++) {
      if (this.#others.some((other) => other.isWithout(this, frame))) this.isConfirmed[frame] = 0;
    }
  }

  /** This machine has confirmed a frame without the player of another one. */
  isWithout({ me }: Watch, frame: number): boolean {
    return this.isConfirmed[frame] === 1 && (this.gone[frame]! & (1 << me)) !== 0;
  }

  /** What this machine confirmed is what all others did, but for those who lost the match. */
  checkUndisputed(): void {
    for (const other of this.#others) {
      const frame = this.#disputes[other.me]!;
      require(frame === FRAMES_MAX, () =>
        `frame ${frame} is confirmed without the players ${setOf(this.gone[frame]!)} by player ${this.me} and without ${setOf(other.gone[frame]!)} by player ${other.me}`);
    }
  }

  /** The machine had confirmed a frame with this hash, and lost the match since. */
  isVoid(frame: number, hash: number): boolean {
    return this.isConfirmed[frame] === 0 && this.hashes[frame] === hash;
  }

  /** The machine has a match, its first one or as others told it. */
  #begin(running: Running): void {
    const { sim, firstFrame } = running.driver;
    // Who was told the match was not in it, at least until it was.
    const isFirst = this.#running === undefined && firstFrame === 0 && sim.absenceAfter(this.me, -1) === null;
    this.#running = running;
    this.#before = { wrongTicks: this.wrongTicks, stalls: this.stalls, remoteChanges: this.remoteChanges };
    this.#isWrong = false;
    this.#isLost = false;
    this.#changed = 0;
    this.#newest = 0;
    // It may have been taken in again before its first tick.
    this.#isOutside = running.seats !== undefined && (!isFirst || running.seats.isOutside);
    this.first = firstFrame;
    this.confirmed = firstFrame - 1;
    this.#confirmedInputs.fill(0);
    // The first match of a machine may have been told to it too: then it holds inputs that no packet brought.
    for (const { me, ownThrough } of this.#others) {
      const through = sim.heldThrough(me);
      // Who was taken in again meanwhile is known to be absent up to then.
      const isAbsent = through < firstFrame || sim.isGone(me, firstFrame) || sim.isGone(me, Math.max(0, through));
      require(isAbsent || through <= ownThrough, () => `player ${this.me} was told frame ${through} of player ${me}`);
      this.heardThrough[me] = through;
    }
    if (this.#isOutside) return;
    // Of two, who returns goes on after the last input that the other one holds; what is missing is neutral.
    if (!isFirst) {
      this.ownThrough = Math.min(this.ownThrough, this.#others[0]!.heardThrough[this.me]!);
      // What it had confirmed with inputs that nobody else has is void.
      this.isConfirmed.fill(0, this.ownThrough + 1);
    }
    this.#takeOwn(sim);
  }

  /** The machine's seat is in the match again. */
  #enter(sim: Sim): void {
    this.#isOutside = false;
    this.ownThrough = (sim.absenceAfter(this.me, 0)?.[1] ?? 0) - 1;
    this.own[this.ownThrough] = 0;
  }

  /** The newest frame that may be final, with the link's inputs of all others who are there in `next`. */
  #knownThrough(sim: Sim, next: number): number {
    let known = next;
    for (const { me } of this.#others) {
      if (!sim.isGone(me, next)) known = Math.min(known, this.heardThrough[me]!);
    }
    return known;
  }

  #checkStall({ driver, seats }: Running, next: number, window: number): void {
    this.stalls++;
    const isWaiting = next - this.#knownThrough(driver.sim, next) > window;
    require(isWaiting || seats?.isOutside === true, () =>
      `player ${this.me} stalled before frame ${next}: the link had delivered inputs up to ${this.heardThrough}, and the window is ${window}`);
  }

  /**
   * Writes down this player's own inputs as they are first put. Each button that changed in any tick since the last
   * one changes in the newest, and in none before it: no press is lost, and none is repeated.
   */
  #takeOwn(sim: Sim): void {
    const before = this.#newest;
    const through = sim.confirmedThrough(this.me);
    for (let frame = this.ownThrough + 1; frame <= through; frame++) {
      require(frame < FRAMES_MAX, () => `player ${this.me} is at frame ${frame}: no run is that long`);
      sim.readInput(this.me, frame, this.#words, 0);
      this.own[frame] = this.#words[0]!;
      const expected = frame === through ? before ^ this.#changed : before;
      require(this.own[frame] === expected, () =>
        `player ${this.me}'s input for frame ${frame} is ${this.own[frame]}; its presses make ${expected}`);
    }
    if (through <= this.ownThrough) return;
    this.#changed = 0;
    this.#newest = this.own[through]!;
    this.ownThrough = through;
  }

  /** Frames are final when confirmed: their inputs must be those of their owners, their hashes those of the others. */
  #takeConfirmed({ sim, checker }: Driver): void {
    while (this.confirmed < checker.newest) {
      const frame = ++this.confirmed;
      const hash = checker.hashOf(frame) ?? 0;
      let gone = 0;
      this.#takeInput(sim, frame, this);
      for (const other of this.#others) if (this.#takeInput(sim, frame, other)) this.remoteChanges++;
      for (let player = 0; player <= this.#others.length; player++) {
        if (sim.isGone(player, frame)) gone |= 1 << player;
      }
      // What it confirmed before it was lost counts up to the last frame that the others had of it.
      const isOld = this.isConfirmed[frame] === 1 && (gone & (1 << this.me)) === 0;
      require(!isOld || (this.hashes[frame] === hash && this.gone[frame] === gone), () =>
        `player ${this.me} confirmed frame ${frame} with hash ${this.hashes[frame]} without the players ${setOf(this.gone[frame]!)}, and after its return with ${hash} without ${setOf(gone)}`);
      this.isConfirmed[frame] = 1;
      this.hashes[frame] = hash;
      this.gone[frame] = gone;
      for (const other of this.#others) {
        if (this.isWithout(other, frame) && (other.#isLost || frame < other.first)) other.isConfirmed[frame] = 0;
        this.checkAgainst(other, frame);
      }
    }
  }

  /** A frame that both have confirmed is the same, unless one of them was lost before it, and did not know yet. */
  checkAgainst(other: Watch, frame: number): void {
    if (this.isConfirmed[frame] === 0 || other.isConfirmed[frame] === 0) return;
    if (this.isWithout(other, frame) || other.isWithout(this, frame)) return;
    // Who is not taken in again yet has no say in what is settled meanwhile.
    const lost = [this, other].find((watch) => watch.#isLost || watch.#isOutside);
    if (lost !== undefined && this.gone[frame] !== other.gone[frame]) {
      // Who lost the match did not know what the others went on to settle.
      lost.isConfirmed[frame] = 0;
      return;
    }
    if (this.gone[frame] !== other.gone[frame]) {
      // Who was not heard when the others settled it does not know yet that it has lost the match: one of them must have.
      this.#disputes[other.me] = Math.min(this.#disputes[other.me]!, frame);
      other.#disputes[this.me] = this.#disputes[other.me]!;
    }
    if (this.#disputes[other.me]! <= frame) return;
    require(this.hashes[frame] === other.hashes[frame], () =>
      `frame ${frame} is confirmed with hash ${this.hashes[frame]} by player ${this.me} and ${other.hashes[frame]} by player ${other.me}`);
  }

  /** Checks a player's input of a frame that is final now. True when it is another one than in the frame before. */
  #takeInput(sim: Sim, frame: number, owner: Watch): boolean {
    let word = 0;
    if (!sim.isGone(owner.me, frame)) {
      const isKnown = sim.readInput(owner.me, frame, this.#words, 0);
      require(isKnown && frame <= owner.ownThrough, () =>
        `player ${this.me} confirmed frame ${frame} without player ${owner.me}'s input for it`);
      word = this.#words[0]!;
      require(word === owner.own[frame], () =>
        `player ${owner.me} pressed ${owner.own[frame]} in frame ${frame}, and player ${this.me} confirmed it with ${word}`);
    }
    const hasChanged = this.#confirmedInputs[owner.me] !== word;
    this.#confirmedInputs[owner.me] = word;
    return hasChanged;
  }
}

/** The input of a frame as its owner had it; neutral before the first. */
export function inputAt(watch: Watch, frame: number): number {
  return frame < 0 ? 0 : watch.own[frame]!;
}

/** The players of a set, for people. */
function setOf(players: number): string {
  const all = [0, 1, 2, 3, 4, 5, 6, 7].filter((player) => (players & (1 << player)) !== 0);
  return `[${all}]`;
}

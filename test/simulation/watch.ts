import type { Session } from '../../client/src/session/session.js';
import type { mixer } from '../../shared/testing/mixer.js';
import { require } from './failure.js';

export type State = ReturnType<typeof mixer.state.create>;
export type Input = ReturnType<typeof mixer.input.create>;

type Sim = NonNullable<Session<State, Input>['sim']>;
type Driver = NonNullable<Session<State, Input>['driver']>;

/** No run is longer: two minutes at 60 Hz. */
const FRAMES_MAX = 7200;

/**
 * What one machine pressed, heard and confirmed in a run, written down outside the engine: by the link's own log and
 * by what the players did. After each tick the session must agree with it.
 */
export class Watch {
  readonly me: number;
  /** This machine's input of each frame, as the session first had it. */
  readonly own = new Uint8Array(FRAMES_MAX);
  ownThrough = -1;
  /** Each confirmed frame: the hash of the state after it. */
  readonly hashes = new Uint32Array(FRAMES_MAX);
  confirmed = -1;
  /** The newest frame of the other's inputs that any delivered packet held. */
  heardThrough = -1;
  /** Ticks in which the log says that a prediction had been wrong: each must make one rollback. */
  wrongTicks = 0;
  /** Times that the newest remote input, by the log, was older than the window allows. */
  stalls = 0;
  /** Confirmed changes of the other's input. */
  remoteChanges = 0;
  #isWrong = false;
  /** The buttons that changed in ticks since the newest own input was put. */
  #changed = 0;
  #others: readonly Watch[] = [];
  readonly #words = new Int32Array(1);

  constructor(me: number) {
    this.me = me;
  }

  /** The watches of all machines. */
  meet(watches: readonly Watch[]): void {
    this.#others = watches.filter((watch) => watch !== this);
  }

  /** A packet that holds `from`'s inputs up to `newest` was given to the session, whose last frame is `head`. */
  heard(from: Watch, newest: number, head: number): void {
    if (newest <= this.heardThrough) return;
    // What every frame after the last one heard of was predicted to be.
    const guess = inputAt(from, this.heardThrough);
    for (let frame = this.heardThrough + 1; frame <= newest && frame <= head; frame++) {
      if (from.own[frame] !== guess) this.#isWrong = true;
    }
    this.heardThrough = newest;
  }

  /** Rollbacks that the log accounts for, with the one that is still to be made. */
  get rollbacks(): number {
    return this.wrongTicks + (this.#isWrong ? 1 : 0);
  }

  /** One tick with `word` pressed, and what must be true of it. */
  tick(session: Session<State, Input>, word: number, run: () => void): void {
    const { sim, driver } = session;
    if (sim === undefined || driver === undefined) {
      run();
      return;
    }
    // The frames that the delay leaves neutral lie before the first sample.
    if (this.ownThrough < 0) this.#takeOwn(sim);
    const head = sim.lastFrame();
    const { stalledFrames } = driver;
    // Reading the figures makes pending corrections, which the tick would do first anyway.
    const { window } = sim.stats;
    run();
    if (this.#isWrong) this.wrongTicks++;
    this.#isWrong = false;
    const next = head + 1;
    const missing = next - Math.min(next, this.heardThrough);
    const hasStalled = driver.stalledFrames !== stalledFrames;
    const hasAdvanced = sim.lastFrame() !== head;
    if (hasStalled) {
      this.stalls++;
      require(missing > window, () =>
        `player ${this.me} stalled before frame ${next}: the link had delivered inputs up to ${this.heardThrough}, and the window is ${window}`);
    }
    if (hasAdvanced) {
      require(sim.lastFrame() === next, () =>
        `one tick took player ${this.me} from frame ${head} to ${sim.lastFrame()}`);
      require(missing <= window, () =>
        `player ${this.me} ran frame ${next} with inputs up to ${this.heardThrough} only; the window is ${window}`);
    }
    if (hasStalled || hasAdvanced) this.#changed |= word ^ inputAt(this, this.ownThrough);
    this.#takeOwn(sim);
    this.#takeConfirmed(sim, driver);
  }

  /**
   * Writes down this machine's own inputs as they are first put. Each button that changed in any tick since the last
   * one changes in the newest, and in none before it: no press is lost, and none is repeated.
   */
  #takeOwn(sim: Sim): void {
    const through = sim.confirmedThrough(this.me);
    const last = inputAt(this, this.ownThrough);
    for (let frame = this.ownThrough + 1; frame <= through; frame++) {
      require(frame < FRAMES_MAX, () => `player ${this.me} is at frame ${frame}: no run is that long`);
      sim.readInput(this.me, frame, this.#words, 0);
      this.own[frame] = this.#words[0]!;
      const expected = frame === through ? last ^ this.#changed : last;
      require(this.own[frame] === expected, () =>
        `player ${this.me}'s input for frame ${frame} is ${this.own[frame]}; its presses make ${expected}`);
    }
    if (through > this.ownThrough) this.#changed = 0;
    this.ownThrough = through;
  }

  /** Frames are final when confirmed: their inputs must be those of their owners, their hashes those of the others. */
  #takeConfirmed(sim: Sim, { checker }: Driver): void {
    while (this.confirmed < checker.newest) {
      const frame = ++this.confirmed;
      const hash = checker.hashOf(frame) ?? 0;
      this.hashes[frame] = hash;
      this.#checkInput(sim, frame, this);
      for (const other of this.#others) {
        this.#checkInput(sim, frame, other);
        if (other.own[frame] !== inputAt(other, frame - 1)) this.remoteChanges++;
        require(other.confirmed < frame || other.hashes[frame] === hash, () =>
          `frame ${frame} is confirmed with hash ${hash} by player ${this.me} and ${other.hashes[frame]} by player ${other.me}`);
      }
    }
  }

  #checkInput(sim: Sim, frame: number, owner: Watch): void {
    const isKnown = sim.readInput(owner.me, frame, this.#words, 0);
    require(isKnown && frame <= owner.ownThrough, () =>
      `player ${this.me} confirmed frame ${frame} without player ${owner.me}'s input for it`);
    require(this.#words[0] === owner.own[frame], () =>
      `player ${owner.me} pressed ${owner.own[frame]} in frame ${frame}, and player ${this.me} confirmed it with ${this.#words[0]}`);
  }
}

/** The input of a frame as its owner had it; neutral before the first. */
export function inputAt(watch: Watch, frame: number): number {
  return frame < 0 ? 0 : watch.own[frame]!;
}

import { DesyncChecker, type PeerComparison } from '@riposte/shared';
import type { SeatMessage } from '@riposte/shared/protocol';
import { DesyncWatch, RESYNCS_MAX } from './desync-watch.js';
import type { PeerLink } from './peer-link.js';
import type { Returns } from './returns.js';
import type { RosterOutput } from './roster.js';
import type { RunningMatch } from './running-match.js';
import type { StateReceiver } from './state-transfer.js';

/** How often a player asks for a state that does not come. */
const ASK_MS = 1000;
/** And how often it is told one: packing a state costs a frame. */
const TELL_MS = 500;
/** Nobody's hashes but those of the match that all are in. */
const NONE = -1;

/** Another player, and what is known of it where its states parted from player 0's. */
interface Other<S, I> {
  readonly link: PeerLink<S, I>;
  /** It parts in this frame, and asks for the state; `NONE` once its hashes are left aside. */
  from: number;
  /** Its hashes of later frames than this one are those of player 0's state; `NONE` while it has none. */
  mendedAfter: number;
  isApart: boolean;
  toldMs: number;
}

/**
 * More than two whose states parted go on from those of player 0. Inputs are the same everywhere, so that nobody leaves:
 * whoever parted from player 0 asks for its newest final state, and runs the inputs since then again. From where it parted
 * until it has that state, its hashes are compared with nobody's.
 */
export class Resync<S, I> {
  readonly #running: RunningMatch<S, I>;
  readonly #returns: Returns<S, I>;
  readonly #output: RosterOutput<S, I>;
  readonly #others: readonly Other<S, I>[];
  /** Where this side parted, while it waits for the state. */
  #from = NONE;
  #askedMs = Number.NEGATIVE_INFINITY;
  #resyncs = 0;

  constructor(
    running: RunningMatch<S, I>,
    links: readonly PeerLink<S, I>[],
    returns: Returns<S, I>,
    output: RosterOutput<S, I>,
  ) {
    this.#running = running;
    this.#returns = returns;
    this.#output = output;
    this.#others = links.map((link) => ({
      link,
      from: NONE,
      mendedAfter: NONE,
      isApart: false,
      toldMs: Number.NEGATIVE_INFINITY,
    }));
  }

  #otherOf(player: number): Other<S, I> | undefined {
    return this.#others.find(({ link }) => link.player === player);
  }

  get isWaiting(): boolean {
    return this.#from !== NONE;
  }

  /** This side parted from player 0 in the step of `frame`: mends it, a few times. */
  begin(frame: number): void {
    if (this.#resyncs++ >= RESYNCS_MAX) return;
    this.#from = frame;
    this.#askedMs = Number.NEGATIVE_INFINITY;
    for (const { link } of this.#others) this.#setApart(link);
  }

  /** A player returned, or was lost: what it said before is of no use. */
  forget(player: number): void {
    const other = this.#otherOf(player);
    if (other === undefined) return;
    other.from = NONE;
    other.mendedAfter = NONE;
    other.isApart = false;
  }

  /** Takes what a player says of its own state. */
  receive(nowMs: number, { from: player, step, frame }: SeatMessage): void {
    const other = this.#otherOf(player);
    if (other === undefined) return;
    if (step === 'mended') {
      other.mendedAfter = frame;
      return;
    }
    other.from = frame;
    if (this.#running.driver.me !== 0 || nowMs - other.toldMs < TELL_MS) return;
    other.toldMs = nowMs;
    this.#returns.welcome(other.link, this.#running);
  }

  /** Once in every frame of the page. */
  poll(nowMs: number): void {
    const { newest } = this.#running.driver.checker;
    for (const other of this.#others) {
      const { link } = other;
      if (other.from !== NONE && newest >= other.from) {
        // This side has the frame too now: the last moment to see what differs in it.
        this.#output.compare(nowMs, link);
        other.from = NONE;
        other.isApart = true;
        this.#setApart(link);
      }
      if (other.mendedAfter === NONE || newest < other.mendedAfter || this.isWaiting) continue;
      other.mendedAfter = NONE;
      other.isApart = false;
      this.#setCompared(link);
    }
    if (!this.isWaiting) return;
    if (!this.#running.isHere(0)) this.#from = NONE;
    else if (nowMs - this.#askedMs >= ASK_MS) {
      this.#askedMs = nowMs;
      this.#running.seats?.say('parted', this.#from);
    }
  }

  /** Goes on from the state of player 0, unless it has to be asked for a newer one. Throws `bad-state` for one that is not whole. */
  take(receiver: StateReceiver<S, I>): void {
    const { driver, meter } = this.#running;
    const { sim } = driver;
    const { frame, chain, before, absences } = receiver.welcome;
    const state = receiver.state();
    if (!this.#isKept(frame) || before.length !== sim.players || !this.#isOfOneMatch(frame, absences)) return;
    const { newest } = driver.checker;
    driver.recorder?.append();
    sim.reconcile(frame, state, Int32Array.from(before.flat()));
    driver.restart(frame, chain, this.#output.record(frame));
    driver.events?.worksFrom(sim.stats.resimulatedFrames, meter);
    this.#from = NONE;
    for (const { link, isApart } of this.#others) if (!isApart) this.#setCompared(link);
    this.#running.seats?.say('mended', newest);
  }

  /** Whether the match can run again from `frame` on: on the inputs that it had. */
  #isKept(frame: number): boolean {
    const { sim } = this.#running.driver;
    if (frame < sim.lastFrame() + 2 - sim.history) return false;
    const pressed = new Int32Array(sim.game.input.words);
    for (let player = 0; player < sim.players && frame <= sim.confirmedFrame; player++) {
      if (!sim.readInput(player, frame, pressed, 0)) return false;
    }
    return true;
  }

  /** Whether the same players were there in the frame before: who does not know that one is lost learns it soon. */
  #isOfOneMatch(frame: number, absences: readonly ([number, number | null] | null)[]): boolean {
    const { sim } = this.#running.driver;
    const goneFrom = (absence: readonly [number, number | null] | null | undefined): number | undefined =>
      absence && absence[0] < frame ? absence[0] : undefined;
    return absences.every((absence, seat) => goneFrom(absence) === goneFrom(sim.absenceAfter(seat, frame - 1)));
  }

  #setCompared(link: PeerLink<S, I>): void {
    this.#setComparison(link, this.#running.driver.checker.against());
  }

  /** Compares with hashes that never come. */
  #setApart(link: PeerLink<S, I>): void {
    const { checker } = this.#running.driver;
    if (link.match !== undefined) checker.forget(link.match.comparison);
    this.#setComparison(link, new DesyncChecker(2, checker.newest + 1).against());
  }

  #setComparison(link: PeerLink<S, I>, comparison: PeerComparison): void {
    if (link.match === undefined) return;
    const { endpoint } = link.match;
    const desync = new DesyncWatch(this.#running.driver, comparison, (message) =>
      this.#output.send(link.player, message),
    );
    endpoint.comparison = comparison;
    link.match = { comparison, desync, endpoint };
  }
}

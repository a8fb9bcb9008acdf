import type { RecordingWriter } from '@riposte/shared';
import type { ControlMessage, SeatMessage } from '@riposte/shared/protocol';
import type { Goodbye } from './goodbye.js';
import type { PeerLink } from './peer-link.js';
import type { Presences } from './presences.js';
import { Resync } from './resync.js';
import type { Returns } from './returns.js';
import type { RunningMatch } from './running-match.js';
import type { Seats } from './seats.js';
import type { EndCause } from './session-types.js';
import type { StateReceiver } from './state-transfer.js';

/** A player who returned and is not taken in again after so long asks once more for the match. */
const OUTSIDE_MS_MAX = 8000;
/** How often a player who was lost is told so while it plays on by itself. */
const TELL_OUTSIDE_MS = 500;
/** Each learns of a parting by itself: all stop so long after the bad frame, when all know of it. */
const STOP_S = 2;

/** What a roster does to its session. */
export interface RosterOutput<S, I> {
  send(player: number, message: ControlMessage): void;
  end(cause: EndCause, message: string): void;
  /** Looks whether a player's states part from these. */
  compare(nowMs: number, link: PeerLink<S, I>): void;
  /** Begins a recording from `frame` on. */
  record(frame: number): RecordingWriter | undefined;
}

/** What a running match of more than two has beside a match of two: seats are lost and taken again while it goes on. */
export class Roster<S, I> {
  readonly #running: RunningMatch<S, I>;
  readonly #seats: Seats<S, I>;
  readonly #links: readonly PeerLink<S, I>[];
  readonly #presences: Presences<S, I>;
  readonly #returns: Returns<S, I>;
  readonly #goodbye: Goodbye<S, I>;
  readonly #output: RosterOutput<S, I>;
  readonly #resync: Resync<S, I>;
  readonly #silentMs: (seat: number) => number;
  #nowMs: number;
  /** Since then this player's seat is not in the match. */
  #outsideSinceMs: number;
  #hasFallenOut = false;

  constructor(
    nowMs: number,
    running: RunningMatch<S, I>,
    seats: Seats<S, I>,
    links: readonly PeerLink<S, I>[],
    parts: {
      readonly presences: Presences<S, I>;
      readonly returns: Returns<S, I>;
      readonly goodbye: Goodbye<S, I>;
    },
    output: RosterOutput<S, I>,
  ) {
    this.#running = running;
    this.#seats = seats;
    this.#links = links;
    this.#presences = parts.presences;
    this.#returns = parts.returns;
    this.#goodbye = parts.goodbye;
    this.#output = output;
    this.#resync = new Resync(running, links, parts.returns, output);
    this.#nowMs = nowMs;
    this.#outsideSinceMs = seats.isOutside ? nowMs : Number.NaN;
    this.#silentMs = (seat) => {
      const link = this.#linkOf(seat);
      return link === undefined ? 0 : this.#presences.silentMs(this.#nowMs, link);
    };
  }

  #linkOf(player: number): PeerLink<S, I> | undefined {
    return this.#links.find((link) => link.player === player);
  }

  /** The others play on without this side, or it waited in vain to be taken in: it has to ask for the match. */
  get hasFallenOut(): boolean {
    return this.#hasFallenOut;
  }

  /** Who returns runs after the others, as fast as a page may. */
  get isBehind(): boolean {
    return this.#seats.isOutside && this.#running.driver.sim.lastFrame() < this.#running.newestPeerFrame;
  }

  /** Takes what came over `link` of a seat, and passes it on. */
  receive(nowMs: number, link: PeerLink<S, I>, message: SeatMessage): void {
    this.#nowMs = nowMs;
    const author = this.#linkOf(message.from);
    if (author !== link && author?.isConnected === true && !author.isDirectDown) {
      // Who is heard speaks for itself: nobody else can. Who leaves is soon heard no more.
      if (message.step === 'left' && message.seat === message.from) this.#seats.leaves(message.seat);
      return;
    }
    if (!this.#seats.isNew(message)) return;
    for (const { player, isConnected } of this.#links) {
      if (isConnected && player !== link.player && player !== message.from) this.#output.send(player, message);
    }
    if (message.step === 'parted' || message.step === 'mended') this.#resync.receive(nowMs, message);
    else this.#seats.receive(message);
  }

  /** Others' states are known to part from these before `frame`. */
  isLater(frame: number): boolean {
    return this.#links.some(({ match }) => (match?.desync.frame ?? frame) < frame);
  }

  /** A player's states part from these in the step of `frame`: does what the game says. */
  parted(player: number, frame: number): void {
    const { driver } = this.#running;
    const { desync, tickRate } = driver.sim.game;
    if (desync === 'stop') driver.endBy(frame + 1 + STOP_S * tickRate);
    else if (desync === 'resync' && player === 0) this.#resync.begin(frame);
  }

  /** Whether a player tells a state that this side waits for. */
  awaits({ player }: PeerLink<S, I>): boolean {
    return player === 0 && this.#resync.isWaiting;
  }

  /** Takes the state that was told. Throws `bad-state`. */
  take(receiver: StateReceiver<S, I>): void {
    if (this.#resync.isWaiting) this.#resync.take(receiver);
  }

  /** A match is told with the newest absence of each seat: an earlier one has to lie in frames that are final. */
  #isTellable(): boolean {
    const { sim, checker } = this.#running.driver;
    const frame = checker.newest + 1;
    for (let seat = 0; seat < sim.players; seat++) {
      if (sim.isGone(seat, frame) && sim.absenceAfter(seat, frame)![0] > frame) return false;
    }
    return true;
  }

  /** A player who was lost plays on by itself, as after a long sleep: it must know. */
  tellOutside(nowMs: number, link: PeerLink<S, I>): void {
    if (nowMs - link.toldOutsideMs < TELL_OUTSIDE_MS) return;
    link.toldOutsideMs = nowMs;
    this.#output.send(link.player, this.#seats.noticeOf(link.player));
  }

  /** The seats have settled that a player is in the match, or is not. */
  changed(seat: number, isHere: boolean): void {
    const { driver, timeSync } = this.#running;
    const link = this.#linkOf(seat);
    this.#resync.forget(seat);
    if (link !== undefined) {
      if (isHere) link.isReturning = false;
      this.#presences.restart(this.#nowMs, link);
      if (this.#presences.settle()) timeSync.reset();
      return;
    }
    if (!isHere) {
      this.#hasFallenOut = true;
      return;
    }
    this.#outsideSinceMs = Number.NaN;
    driver.local.isOutside = false;
    for (const { match } of this.#links) match?.endpoint.acknowledgedThrough(driver.sim.heldThrough(driver.me));
    timeSync.reset();
  }

  /** Once in every frame of the page: what silence and returns come to. */
  poll(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#resync.poll(nowMs);
    const verdict = this.#seats.poll(nowMs, this.#silentMs);
    if (verdict !== undefined && this.#running.driver.isComplete) this.#goodbye.end();
    else if (verdict === 'alone') this.#output.end('peer-left', 'Nobody else is left in the match.');
    else if (verdict === 'minority') {
      this.#output.end('lost', 'The connection to most of the players is lost: they play on without you.');
    }
    if (this.#seats.isOutside && nowMs - this.#outsideSinceMs > OUTSIDE_MS_MAX) this.#hasFallenOut = true;
    if (!this.#seats.isLeader) return;
    for (const link of this.#links) {
      const isOwed = link.isReturning && !link.hasWelcomed && this.#seats.isGone(link.player);
      if (isOwed && this.#isTellable()) this.#returns.welcome(link, this.#running);
    }
  }
}

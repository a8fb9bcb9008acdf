import type { PeerComparison } from '@riposte/shared';
import { type ControlMessage, HASHES_MAX } from '@riposte/shared/protocol';
import type { RollbackDriver } from './rollback-driver.js';

/** A game that parts again and again is not mended by its state. */
export const RESYNCS_MAX = 8;
/** No window and delay bring two sides farther apart. */
const HEADS_APART_MAX = 256;

type Hashes = Extract<ControlMessage, { type: 'hashes' }>;

/**
 * Names the first frame in which two peers differ. Their chains say only that they do: then both send their newest
 * hashes, and each finds the first that differs. Who says that another player was not there in it has another
 * match, not another state of this one: of the two, one is about to learn that the rest play on without it.
 */
export class DesyncWatch<S, I> {
  readonly #driver: Pick<RollbackDriver<S, I>, 'sim' | 'checker' | 'firstFrame'>;
  readonly #comparison: PeerComparison;
  readonly #send: (message: Hashes) => void;
  /** What this side and the peer have said. */
  #own: Hashes | undefined;
  #peer: Hashes | undefined;
  #frame: number | undefined;

  constructor(
    driver: Pick<RollbackDriver<S, I>, 'sim' | 'checker' | 'firstFrame'>,
    comparison: PeerComparison,
    send: (message: Hashes) => void,
  ) {
    this.#driver = driver;
    this.#comparison = comparison;
    this.#send = send;
  }

  /** The frame whose step parted the two; undefined while none is known. */
  get frame(): number | undefined {
    return this.#frame;
  }

  /** The chains differ, and the peer has not said its hashes yet. */
  get isNaming(): boolean {
    return this.#comparison.partedBy !== undefined && this.#peer === undefined;
  }

  /** Frames up to the newest that either side had simulated when it noticed: where both can stop. */
  get endFrame(): number {
    const own = this.#own?.head ?? 0;
    return 1 + Math.max(own, Math.min(this.#peer?.head ?? own, own + HEADS_APART_MAX));
  }

  receive(message: Hashes): void {
    this.#peer = message;
  }

  /** What was said is lost with the connection. */
  repeat(): void {
    if (this.#own !== undefined) this.#send(this.#own);
  }

  /** Returns the frame once, when it becomes known. */
  poll(): number | undefined {
    if (this.#frame !== undefined || (this.#comparison.partedBy === undefined && this.#peer === undefined)) {
      return undefined;
    }
    this.#say();
    if (this.#peer === undefined) return undefined;
    const { from, hashes, absences } = this.#peer;
    const frame = this.#driver.checker.firstDifference(from, hashes);
    if (frame !== undefined && this.#isOfOneMatch(frame, absences)) this.#frame = frame;
    return this.#frame;
  }

  #isOfOneMatch(frame: number, absences: Hashes['absences']): boolean {
    return absences.every((absence, seat) => {
      const [goneFrom, backFrom] = absence ?? [null, null];
      const isGone = goneFrom !== null && frame >= goneFrom && (backFrom === null || frame < backFrom);
      return seat >= this.#driver.sim.players || isGone === this.#driver.sim.isGone(seat, frame);
    });
  }

  #say(): void {
    if (this.#own !== undefined) return;
    const { sim, checker } = this.#driver;
    const { newest } = checker;
    const hashes: number[] = [];
    // Also those that were equal here: who was given another state may have begun to compare before this side did.
    const from = Math.max(this.#driver.firstFrame, newest - HASHES_MAX + 1);
    for (let frame = from; frame <= newest; frame++) hashes.push(checker.hashOf(frame) ?? 0);
    const absences = Array.from({ length: sim.players }, (_, seat) => sim.absenceAfter(seat, from));
    this.#own = { type: 'hashes', from, hashes, absences, head: sim.lastFrame() };
    this.#send(this.#own);
  }
}

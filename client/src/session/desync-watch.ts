import type { DesyncChecker, PeerComparison } from '@riposte/shared';
import { type ControlMessage, HASHES_MAX } from '@riposte/shared/protocol';

type Hashes = Extract<ControlMessage, { type: 'hashes' }>;

/**
 * Names the first frame in which two peers differ. Their chains say only that they do: then both send the hashes since
 * they last agreed, and each finds the first that differs.
 */
export class DesyncWatch {
  readonly #checker: DesyncChecker;
  readonly #comparison: PeerComparison;
  readonly #send: (message: Hashes) => void;
  #sent = false;
  #peerHashes: Hashes | undefined;
  #frame: number | undefined;

  constructor(checker: DesyncChecker, comparison: PeerComparison, send: (message: Hashes) => void) {
    this.#checker = checker;
    this.#comparison = comparison;
    this.#send = send;
  }

  /** The frame whose step parted the two; undefined while none is known. */
  get frame(): number | undefined {
    return this.#frame;
  }

  /** The chains differ, and the frame is not named yet. */
  get isNaming(): boolean {
    return this.#comparison.partedBy !== undefined && this.#frame === undefined;
  }

  receive(message: Hashes): void {
    this.#peerHashes = message;
  }

  /** Returns the frame once, when it becomes known. */
  poll(): number | undefined {
    if (this.#frame !== undefined || (this.#comparison.partedBy === undefined && this.#peerHashes === undefined)) {
      return undefined;
    }
    this.#sendOnce();
    if (this.#peerHashes === undefined) return undefined;
    this.#frame = this.#checker.firstDifference(this.#peerHashes.from, this.#peerHashes.hashes);
    return this.#frame;
  }

  #sendOnce(): void {
    if (this.#sent) return;
    this.#sent = true;
    const { newest } = this.#checker;
    const hashes: number[] = [];
    const from = Math.max(this.#comparison.comparedThrough + 1, newest - HASHES_MAX + 1);
    for (let frame = from; frame <= newest; frame++) hashes.push(this.#checker.hashOf(frame) ?? 0);
    this.#send({ type: 'hashes', from, hashes });
  }
}

/** A confirmed frame, and the chain over frames 0 to it. */
export interface ConfirmedChain {
  confirmed: number;
  chain: number;
}

/** What a comparison reads. */
interface Chains {
  readonly newest: number;
  /** Whether the own chain is the same; undefined where it is not confirmed yet or no longer kept. */
  agrees(other: ConfirmedChain): boolean | undefined;
}

/** Up to where one peer's confirmed frames were found equal to this side's. */
export class PeerComparison {
  readonly #own: Chains;
  #comparedThrough: number;
  /** A peer's chain for a frame that is not confirmed here yet; -1 for none. */
  readonly #early: ConfirmedChain = { confirmed: -1, chain: 0 };
  #partedBy: number | undefined;

  constructor(own: Chains) {
    this.#own = own;
    this.#comparedThrough = own.newest;
  }

  /** Every frame up to this one was compared and equal; at the start the newest before it. */
  get comparedThrough(): number {
    return this.#comparedThrough;
  }

  /** A frame at which the chains are known to differ: the first difference lies after `comparedThrough`, up to it. */
  get partedBy(): number | undefined {
    return this.#partedBy;
  }

  /** Takes the peer's chain. One that is ahead of this side is compared when its frame is recorded. */
  compare(peer: ConfirmedChain): void {
    const { confirmed } = peer;
    if (this.#partedBy !== undefined || confirmed <= this.#comparedThrough) return;
    if (confirmed > this.#own.newest) {
      if (this.#early.confirmed < 0) {
        this.#early.confirmed = confirmed;
        this.#early.chain = peer.chain;
      }
      return;
    }
    const agrees = this.#own.agrees(peer);
    if (agrees === true) this.#comparedThrough = confirmed;
    else if (agrees === false) this.#partedBy = confirmed;
  }

  /** This side recorded `frame`. */
  recorded(frame: number): void {
    if (this.#early.confirmed !== frame) return;
    this.compare(this.#early);
    this.#early.confirmed = -1;
  }
}

/** What a comparison reads: chains by frame, undefined where they are not confirmed yet or no longer kept. */
interface Chains {
  readonly newest: number;
  chainOf(frame: number): number | undefined;
}

/** Up to where one peer's confirmed frames were found equal to this side's. */
export class PeerComparison {
  readonly #own: Chains;
  #comparedThrough: number;
  /** A peer's chain for a frame that is not confirmed here yet; -1 for none. */
  #earlyFrame = -1;
  #earlyChain = 0;
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

  /** Takes the peer's chain over frames 0 to `frame`. One that is ahead of this side is compared when its frame is recorded. */
  compare(frame: number, chain: number): void {
    if (this.#partedBy !== undefined || frame <= this.#comparedThrough) return;
    if (frame > this.#own.newest) {
      if (this.#earlyFrame < 0) {
        this.#earlyFrame = frame;
        this.#earlyChain = chain;
      }
      return;
    }
    const own = this.#own.chainOf(frame);
    if (own === undefined) return;
    if (own === chain) this.#comparedThrough = frame;
    else this.#partedBy = frame;
  }

  /** This side recorded `frame`. */
  recorded(frame: number): void {
    if (this.#earlyFrame !== frame) return;
    this.#earlyFrame = -1;
    this.compare(frame, this.#earlyChain);
  }
}

/**
 * How one player's input of one frame is kept: `words` 32-bit integers. On the wire, in rings and in recordings an
 * input is these words; the game sees a reusable object that reads them.
 */
export interface InputModel<I> {
  /** 1 to 8. */
  readonly words: number;
  /** Bits from bit 0 of the first word to the last one in use. */
  readonly bits: number;
  /** The words of an input that does nothing: what a player who is gone or was never heard presses. */
  readonly neutral: readonly number[];
  /** A reusable reader, at neutral. */
  create(): I;
  /** Writes `value` (what is left out is neutral) at `into[at]`. Throws `bad-input`, naming the part, and writes nothing. */
  encode(value: Partial<I>, into: Int32Array, at: number): void;
  /** Points the reader at the words `from[at]`. */
  decode(from: Int32Array, at: number, into: I): void;
  /**
   * Makes one input of two samples that must share a frame, so that nothing pressed or let go is lost: a button that
   * differs from `placed`, the input of the frame before, in either sample does so in the result; axes take the later
   * one. All from word 0 on; writes `into`, which may be any of the others.
   */
  merge(placed: Int32Array, earlier: Int32Array, later: Int32Array, into: Int32Array): void;
  /** An input as people read it: `left+punch`, or `-` for neutral. */
  describe(words: Int32Array, at: number): string;
}

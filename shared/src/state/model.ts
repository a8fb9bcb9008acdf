/** One named place where two states differ. `path` reads like code: `fighters[1].hitstun`. */
export interface FieldDifference {
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
  /** For floats, how many representable ones `b` is away from `a`; absent when one of them is NaN or infinite. */
  readonly ulps?: number;
}

/** One reusable slot that holds a copy of a state, by value. */
export interface Snapshot<S> {
  save(state: S): void;
  load(into: S): void;
  /** 32-bit unsigned hash of the saved state; the same on every engine and machine. */
  hash(): number;
}

/** How a game's state is made, copied, hashed, compared and carried. One face for every kind of state. */
export interface StateModel<S> {
  /** A new state, all fields at their zero. */
  create(): S;
  /** An empty slot to save into, as often as wanted. */
  createSnapshot(): Snapshot<S>;
  /** Copies a state over another. */
  copy(from: S, into: S): void;
  /** 32-bit unsigned hash, equal to that of a snapshot of the same state. */
  hash(state: S): number;
  /**
   * The words of a state whose `hashWords` is its `hash`, where they lie in one place for as long as the state is there:
   * who hashes one state after every frame then need not ask the model. Undefined where they do not.
   */
  hashedWords?(state: S): Int32Array | undefined;
  /** Where `b` differs from `a`, in layout order; empty when they are the same. */
  diff(a: S, b: S): FieldDifference[];
  /** The state as portable bytes. */
  encode(state: S): Uint8Array;
  /** Reads what `encode` wrote. Throws `bad-state` and leaves `into` as it was when `bytes` do not fit. */
  decode(bytes: Uint8Array, into: S): void;
  /** Starts the generators that live in the state, each on its own stream. */
  seed(state: S, seed: number): void;
}

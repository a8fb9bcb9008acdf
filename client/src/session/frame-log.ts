/** Frames that are kept, a power of two: 17 seconds at 60 Hz, after which a spectator who lags is given a newer state. */
const FRAMES = 1024;

/** The inputs of all seats in the newest final frames, as they are told to spectators. */
export class FrameLog {
  readonly players: number;
  readonly words: number;
  readonly #inputs: Int32Array;
  /** The seats that are not in the match: one bit each. */
  readonly #gone: Uint8Array;
  readonly #chains: Float64Array;
  #first: number;
  #newest: number;

  /** Begins with `first`; `before` has each seat's input of the frame before it. */
  constructor(players: number, words: number, first: number, before: Int32Array) {
    this.players = players;
    this.words = words;
    this.#inputs = new Int32Array(FRAMES * players * words);
    this.#gone = new Uint8Array(FRAMES);
    this.#chains = new Float64Array(FRAMES).fill(Number.NaN);
    this.#first = first - 1;
    this.#newest = first - 2;
    this.put(before, 0);
    this.#first = first;
  }

  /** The oldest frame that can be told: the one before it is kept too. */
  get first(): number {
    return this.#first;
  }

  /** The newest frame; at the start the one before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Takes the next frame: the words of all seats, one after the other. */
  put(inputs: Int32Array, gone: number): void {
    const frame = ++this.#newest;
    const slot = frame & (FRAMES - 1);
    this.#inputs.set(inputs, slot * this.players * this.words);
    this.#gone[slot] = gone;
    this.#chains[slot] = Number.NaN;
    this.#first = Math.max(this.#first, frame - FRAMES + 2);
  }

  /** The chain hash over all frames up to `frame`, which is kept. */
  putChain(frame: number, chain: number): void {
    if (frame >= this.#first && frame <= this.#newest) this.#chains[frame & (FRAMES - 1)] = chain;
  }

  /** The chain hash up to a frame, or undefined where it is not known. */
  chainOf(frame: number): number | undefined {
    const isKept = frame >= this.#first && frame <= this.#newest;
    const chain = isKept ? this.#chains[frame & (FRAMES - 1)]! : Number.NaN;
    return Number.isNaN(chain) ? undefined : chain;
  }

  /** Who is not in the match in a frame that is kept. */
  goneIn(frame: number): number {
    return this.#gone[frame & (FRAMES - 1)]!;
  }

  /** Copies a seat's input of a frame that is kept, or of the one before the first. */
  read(player: number, frame: number, into: Int32Array, at: number): void {
    const base = ((frame & (FRAMES - 1)) * this.players + player) * this.words;
    for (let word = 0; word < this.words; word++) into[at + word] = this.#inputs[base + word]!;
  }
}

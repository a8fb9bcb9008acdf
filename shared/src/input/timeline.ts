import { outOfRange, RiposteError } from '../errors.js';
import { copyWords, type Predictor, repeatLast } from './predictor.js';

/**
 * After every frame: 207 days at 60 Hz. Where there may be no frame, a number beyond them says so: an infinity would
 * make engines keep the field, and every frame compared with it, as a double.
 */
export const FRAME_NEVER = 2 ** 30 - 1;

/** `input-too-old` or `input-too-far`, for an input of a frame that is not from `oldest` to `newest`. */
export function notKept(frame: number, oldest: number, newest: number): RiposteError {
  return new RiposteError(
    frame < oldest ? 'input-too-old' : 'input-too-far',
    `input for frame ${frame}; expected one for frames ${oldest} to ${newest}`,
  );
}

function conflict(frame: number): RiposteError {
  return new RiposteError('input-conflict', `a second, different input for frame ${frame}; the first one stands`);
}

/**
 * One player's inputs by frame: a bounded ring in which each frame is confirmed (its real input is known) or not,
 * and remembers what the last simulation of that frame used.
 */
export class InputTimeline {
  readonly capacity: number;
  readonly words: number;
  /** Every frame up to and including this one is confirmed; -1 at the start. */
  confirmedThrough = -1;
  /** The newest frame with a confirmed input, gaps before it or not. */
  newest = -1;
  /** The player is gone from `goneFrom` on, until `backFrom`: its input is neutral, and known. `FRAME_NEVER` while it plays. */
  goneFrom = FRAME_NEVER;
  backFrom = FRAME_NEVER;
  /** The first frame that has run with another input than turned out; `FRAME_NEVER` once that is put right. */
  wrongFrom = FRAME_NEVER;
  /** The absence before that one, which frames that are run again may still lie in. */
  #wasGoneFrom = FRAME_NEVER;
  #wasBackFrom = FRAME_NEVER;
  readonly #mask: number;
  /** Each frame's confirmed input, or else what it was last simulated with. */
  readonly values: Int32Array;
  /** The frame whose confirmed input a slot holds, and the one that was simulated with what it held. */
  readonly #confirmedFrame: Int32Array;
  readonly #usedFrame: Int32Array;
  /** Each frame from this one through `heldThrough` is confirmed, and in its slot. */
  #heldFrom = 0;
  /** The input of `confirmedThrough`, kept apart so that it outlives its slot. */
  readonly #last: Int32Array;
  readonly #neutral: Int32Array;
  readonly #predictor: Predictor;

  /** `capacity` is a power of two; `neutral` has one number a word. */
  constructor(capacity: number, neutral: readonly number[], predictor: Predictor = repeatLast) {
    this.capacity = capacity;
    this.words = neutral.length;
    this.#mask = capacity - 1;
    this.values = new Int32Array(capacity * this.words);
    this.#confirmedFrame = new Int32Array(capacity).fill(-1);
    this.#usedFrame = new Int32Array(capacity).fill(-1);
    this.#neutral = Int32Array.from(neutral);
    this.#last = Int32Array.from(neutral);
    this.#predictor = predictor;
  }

  isConfirmed(frame: number): boolean {
    return frame >= 0 && this.#confirmedFrame[frame & this.#mask] === frame;
  }

  /** The player is not there in `frame`. */
  isGone(frame: number): boolean {
    return (
      (frame >= this.goneFrom && frame < this.backFrom) || (frame >= this.#wasGoneFrom && frame < this.#wasBackFrom)
    );
  }

  /** The last frame up to which the player's own inputs are held: for one who is gone, the last that it played. */
  get heldThrough(): number {
    return this.confirmedThrough === FRAME_NEVER ? this.goneFrom - 1 : this.confirmedThrough;
  }

  /** `frame` has run with another input than turned out. */
  ranWrong(frame: number): void {
    if (frame < this.wrongFrom) this.wrongFrom = frame;
  }

  /**
   * Throws `input-conflict` when another input than these words is confirmed for one of the `count` frames from `first`
   * on, up to the first whose input is not known, which it returns; `player-gone` when the player is not there at first.
   */
  check(first: number, from: Int32Array, at: number, count = 1): number {
    if (this.isGone(first)) throw this.#gone(first);
    const { values, words } = this;
    const known = this.#knownFrames(first, count);
    const ring = values.length;
    const length = known * words;
    for (let word = 0, place = (first & this.#mask) * words; word < length; word++) {
      if (values[place] !== from[at + word]) throw conflict(first + Math.floor(word / words));
      if (++place === ring) place = 0;
    }
    return first + known;
  }

  /** How many of the `count` frames from `first` on are confirmed, up to the first that is not. */
  #knownFrames(first: number, count: number): number {
    const end = this.heldThrough + 1;
    // Nearly always: none has to be looked at.
    if (first >= this.#heldFrom && first <= end) return Math.min(count, end - first);
    let known = 0;
    while (known < count && this.isConfirmed(first + known)) known++;
    return known;
  }

  /**
   * Stores the real input of `frame`. Returns whether the frame ran with another one. Throws, changing nothing:
   * `input-conflict` when another one is confirmed there, `input-too-old` and `input-too-far` outside the ring,
   * `player-gone` after the player's last frame. What `overrules`, an authority's word, takes the place of another one.
   */
  put(frame: number, from: Int32Array, at: number, overrules = false): boolean {
    // What overrules need not be what is known.
    this.check(frame, from, at, overrules ? 0 : 1);
    const slot = frame & this.#mask;
    const base = slot * this.words;
    const isKnown = this.#confirmedFrame[slot] === frame;
    if (isKnown && !overrules) return false;
    const oldest = Math.max(this.newest - this.capacity, this.confirmedThrough) + 1;
    const newest = this.confirmedThrough + this.capacity;
    if ((frame < oldest && !isKnown) || frame > newest) throw notKept(frame, oldest, newest);
    const wasUsed = isKnown || this.#usedFrame[slot] === frame;
    let contradicts = false;
    for (let word = 0; word < this.words; word++) {
      const value = from[at + word]!;
      if (wasUsed && this.values[base + word] !== value) contradicts = true;
      this.values[base + word] = value;
      if (frame === this.confirmedThrough) this.#last[word] = value;
    }
    if (!isKnown) this.#overwrite(slot, frame);
    if (frame > this.newest) this.newest = frame;
    if (frame === this.confirmedThrough + 1) this.#extend();
    return contradicts;
  }

  /** The slot's input is of `frame` now: that of another frame is kept no longer. */
  #overwrite(slot: number, frame: number): void {
    const lost = this.#confirmedFrame[slot]!;
    if (lost >= this.#heldFrom) this.#heldFrom = lost + 1;
    this.#confirmedFrame[slot] = frame;
  }

  #extend(): void {
    let frame = this.confirmedThrough + 1;
    while (this.#confirmedFrame[(frame + 1) & this.#mask] === frame + 1) frame++;
    this.confirmedThrough = frame;
    copyWords(this.values, (frame & this.#mask) * this.words, this.#last, 0, this.words);
  }

  /** What is thrown for a frame in which the player is not there. */
  #gone(frame: number): RiposteError {
    return new RiposteError('player-gone', `frame ${frame} of a player who is gone from frame ${this.goneFrom} on`);
  }

  /** Decides what `frame` is simulated with, confirmed or predicted: its words lie at the returned place of `values`. */
  use(frame: number): number {
    const slot = frame & this.#mask;
    const base = slot * this.words;
    if (this.#confirmedFrame[slot] === frame) return base;
    this.#usedFrame[slot] = frame;
    this.#overwrite(slot, -1);
    if (this.isGone(frame)) {
      copyWords(this.#neutral, 0, this.values, base, this.words);
    } else if (this.newest <= this.confirmedThrough) {
      this.#predictor(this.#last, 0, frame - this.confirmedThrough, this.values, base, this.words);
    } else {
      this.#predictAcrossGaps(frame, base);
    }
    return base;
  }

  /** Inputs arrived with gaps: the basis is the newest confirmed one before the frame. */
  #predictAcrossGaps(frame: number, base: number): void {
    const { words, values, confirmedThrough } = this;
    for (let basis = Math.min(this.newest, frame - 1); basis > confirmedThrough; basis--) {
      const slot = basis & this.#mask;
      if (this.#confirmedFrame[slot] !== basis) continue;
      this.#predictor(values, slot * words, frame - basis, values, base, words);
      return;
    }
    this.#predictor(this.#last, 0, frame - confirmedThrough, values, base, words);
  }

  /**
   * Copies the confirmed inputs of `count` frames from `first` on, of which those before frame 0 are neutral. False, with
   * `into` of no use, when one is not confirmed or no longer kept.
   */
  read(first: number, into: Int32Array, at: number, count = 1): boolean {
    const { values, words } = this;
    const known = this.#knownFrames(first, count);
    const ring = values.length;
    const length = known * words;
    for (let word = 0, place = (first & this.#mask) * words; word < length; word++) {
      into[at + word] = values[place]!;
      if (++place === ring) place = 0;
    }
    if (known === count) return true;
    const frame = first + known;
    if (frame >= 0 && !this.isGone(frame)) return false;
    copyWords(this.#neutral, 0, into, at + known * words, words);
    return this.read(frame + 1, into, at + (known + 1) * words, count - known - 1);
  }

  /**
   * The player is gone from `frame` on. Throws, changing nothing, `bad-argument` unless every input before that frame
   * and none from it on is known, and `player-gone` when it is gone already from another frame.
   */
  leave(frame: number): void {
    if (frame === this.goneFrom) return;
    if (this.confirmedThrough === FRAME_NEVER) throw this.#gone(frame);
    const next = this.newest + 1;
    if (this.confirmedThrough !== frame - 1 || next !== frame) throw outOfRange('frame', frame, next, next);
    // One who never played since it was back has not been back.
    if (frame !== this.backFrom) {
      this.#wasGoneFrom = this.goneFrom;
      this.#wasBackFrom = this.backFrom;
      this.goneFrom = frame;
    }
    this.backFrom = FRAME_NEVER;
    this.confirmedThrough = FRAME_NEVER;
  }

  /**
   * A player who is gone plays again from `frame` on. Until an input of it is known, a later frame may be named
   * instead. Throws, changing nothing, `bad-argument` for a player who is not gone, or an earlier frame.
   */
  admit(frame: number): void {
    const isAwaited = this.backFrom !== FRAME_NEVER && this.newest === this.backFrom - 1;
    const earliest = isAwaited ? this.backFrom : this.goneFrom;
    if ((this.confirmedThrough !== FRAME_NEVER && !isAwaited) || frame < earliest) {
      throw new RiposteError(
        'bad-argument',
        `a player is back from frame ${frame} on; expected one who is gone before it`,
      );
    }
    this.backFrom = frame;
    this.confirmedThrough = frame - 1;
    this.newest = frame - 1;
    this.#heldFrom = frame;
    this.#last.set(this.#neutral);
  }

  /**
   * Takes every frame below `frame` as settled elsewhere: nothing before it is waited for. `before` has the input of
   * the frame before it, `before[at]` on, where that is known.
   */
  settleBefore(frame: number, before?: Int32Array, at = 0): void {
    const last = frame - 1;
    if (last <= this.confirmedThrough) return;
    const slot = last & this.#mask;
    const base = slot * this.words;
    if (before !== undefined) {
      copyWords(before, at, this.values, base, this.words);
      this.#confirmedFrame[slot] = last;
    }
    const isHeld = this.isConfirmed(last);
    if (isHeld) copyWords(this.values, base, this.#last, 0, this.words);
    this.#heldFrom = isHeld ? last : frame;
    this.confirmedThrough = last;
    if (this.newest < last) this.newest = last;
    if (this.isConfirmed(frame)) this.#extend();
  }
}

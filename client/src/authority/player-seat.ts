import { type Game, repeatLast } from '@riposte/shared';
import { InputsCodec, inputsHead, type UpdateHead } from '@riposte/shared/protocol';
import { LinkWatch, RESUME_MS } from '../session/link-watch.js';
import { Samples } from '../session/samples.js';

/** Frames by which an input may be early: as many as one packet holds, and some that it repeats. */
const EARLY_FRAMES_MAX = 90;
/** A power of two that holds them, and as many that were stepped. */
const RING = 256;

/** What an authority knows of one player: its inputs by frame, how early they come, what it holds of the match. */
export class PlayerSeat<S, I> {
  readonly player: number;
  /** Undefined before it said who it is. */
  name: string | undefined;
  /** Gone for good, or never to be waited for again. */
  isGone = false;
  isInterrupted = false;
  /** It has said that it needs nothing more. */
  isDone = false;
  /** When a whole state was last sent over the reliable lane. */
  stateSentMs = Number.NEGATIVE_INFINITY;
  link: LinkWatch | undefined;
  /** The client has the authority's word on every frame before this one. */
  held = 0;
  wantsState = false;
  /** Frames that were stepped without this player's input; inputs that came after their frame; packets that were dropped. */
  missed = 0;
  late = 0;
  dropped = 0;
  /** Inputs that broke the rules. */
  refused = 0;
  /** How long inputs waited for their frame, in milliseconds; negative for those that came late. */
  readonly slack = new Samples();
  readonly #game: Game<S, I>;
  readonly #codec: InputsCodec;
  readonly #head = inputsHead();
  readonly #words: number;
  readonly #inputs: Int32Array;
  readonly #frames = new Int32Array(RING).fill(-1);
  /** The input of the newest frame that was stepped with a real one. */
  readonly #last: Int32Array;
  #lastFrame = -1;
  #receivedThrough = -1;
  #receivedMs = Number.NaN;
  #slackFrame = 0;
  #slackMs = Number.NaN;
  #updates = 0;

  constructor(player: number, game: Game<S, I>) {
    this.player = player;
    this.#game = game;
    this.#words = game.input.words;
    this.#codec = new InputsCodec(game.input.words, game.input.bits);
    this.#inputs = new Int32Array(RING * this.#words);
    this.#last = Int32Array.from(game.input.neutral);
  }

  /** The player's page is a new one, and holds nothing: what the one before had sent ahead is not its own. */
  join(nowMs: number, name: string): void {
    this.name ??= name;
    this.link = new LinkWatch(nowMs, RESUME_MS);
    this.held = 0;
    this.wantsState = false;
    this.stateSentMs = Number.NEGATIVE_INFINITY;
    this.#frames.fill(-1);
    this.#receivedThrough = -1;
    this.#receivedMs = Number.NaN;
  }

  /**
   * Takes a packet. `next` is the frame to be stepped next, in `inMs`. False, and counted, for one that is none, or
   * that names frames which cannot be.
   */
  receive(nowMs: number, bytes: Uint8Array, next: number, inMs: number): boolean {
    const head = this.#head;
    const isRead = this.#codec.decode(bytes, next, head);
    if (!isRead || head.lastFrame >= next + EARLY_FRAMES_MAX || head.held > next) {
      this.dropped++;
      return false;
    }
    this.link?.heard(nowMs);
    if (head.held >= this.held || head.wantsState) {
      this.held = head.held;
      this.wantsState = head.wantsState;
    }
    const frameMs = 1000 / this.#game.tickRate;
    const first = head.lastFrame - head.count + 1;
    for (let frame = Math.max(first, next - RING / 2); frame <= head.lastFrame; frame++) {
      const slot = frame & (RING - 1);
      // The first one stands.
      if (this.#frames[slot] === frame) continue;
      this.#frames[slot] = frame;
      const from = (frame - first + 1) * this.#words;
      for (let word = 0; word < this.#words; word++) {
        this.#inputs[slot * this.#words + word] = this.#codec.inputs[from + word]!;
      }
      if (frame > this.#receivedThrough) {
        this.#receivedThrough = frame;
        this.#receivedMs = nowMs;
      }
      this.#measure(nowMs, frame, inMs + (frame - next) * frameMs);
      if (frame < next) this.late++;
    }
    return true;
  }

  #measure(nowMs: number, frame: number, slackMs: number): void {
    this.slack.add(nowMs, slackMs);
    if (slackMs >= this.#slackMs) return;
    this.#slackFrame = frame;
    this.#slackMs = slackMs;
  }

  /** What `frame` is stepped with, at word 0 of `into`: the player's input, or what a missing one is taken for. False for that. */
  take(frame: number, into: Int32Array): boolean {
    const words = this.#words;
    const slot = frame & (RING - 1);
    if (this.#frames[slot] === frame) {
      for (let word = 0; word < words; word++) into[word] = this.#inputs[slot * words + word]!;
      this.#last.set(into.subarray(0, words));
      this.#lastFrame = frame;
      return true;
    }
    this.missed++;
    // Who has not been heard for long lets go of everything.
    if (this.isInterrupted || this.#lastFrame < 0) into.set(this.#game.input.neutral);
    else (this.#game.predictor ?? repeatLast)(this.#last, 0, frame - this.#lastFrame, into, 0, words);
    return false;
  }

  /** Writes what an update tells of this player's inputs. */
  describe(nowMs: number, next: number, update: UpdateHead): void {
    let through = next - 1;
    while (this.#frames[(through + 1) & (RING - 1)] === through + 1) through++;
    update.ack = through;
    const holdMs = nowMs - this.#receivedMs;
    update.heard = this.#receivedThrough;
    update.holdMs = holdMs < 255 ? Math.max(0, Math.round(holdMs)) : 255;
    update.slackFrame = this.#slackFrame;
    update.slackMs = this.#slackMs;
    update.missed = this.missed;
    update.number = this.#updates++ & 0xff;
    this.#slackMs = Number.NaN;
  }
}

import type { EffectQueue } from '../rollback/effect-ledger.js';
import { ByteWriter, putVarint, varintBytes } from './bytes.js';
import {
  EVENT_BYTES_MAX,
  EVENT_NAME_BYTES_MAX,
  EVENT_NAMES_MAX,
  EventKind,
  PHASES,
  PRESENCES,
  type RecordedPresence,
  SIZE_FOLLOWS,
} from './events.js';
import { RecordedEffects } from './recorded-effects.js';
import { encodeUtf8 } from './utf8.js';

const NONE = 0;
/** Room beyond the bound for the event that says how many had none. */
const LOST_BYTES = 16;

/** What a session tells, as far as a recording takes it down. */
export type ToldEvent =
  | { readonly type: 'link'; readonly player: number; readonly isUp: boolean }
  | { readonly type: 'presence'; readonly player: number; readonly presence: RecordedPresence }
  | { readonly type: 'desync'; readonly frame: number }
  | { readonly type: 'running' | 'interrupted' | 'ended' };

/** Of something that is measured again and again: how often since the beginning, and the sum. */
interface Total {
  readonly count: number;
  readonly total: number;
}

/** What a machine has done for its predictions since the beginning. */
export interface WorkTotals {
  /** In milliseconds. */
  readonly resimulationMs: Total;
  /** How old other players' inputs were when they took effect, in frames. */
  readonly inputAges: Total;
}

/**
 * Writes down what happens on a machine beside the confirmed frames, until the recording takes it, once a second.
 * `head` is always the last frame that is simulated, -1 before the first. Bounded: what is too much for a second is
 * only counted. Allocates nothing but for the name of a new kind of effect.
 */
export class EventLog {
  readonly #bytes = new ByteWriter(EVENT_BYTES_MAX / 8);
  readonly #names = new Map<string, number>();
  #head = NONE;
  #lost = NONE;
  /** Where the event that is being written begins. */
  #start = NONE;
  /** The stall that goes on. */
  #stalledTicks = NONE;
  #stalledHead = NONE;

  /** What there was when work was told of last. */
  #resimulatedFrames = NONE;
  #resimulationMs = NONE;
  #ages = NONE;
  #aged = NONE;

  readonly #effects = new RecordedEffects(this);
  /** That of the recording player, as it was told of last. */
  inputDelay: number;

  /** `inputDelay` is that of the recording player at the start. */
  constructor(inputDelay: number) {
    this.inputDelay = inputDelay;
  }

  /** What is to be written: valid until the next event. */
  get bytes(): ByteWriter {
    return this.#bytes;
  }

  /** The recording took everything so far. */
  clear(): void {
    this.#bytes.length = 0;
  }

  /** Ends a stall that goes on, and says how much was lost: before the bytes are taken. */
  close(): void {
    this.#endStall();
    if (this.#lost === NONE) return;
    if (!this.#begin(this.#head, EVENT_BYTES_MAX + LOST_BYTES)) return;
    this.#bytes.varint(this.#lost);
    this.#end(EventKind.lost);
    this.#lost = NONE;
  }

  /** A tick advanced the match, or could not, at this input delay. */
  tick(head: number, advanced: boolean, inputDelay: number): void {
    if (!advanced) this.stall(head);
    if (inputDelay === this.inputDelay) return;
    this.inputDelay = inputDelay;
    this.#write(EventKind.delay, head, inputDelay);
  }

  /** Takes down what a session told. */
  told(head: number, event: ToldEvent): void {
    if (event.type === 'link') this.link(head, event.player, event.isUp);
    else if (event.type === 'presence') this.presence(head, event.player, event.presence);
    else if (event.type === 'desync') this.#write(EventKind.desync, head, event.frame);
  }

  /** The same queue, of which each effect and fact is taken down as it is polled. */
  passOn(head: number, queue: EffectQueue): EffectQueue {
    return this.#effects.of(queue, head);
  }

  /** The first frame that had run with another input of `player` is `first`: a simulation's `onRollback`. */
  readonly rollback = (head: number, player: number, first: number): void => {
    const bytes = this.#bytes;
    const later = head - this.#head;
    const depth = head - first;
    // Up to one a frame, and nearly always of numbers with one byte.
    const isShort = (later | depth) >>> 0 < 0x80 && bytes.length > 0 && bytes.length < EVENT_BYTES_MAX;
    if (isShort && this.#stalledTicks === NONE) {
      this.#head = head;
      bytes.four((EventKind.rollback << 3) | 3, later, player, depth);
      return;
    }
    if (!this.#begin(head)) return;
    bytes.varint(player);
    bytes.varint(depth);
    this.#end(EventKind.rollback);
  };

  /** A tick could not advance the match. */
  stall(head: number): void {
    if (this.#stalledTicks !== NONE && head !== this.#stalledHead) this.#endStall();
    this.#stalledHead = head;
    this.#stalledTicks++;
  }

  #endStall(): void {
    const ticks = this.#stalledTicks;
    if (ticks === NONE) return;
    this.#stalledTicks = NONE;
    this.#write(EventKind.stall, this.#stalledHead, ticks);
  }

  link(head: number, player: number, isUp: boolean): void {
    this.#write(EventKind.link, head, player, isUp ? 1 : 0);
  }

  presence(head: number, player: number, presence: RecordedPresence): void {
    this.#write(EventKind.presence, head, player, PRESENCES.indexOf(presence));
  }

  /** The step of frame `of` emitted an effect, or no longer does. */
  effect(head: number, name: string, phase: (typeof PHASES)[number], of: number): void {
    const index = this.#indexOf(head, name);
    if (index === undefined || !this.#begin(head)) return;
    this.#bytes.varint(index);
    this.#bytes.varint(PHASES.indexOf(phase));
    this.#bytes.zigzag(head - of);
    this.#end(EventKind.effect);
  }

  fact(head: number, name: string, of: number): void {
    const index = this.#indexOf(head, name);
    if (index === undefined || !this.#begin(head)) return;
    this.#bytes.varint(index);
    this.#bytes.zigzag(head - of);
    this.#end(EventKind.fact);
  }

  /** `rttMs` to a player, `speed` of the own ticks (1 is the game's rate), and the frames by which this side is ahead. */
  sample(head: number, player: number, rttMs: number, speed: number, lead: number): void {
    if (!this.#begin(head)) return;
    this.#bytes.varint(player);
    this.#bytes.varint(Math.round(rttMs * 10));
    this.#bytes.varint(Math.round(speed * 1000));
    this.#bytes.zigzag(Math.round(lead));
    this.#end(EventKind.sample);
  }

  /**
   * The state before frame `of`, the present one by default, was predicted, and is by `distance` another; what is beyond
   * the format counts as its largest.
   */
  correction(head: number, distance: number, of = head + 1): void {
    if (!this.#begin(head)) return;
    this.#bytes.zigzag(head - of);
    this.#bytes.varint(distance >= 0 ? Math.min(0xffffffff, Math.round(distance * 100)) : 0);
    this.#end(EventKind.correction);
  }

  /**
   * Once a second: `resimulatedFrames` since the beginning, and what they took; what is new of it is written. Of the
   * frames, `predicted` are not confirmed, and `window` may be.
   */
  work(head: number, predicted: number, window: number, resimulatedFrames: number, totals: WorkTotals): void {
    if (this.#begin(head)) {
      const { inputAges, resimulationMs } = totals;
      const ages = inputAges.count - this.#ages;
      this.#bytes.varint(resimulatedFrames - this.#resimulatedFrames);
      // A clock may be set back.
      this.#bytes.varint(Math.max(0, Math.round((resimulationMs.total - this.#resimulationMs) * 1000)));
      this.#bytes.varint(ages === 0 ? 0 : Math.round(((inputAges.total - this.#aged) * 10) / ages));
      this.#bytes.varint(predicted);
      this.#bytes.varint(window);
      this.#end(EventKind.work);
    }
    this.worksFrom(resimulatedFrames, totals);
  }

  /** A recording that begins within a match does not count what was done before. */
  worksFrom(resimulatedFrames: number, { resimulationMs, inputAges }: WorkTotals): void {
    this.#resimulatedFrames = resimulatedFrames;
    this.#resimulationMs = resimulationMs.total;
    this.#ages = inputAges.count;
    this.#aged = inputAges.total;
  }

  #indexOf(head: number, name: string): number | undefined {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const index = this.#names.size;
    if (index === EVENT_NAMES_MAX || encodeUtf8(name).length > EVENT_NAME_BYTES_MAX || !this.#begin(head)) {
      return undefined;
    }
    this.#bytes.text(name);
    this.#end(EventKind.name);
    this.#names.set(name, index);
    return index;
  }

  #write(kind: number, head: number, value: number, second = -1): void {
    if (!this.#begin(head)) return;
    this.#bytes.varint(value);
    if (second >= 0) this.#bytes.varint(second);
    this.#end(kind);
  }

  /** False, and counted, when there is no room. */
  #begin(head: number, bytesMax = EVENT_BYTES_MAX): boolean {
    const bytes = this.#bytes;
    if (this.#stalledTicks !== NONE && head !== this.#stalledHead) this.#endStall();
    if (bytes.length >= bytesMax) {
      this.#lost++;
      return false;
    }
    if (bytes.length === 0) {
      bytes.varint(head + 1);
      this.#head = head;
    }
    this.#start = bytes.length;
    bytes.u8(0);
    bytes.varint(Math.max(0, head - this.#head));
    if (head > this.#head) this.#head = head;
    return true;
  }

  /** Puts kind and size before the fields. */
  #end(kind: number): void {
    const bytes = this.#bytes;
    const fields = this.#start + 1;
    const size = bytes.length - fields;
    if (size >= SIZE_FOLLOWS) {
      const moved = varintBytes(size);
      bytes.skip(moved);
      const { buffer } = bytes;
      // Of so few bytes, a call that moves them costs more than they do.
      for (let at = fields + size - 1; at >= fields; at--) buffer[at + moved] = buffer[at]!;
      putVarint(buffer, fields, size);
    }
    bytes.buffer[this.#start] = (kind << 3) | Math.min(size, SIZE_FOLLOWS);
  }
}

import { RiposteError, requireInteger } from '../errors.js';
import { copyData, type EffectData, sameData, TEXT_MAX } from '../game/effect-data.js';
import { SLACK_FRAMES_MAX } from '../game/game.js';
import { FRAME_NEVER } from '../input/timeline.js';

/** Effects and facts of one step: far more than a player can see or hear, far less than a loop without end. */
const EMISSIONS_MAX = 256;

/** What becomes of one effect: it starts once, and then is either cancelled or final, once. */
export interface EffectEvent {
  readonly kind: string;
  readonly data: EffectData | undefined;
  /** The frame whose step emitted it; with `slackFrames` the `final` one may be another than that of the `start`. */
  readonly frame: number;
  /** As the step gave it, else which one of its kind it was in the step, from 0. */
  readonly key: string | number;
  /** The same in all phases of one effect, and of no other in this match. */
  readonly id: number;
  readonly phase: 'start' | 'cancel' | 'final';
}

/** Something that happened for good. */
export interface Fact {
  readonly kind: string;
  readonly data: EffectData | undefined;
  /** The confirmed frame whose step told it. */
  readonly frame: number;
}

/** What is to be told, in order: poll the effects until there is none, then the facts. */
export interface EffectQueue {
  /** The next of the cancels, starts and finals, undefined when there is none. */
  pollEffect(): EffectEvent | undefined;
  /** The next fact, undefined when there is none. */
  pollFact(): Fact | undefined;
}

/** What sets an emission apart from others of its kind in a step: the step's own key, or the order; facts have but that. */
type Sort = 'keyed' | 'counted' | 'fact';

/** One emission as its frame holds it. Stays the same object for as long as re-simulation gives the same. */
interface Entry {
  readonly sort: Sort;
  readonly kind: string;
  readonly data: EffectData | undefined;
  readonly frame: number;
  readonly key: string | number;
  /** Of what the page was told; 0 before. */
  id: number;
  /** The last run of the frame emitted it. */
  isHeld: boolean;
}

/** What one frame emitted, in order; while it runs again also what it emitted before. */
interface Slot {
  frame: number;
  entries: Entry[];
  old: Entry[];
}

/**
 * What a match's steps emit, by frame, and what the page was told of it. The steps call `effect` and `fact`, each step
 * ends in `stepped` or `failed`; `collect` then compares what was told with what holds, and puts the difference in a
 * queue that `pollEffect` and then `pollFact` empty. A frame may run as often as it likes between two calls of `collect`.
 * Allocates nothing in frames that emit nothing.
 */
export class EffectLedger implements EffectQueue {
  readonly #history: number;
  readonly #slackFrames: number;
  /** By frame modulo the history; made when a step first emits something. */
  #slots: (Slot | undefined)[] | undefined;
  /** That of the running step, once it emitted something. */
  #open: Slot | undefined;
  #changedFrom = FRAME_NEVER;
  /** Told and neither cancelled nor final. */
  readonly #playing: Entry[] = [];
  /** What the page does not know of yet: the same list in each `collect`. */
  readonly #starts: Entry[] = [];
  readonly #effectQueue: EffectEvent[] = [];
  readonly #factQueue: Fact[] = [];
  #lastId = 0;
  #finalThrough = -1;
  #factsThrough = -1;
  #isClosed = false;

  /** `history` frames are kept. Throws `bad-argument` for slack frames out of range. */
  constructor(history: number, slackFrames = 0) {
    requireInteger('slackFrames', slackFrames, 0, SLACK_FRAMES_MAX);
    this.#history = history;
    this.#slackFrames = slackFrames;
  }

  /** Throws `bad-effect`. */
  effect(frame: number, kind: string, data?: EffectData, key?: string | number): void {
    this.#emit(key === undefined ? 'counted' : 'keyed', frame, kind, data, key);
  }

  /** Throws `bad-effect`. */
  fact(frame: number, kind: string, data?: EffectData): void {
    this.#emit('fact', frame, kind, data);
  }

  #emit(sort: Sort, frame: number, kind: string, data?: EffectData, given?: string | number): void {
    const slot = this.#begin(frame);
    let key = given ?? 0;
    for (const entry of slot.entries) {
      if (entry.kind !== kind || entry.sort !== sort) continue;
      // One identity is one effect: the first stands.
      if (entry.key === given) return;
      if (sort !== 'keyed') key = Number(entry.key) + 1;
    }
    for (const entry of slot.old) {
      if (entry.kind !== kind || entry.sort !== sort || entry.key !== key || !sameData(entry.data, data)) continue;
      entry.isHeld = true;
      slot.entries.push(entry);
      return;
    }
    if (sort === 'keyed' && !Number.isFinite(key)) requireText('key', key);
    if (slot.entries.length >= EMISSIONS_MAX) {
      throw new RiposteError('bad-effect', `frame ${frame} emits more than ${EMISSIONS_MAX} effects and facts`);
    }
    requireText('kind', kind);
    // One literal, for what is spread is slow.
    slot.entries.push({
      sort,
      kind,
      data: data === undefined ? data : copyData(kind, data),
      frame,
      key,
      id: 0,
      isHeld: true,
    });
  }

  /** The slot of the running step. What the frame emitted before is un-happened until it is emitted again. */
  #begin(frame: number): Slot {
    if (this.#open !== undefined) return this.#open;
    this.#slots ??= new Array<Slot | undefined>(this.#history);
    const at = frame % this.#history;
    const slot = this.#slots[at] ?? { frame, entries: [], old: [] };
    this.#slots[at] = slot;
    // What an evicted frame emitted stays as it was told.
    if (slot.frame !== frame) cut(slot.entries, 0);
    slot.frame = frame;
    swap(slot);
    for (const entry of slot.old) entry.isHeld = false;
    this.#open = slot;
    return slot;
  }

  /** The step of `frame` ended: what it emitted before and no longer does is un-happened. */
  stepped(frame: number): void {
    if (this.#slotAt(frame) === undefined) return;
    cut(this.#begin(frame).old, 0);
    this.#open = undefined;
    if (frame < this.#changedFrom) this.#changedFrom = frame;
  }

  /** The step threw: its frame holds what it held before. */
  failed(): void {
    const slot = this.#open;
    if (slot === undefined) return;
    this.#open = undefined;
    for (const entry of slot.entries) entry.isHeld = false;
    swap(slot);
    for (const entry of slot.entries) entry.isHeld = true;
    cut(slot.old, 0);
  }

  /**
   * A state from elsewhere was taken as that before `frame`, where all up to `confirmed` was known: what was only
   * predicted in between will never be known here, and facts at or before `frame` are in that state.
   */
  reconciled(frame: number, confirmed: number): void {
    this.#factsThrough = Math.max(this.#factsThrough, frame);
    for (const entry of this.#playing) {
      if (entry.frame > confirmed && entry.frame < frame) entry.isHeld = false;
    }
    for (const slot of this.#slots ?? []) {
      if (slot !== undefined && slot.frame > confirmed && slot.frame < frame) cut(slot.entries, 0);
    }
  }

  /**
   * Puts what changed since the last call in the queue: cancels, starts, finals, then facts. `head` is the last simulated
   * frame; those up to `through` are confirmed. `isLast` closes the match: what is not confirmed is cancelled.
   * Called less than once in `history` frames, it loses what the frames between told.
   */
  collect(head: number, through: number, isLast = false): void {
    if (this.#slots === undefined || this.#isClosed) return;
    this.#isClosed = isLast;
    this.#findStarts(isLast ? through : head);
    this.#cancel(head, isLast ? through : FRAME_NEVER);
    for (const entry of this.#starts) {
      this.#playing.push(entry);
      if (entry.id !== 0) continue;
      entry.id = ++this.#lastId;
      this.#tell(entry, 'start');
    }
    this.#confirm(through);
  }

  pollEffect(): EffectEvent | undefined {
    return this.#effectQueue.shift();
  }

  pollFact(): Fact | undefined {
    return this.#factQueue.shift();
  }

  #slotAt(frame: number): Slot | undefined {
    const slot = this.#slots?.[frame % this.#history];
    return slot?.frame === frame ? slot : undefined;
  }

  /** What frames up to `last` emit and the page does not know of; that which goes on playing has its id already. */
  #findStarts(last: number): void {
    cut(this.#starts, 0);
    // A frame that is final stays as it was told.
    const first = Math.max(this.#changedFrom, this.#finalThrough + 1, last + 1 - this.#history);
    this.#changedFrom = FRAME_NEVER;
    for (let frame = first; frame <= last; frame++) {
      for (const entry of this.#slotAt(frame)?.entries ?? NONE) {
        if (entry.id !== 0 || entry.sort === 'fact') continue;
        this.#starts.push(entry);
        if (this.#slackFrames > 0) this.#continue(entry);
      }
    }
  }

  /** Lets the nearest un-happened effect that differs only by its frame play on as this one. */
  #continue(entry: Entry): void {
    let nearest = -1;
    let distance = this.#slackFrames + 1;
    for (const [at, told] of this.#playing.entries()) {
      const apart = Math.abs(told.frame - entry.frame);
      if (told.isHeld || apart >= distance || !isLike(told, entry) || !sameData(told.data, entry.data)) continue;
      nearest = at;
      distance = apart;
    }
    if (nearest < 0) return;
    entry.id = this.#playing[nearest]!.id;
    this.#playing.splice(nearest, 1);
  }

  /** Ends what is un-happened, and what lies beyond the match's `last` frame, which is infinite before its end. */
  #cancel(head: number, last: number): void {
    let kept = 0;
    for (const entry of this.#playing) {
      const stays =
        last === FRAME_NEVER ? entry.isHeld || this.#mayMove(entry, head) : entry.isHeld && entry.frame <= last;
      if (stays) this.#playing[kept++] = entry;
      else this.#tell(entry, 'cancel');
    }
    cut(this.#playing, kept);
  }

  /** While a frame that it may have moved to has not run yet, and nothing took its place, an un-happened effect plays on. */
  #mayMove(entry: Entry, head: number): boolean {
    if (head >= entry.frame + this.#slackFrames) return false;
    return !this.#starts.some((start) => start.id === 0 && isLike(start, entry));
  }

  /** Tells what became final, frame by frame in the order of emission. */
  #confirm(through: number): void {
    for (let frame = Math.max(this.#finalThrough, through - this.#history) + 1; frame <= through; frame++) {
      for (const entry of this.#slotAt(frame)?.entries ?? NONE) {
        const { sort, kind, data } = entry;
        if (sort !== 'fact') this.#tell(entry, 'final');
        else if (frame > this.#factsThrough) this.#factQueue.push({ kind, data, frame });
      }
    }
    this.#finalThrough = Math.max(this.#finalThrough, through);
    let kept = 0;
    for (const entry of this.#playing) {
      if (!entry.isHeld || entry.frame > through) this.#playing[kept++] = entry;
      // Evicted before it was confirmed: nothing could un-happen it any more.
      else if (this.#slotAt(entry.frame) === undefined) this.#tell(entry, 'final');
    }
    cut(this.#playing, kept);
  }

  #tell({ kind, data, frame, key, id }: Entry, phase: EffectEvent['phase']): void {
    this.#effectQueue.push({ kind, data, frame, key, id, phase });
  }
}

const NONE: readonly never[] = [];

/** Shortens a list. Setting its length would give its memory away, to be allocated again in the next frame. */
function cut(list: unknown[], length: number): void {
  while (list.length > length) list.pop();
}

function swap(slot: Slot): void {
  const { entries } = slot;
  slot.entries = slot.old;
  slot.old = entries;
}

/** Whether two effects are the same but for frame and data. */
function isLike(a: Entry, b: Entry): boolean {
  return a.kind === b.kind && a.key === b.key && a.sort === b.sort;
}

function requireText(name: string, value: unknown): void {
  if (typeof value === 'string' && value.length > 0 && value.length <= TEXT_MAX) return;
  throw new RiposteError('bad-effect', `${name} is ${String(value)}; expected a text of 1 to ${TEXT_MAX} characters`);
}

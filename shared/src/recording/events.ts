import { RiposteError } from '../errors.js';
import type { ByteReader } from './bytes.js';

/** How a player was there, by the numbers of the format. */
export const PRESENCES = ['here', 'inactive', 'interrupted', 'gone'] as const;
export type RecordedPresence = (typeof PRESENCES)[number];

/** What became of an effect, by the numbers of the format; one that is not cancelled became final. */
export const PHASES = ['start', 'cancel'] as const;

/** The numbers of the format. */
export const EventKind = {
  rollback: 1,
  stall: 2,
  delay: 3,
  link: 4,
  presence: 5,
  name: 6,
  effect: 7,
  fact: 8,
  sample: 9,
  desync: 10,
  lost: 11,
  correction: 12,
  work: 13,
} as const;

/** What happened on the machine that recorded, beside the confirmed frames. */
export type EventBody =
  /** Frames `first` to the last simulated one were run again: `player` had pressed something else in `first`. */
  | { readonly kind: 'rollback'; readonly player: number; readonly first: number }
  /** So many ticks in a row could not advance the match. */
  | { readonly kind: 'stall'; readonly ticks: number }
  /** The input delay of the recording player, in frames, from now on. */
  | { readonly kind: 'delay'; readonly inputDelay: number }
  /** The direct connection to a player was silent, or heard again. */
  | { readonly kind: 'link'; readonly player: number; readonly isUp: boolean }
  | { readonly kind: 'presence'; readonly player: number; readonly presence: RecordedPresence }
  /** An effect that the step of frame `of` emitted. */
  | { readonly kind: 'effect'; readonly name: string; readonly phase: (typeof PHASES)[number]; readonly of: number }
  /** A fact of the confirmed frame `of`. */
  | { readonly kind: 'fact'; readonly name: string; readonly of: number }
  /**
   * Once a second: the round trip to a player in milliseconds, how fast this side ticked (1 is the game's own rate), and
   * by how many frames it was ahead of what it had heard of the other.
   */
  | {
      readonly kind: 'sample';
      readonly player: number;
      readonly rttMs: number;
      readonly speed: number;
      readonly lead: number;
    }
  /** The hashes of both sides differ from the step of frame `of` on. */
  | { readonly kind: 'desync'; readonly of: number }
  /**
   * The state before frame `of` was another than the one predicted here: by how much, as `stateDistance` has it, in steps
   * of a hundredth. Beside an authority every one is told, between peers now and then one.
   */
  | { readonly kind: 'correction'; readonly of: number; readonly distance: number }
  /**
   * Once a second: how many frames ran again in it, the milliseconds that they took, and how many frames old other
   * players' inputs were when they took effect, in the mean; how many frames were not confirmed then, and how many
   * might be.
   */
  | {
      readonly kind: 'work';
      readonly resimulatedFrames: number;
      readonly resimulationMs: number;
      readonly inputAge: number;
      readonly predictedFrames: number;
      readonly window: number;
    }
  /** So many events of the second were too many to be kept. */
  | { readonly kind: 'lost'; readonly events: number };

/** An event, and the last frame that was simulated when it happened; -1 before the first. */
export type RecordedEvent = EventBody & { readonly frame: number };

/** Bounds of a second's events in bytes, and of the names of effects and facts. What is beyond them is counted. */
export const EVENT_BYTES_MAX = 4096;
export const EVENT_NAMES_MAX = 256;
export const EVENT_NAME_BYTES_MAX = 255;

/** An event's first byte has its kind, and in the low bits its size; this size says that the size follows. */
export const SIZE_FOLLOWS = 7;

/** The events of one recording, as a reader collects them. */
export class EventList {
  readonly all: RecordedEvent[] = [];
  readonly #names: string[] = [];

  /** Takes a chunk of events. Throws `bad-recording`, with none of them taken, when they are none. */
  take(payload: ByteReader): void {
    const held = this.all.length;
    const names = this.#names.length;
    try {
      // A frame is stored plus one: the first events may come before frame 0.
      let frame = payload.varint() - 1;
      while (payload.at < payload.end) {
        const tag = payload.u8();
        const size = (tag & 7) === SIZE_FOLLOWS ? payload.varint() : tag & 7;
        const body = payload.part(size);
        frame += body.varint();
        const event = this.#read(tag >> 3, frame, body);
        if (event === undefined) continue;
        requireFrame(body, event);
        this.all.push({ frame, ...event });
      }
    } catch (error) {
      this.all.length = held;
      this.#names.length = names;
      throw error;
    }
  }

  /** Undefined for a kind that is not known, and for what is no event by itself. */
  #read(kind: number, frame: number, body: ByteReader): EventBody | undefined {
    switch (kind) {
      case EventKind.rollback:
        return { kind: 'rollback', player: body.varint(), first: frame - body.varint() };
      case EventKind.stall:
        return { kind: 'stall', ticks: body.varint() };
      case EventKind.delay:
        return { kind: 'delay', inputDelay: body.varint() };
      case EventKind.link:
        return { kind: 'link', player: body.varint(), isUp: body.varint() === 1 };
      case EventKind.presence:
        return { kind: 'presence', player: body.varint(), presence: listed(PRESENCES, body.varint()) };
      case EventKind.name:
        this.#takeName(body);
        return undefined;
      case EventKind.effect:
        return {
          kind: 'effect',
          name: this.#name(body),
          phase: listed(PHASES, body.varint()),
          of: frame - body.zigzag(),
        };
      case EventKind.fact:
        return { kind: 'fact', name: this.#name(body), of: frame - body.zigzag() };
      case EventKind.sample:
        return {
          kind: 'sample',
          player: body.varint(),
          rttMs: body.varint() / 10,
          speed: body.varint() / 1000,
          lead: body.zigzag(),
        };
      case EventKind.desync:
        return { kind: 'desync', of: body.varint() };
      case EventKind.correction:
        return { kind: 'correction', of: frame - body.zigzag(), distance: body.varint() / 100 };
      case EventKind.work:
        return {
          kind: 'work',
          resimulatedFrames: body.varint(),
          resimulationMs: body.varint() / 1000,
          inputAge: body.varint() / 10,
          predictedFrames: body.varint(),
          window: body.varint(),
        };
      case EventKind.lost:
        return { kind: 'lost', events: body.varint() };
      default:
        return undefined;
    }
  }

  #takeName(body: ByteReader): void {
    if (this.#names.length === EVENT_NAMES_MAX) {
      throw new RiposteError('bad-recording', `more than ${EVENT_NAMES_MAX} names of effects and facts`);
    }
    this.#names.push(body.text(EVENT_NAME_BYTES_MAX));
  }

  #name(body: ByteReader): string {
    return listed(this.#names, body.varint());
  }
}

function listed<T>(all: readonly T[], at: number): T {
  const found = all[at];
  if (found !== undefined) return found;
  throw new RiposteError('bad-recording', `number ${at} in an event; expected one below ${all.length}`);
}

/** A frame before the match's start is none. What follows the fields of a kind belongs to later writers. */
function requireFrame(body: ByteReader, event: EventBody): void {
  const frame = event.kind === 'rollback' ? event.first : 'of' in event ? event.of : 0;
  if (frame < 0) throw new RiposteError('bad-recording', `an event before byte ${body.at} is of frame ${frame}`);
}

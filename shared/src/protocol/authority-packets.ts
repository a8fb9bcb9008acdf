import { get16, inputBytes, put16, readInputs, wholeFrame, writeInputs } from './input-coding.js';
import { PACKET_BYTES_MAX, PACKET_FRAMES_MAX } from './packet.js';

/** What the two datagrams between a client and its authority begin with. */
const INPUTS_MARK = 1;
const UPDATE_MARK = 2;

/** What an input packet says beside its inputs. */
export interface InputsHead {
  /** The last frame whose input is in this packet, and how many frames of inputs up to it. */
  lastFrame: number;
  count: number;
  /** The client holds the authority's word on every frame before this one. */
  held: number;
  /** The client cannot go on without a state. */
  wantsState: boolean;
}

export function inputsHead(): InputsHead {
  return { lastFrame: -1, count: 0, held: 0, wantsState: false };
}

const INPUTS_HEAD_BYTES = 7;

/** Writes and reads what a client sends: all of its inputs that the authority may still need. */
export class InputsCodec {
  /** The most frames in one packet. */
  readonly framesMax: number;
  /** The inputs to write, or those that were read, frame by frame, after `words` words that stay zero. */
  readonly inputs: Int32Array;
  readonly #words: number;
  readonly #bits: number;
  readonly #bytes = new Uint8Array(PACKET_BYTES_MAX);

  constructor(words: number, bits: number) {
    this.framesMax = framesIn(PACKET_BYTES_MAX - INPUTS_HEAD_BYTES, bits, 1);
    this.inputs = new Int32Array((PACKET_FRAMES_MAX + 1) * words);
    this.#words = words;
    this.#bits = bits;
  }

  /** The bytes are reused by the next call. */
  encode({ lastFrame, count, held, wantsState }: InputsHead): Uint8Array {
    const bytes = this.#bytes;
    bytes[0] = INPUTS_MARK;
    bytes[1] = wantsState ? 1 : 0;
    put16(bytes, 2, lastFrame);
    put16(bytes, 4, held);
    const end = writeInputs(this.inputs, count, this.#words, this.#bits, bytes, 6, INPUTS_HEAD_BYTES);
    return bytes.subarray(0, end);
  }

  /** Reads into `into` and `inputs`; frames are the nearest to `nearFrame`. False, with both of no use, for anything else. */
  decode(bytes: Uint8Array, nearFrame: number, into: InputsHead): boolean {
    if (bytes.length < INPUTS_HEAD_BYTES || bytes.length > PACKET_BYTES_MAX) return false;
    if (bytes[0] !== INPUTS_MARK || bytes[1]! > 1) return false;
    into.wantsState = bytes[1] === 1;
    into.lastFrame = wholeFrame(get16(bytes, 2), nearFrame);
    into.held = wholeFrame(get16(bytes, 4), nearFrame);
    into.count = bytes[6]! & PACKET_FRAMES_MAX;
    const { inputs } = this;
    const end = readInputs(bytes, INPUTS_HEAD_BYTES, bytes[6]! >> 6, into.count, inputs, this.#words, this.#bits);
    return end === bytes.length && into.lastFrame - into.count >= -1 && into.held >= 0;
  }
}

/** What an update says beside inputs and state. */
export interface UpdateHead {
  /** The frame that the authority steps next: it has the last word on all before it. */
  frame: number;
  /** How many frames of inputs, up to `frame - 1`. */
  count: number;
  /** The authority needs none of this client's inputs up to this frame any more; -1 for none. */
  ack: number;
  /** The newest frame whose input it got, however late, and how many milliseconds ago, at most 255; 255 for none. */
  heard: number;
  holdMs: number;
  /** The hash of the state before `frame`. */
  hash: number;
  /** One input of this client, and how many milliseconds before its frame's step it came, negative for late; NaN for none. */
  slackFrame: number;
  slackMs: number;
  /** Frames that were stepped without this client's input so far, modulo 65,536. */
  missed: number;
  /** Counts the updates for this client, modulo 256, so that it knows how many were lost. */
  number: number;
  /** The state comes as its difference from that before this frame, at most 255 earlier; -1 when it comes whole, or not. */
  base: number;
}

export function updateHead(): UpdateHead {
  return {
    frame: 0,
    count: 0,
    ack: -1,
    heard: -1,
    holdMs: 255,
    hash: 0,
    slackFrame: 0,
    slackMs: Number.NaN,
    missed: 0,
    number: 0,
    base: -1,
  };
}

const NO_SLACK = -32_768;
const UPDATE_HEAD_BYTES = 23;
const GONE_BYTES = 4;

/**
 * Writes and reads what an authority sends: the inputs that it stepped, of all players, whose last frames are, and,
 * where it fits the datagram, the state.
 */
export class UpdateCodec {
  /** The most frames of inputs in one update. */
  readonly framesMax: number;
  /** By player, the inputs to write, or those that were read, frame by frame, after `words` words that stay zero. */
  readonly inputs: readonly Int32Array[];
  /** The frame from which each player is gone; infinite for one who plays. */
  readonly goneFrom: number[];
  /** The last update that was written had room for the state. */
  carriesState = false;
  readonly #words: number;
  readonly #bits: number;
  readonly #bytes = new Uint8Array(PACKET_BYTES_MAX);

  /** `words` and `bits` are those of one player's input. */
  constructor(players: number, words: number, bits: number) {
    this.framesMax = framesIn(PACKET_BYTES_MAX - UPDATE_HEAD_BYTES - players * (GONE_BYTES + 1), bits, players);
    this.inputs = Array.from({ length: players }, () => new Int32Array((PACKET_FRAMES_MAX + 1) * words));
    this.goneFrom = Array.from({ length: players }, () => Number.POSITIVE_INFINITY);
    this.#words = words;
    this.#bits = bits;
  }

  /** Writes one update; `state`, whole or as a difference, comes along when it fits. The bytes are reused by the next call. */
  encode(update: UpdateHead, state?: Uint8Array): Uint8Array {
    const bytes = this.#bytes;
    bytes[0] = UPDATE_MARK;
    const { slackMs } = update;
    put16(bytes, 1, Number.isNaN(slackMs) ? NO_SLACK : Math.max(-32_767, Math.min(32_767, Math.floor(slackMs))));
    put16(bytes, 3, update.slackFrame);
    put16(bytes, 5, update.missed);
    put16(bytes, 8, update.frame);
    put16(bytes, 10, update.ack);
    bytes[12] = update.holdMs;
    put16(bytes, 13, update.hash);
    put16(bytes, 15, update.hash >>> 16);
    put16(bytes, 19, update.heard);
    bytes[21] = update.base < 0 ? 0 : update.frame - update.base;
    bytes[22] = update.number;
    let at = UPDATE_HEAD_BYTES;
    let gone = 0;
    for (const [player, from] of this.goneFrom.entries()) {
      if (from === Number.POSITIVE_INFINITY) continue;
      gone |= 1 << player;
      put16(bytes, at, from);
      put16(bytes, at + 2, from >>> 16);
      at += GONE_BYTES;
    }
    bytes[7] = gone;
    for (const inputs of this.inputs) {
      at = writeInputs(inputs, update.count, this.#words, this.#bits, bytes, at, at + 1);
    }
    const fits = state !== undefined && at + state.length <= PACKET_BYTES_MAX;
    this.carriesState = fits;
    put16(bytes, 17, fits ? state.length : 0);
    if (!fits) return bytes.subarray(0, at);
    bytes.set(state, at);
    return bytes.subarray(0, at + state.length);
  }

  /**
   * Reads an update into `into`, `inputs` and `goneFrom`; frames are the nearest to `nearFrame`. Returns the bytes of the
   * state or of its difference, empty when it did not come along; undefined, with all three of no use, for something that is no update.
   */
  decode(bytes: Uint8Array, nearFrame: number, into: UpdateHead): Uint8Array | undefined {
    if (bytes.length < UPDATE_HEAD_BYTES || bytes.length > PACKET_BYTES_MAX || bytes[0] !== UPDATE_MARK) return;
    const gone = bytes[7]!;
    if (gone >>> this.inputs.length !== 0) return;
    let at = UPDATE_HEAD_BYTES;
    for (let player = 0; player < this.inputs.length; player++) {
      this.goneFrom[player] = Number.POSITIVE_INFINITY;
      if ((gone & (1 << player)) === 0) continue;
      if (at + GONE_BYTES > bytes.length) return;
      this.goneFrom[player] = word32(bytes, at);
      at += GONE_BYTES;
    }
    for (const [player, inputs] of this.inputs.entries()) {
      const form = bytes[at];
      if (form === undefined) return;
      const count = form & PACKET_FRAMES_MAX;
      if (player === 0) into.count = count;
      else if (count !== into.count) return;
      at = readInputs(bytes, at + 1, form >> 6, count, inputs, this.#words, this.#bits);
      if (at < 0) return;
    }
    if (at + get16(bytes, 17) !== bytes.length) return;
    into.frame = wholeFrame(get16(bytes, 8), nearFrame);
    if (into.frame < into.count) return;
    into.ack = wholeFrame(get16(bytes, 10), into.frame);
    if (into.ack < into.frame - 1) return;
    into.heard = wholeFrame(get16(bytes, 19), into.frame);
    into.holdMs = bytes[12]!;
    into.hash = word32(bytes, 13);
    const slackMs = (get16(bytes, 1) << 16) >> 16;
    into.slackMs = slackMs === NO_SLACK ? Number.NaN : slackMs;
    into.slackFrame = wholeFrame(get16(bytes, 3), into.frame);
    into.missed = get16(bytes, 5);
    into.number = bytes[22]!;
    into.base = bytes[21] === 0 ? -1 : into.frame - bytes[21]!;
    if (into.base < -1) return;
    return bytes.subarray(at);
  }
}

/** How many frames of inputs, all changed, of so many players fit. Six bits count them. */
function framesIn(bytes: number, bits: number, players: number): number {
  return Math.max(
    1,
    Math.min(PACKET_FRAMES_MAX, Math.floor((bytes - players) / (players * (inputBytes(bits) + 1 / 8)))),
  );
}

function word32(bytes: Uint8Array, at: number): number {
  return (get16(bytes, at) | (get16(bytes, at + 2) << 16)) >>> 0;
}

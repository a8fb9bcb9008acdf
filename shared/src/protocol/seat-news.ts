import { get16, inputBytes, put16, readInputs, wholeFrame, writeInputs } from './input-coding.js';
import { PACKET_FRAMES_MAX } from './packet.js';

/**
 * What follows the inputs in a packet of a match of more than two: two bytes for each seat that is neither the sender's
 * nor the receiver's, in order, then any number of blocks with inputs of such seats.
 */

/** Stands for a frame that lies too far away to be said; -1 is none. */
const FRAME_UNSAID = -2;

/** What a packet says of a third seat. Frames are -1 for none and -2 where they lie too far away to be said. */
export interface SeatNews {
  /** The sender has this seat's inputs up to this frame. */
  have: number;
  /** The sender does not hear this seat, and wants its inputs from the receiver. */
  asks: boolean;
  /** As the seat last told the sender: it has the receiver's inputs up to this frame. */
  hasYours: number;
}

/** Seven bits around the sender's last simulated frame; 0 for one that is not said. */
const HAVE_ZERO = 64;
const HAVE_MAX = 127;
const ASK_BIT = 128;
const NOT_SAID = -128;

/** Bytes that `encodeSeatNews` writes. */
export const SEAT_NEWS_BYTES = 2;

/** `head` and `ack` are those of the packet. */
export function encodeSeatNews(news: SeatNews, head: number, ack: number, into: Uint8Array, at: number): void {
  const have = news.have - head + HAVE_ZERO;
  into[at] = (have >= 1 && have <= HAVE_MAX ? have : 0) | (news.asks ? ASK_BIT : 0);
  const yours = news.hasYours - ack;
  into[at + 1] = yours > NOT_SAID && yours < 128 ? yours : NOT_SAID;
}

export function decodeSeatNews(bytes: Uint8Array, at: number, head: number, ack: number, into: SeatNews): void {
  const have = bytes[at]! & HAVE_MAX;
  into.have = have === 0 ? FRAME_UNSAID : have - HAVE_ZERO + head;
  into.asks = (bytes[at]! & ASK_BIT) !== 0;
  const yours = (bytes[at + 1]! << 24) >> 24;
  into.hasYours = yours === NOT_SAID ? FRAME_UNSAID : ack + yours;
}

/** Inputs of a third seat: whose, and of which frames. */
export interface Forwarded {
  seat: number;
  lastFrame: number;
  count: number;
}

/** The seat, two bytes of its last frame, and count and form. */
const BLOCK_HEAD_BYTES = 4;

/** The most frames, all changed, that fit so many bytes of a packet; 0 for none. */
export function forwardedFramesMax(room: number, bits: number): number {
  const frames = Math.floor((room - BLOCK_HEAD_BYTES - 1) / (inputBytes(bits) + 1 / 8));
  return Math.max(0, Math.min(PACKET_FRAMES_MAX, frames));
}

/** Writes a block; `inputs` as for a packet's own. Returns where it ends. */
export function encodeForwarded(
  { seat, lastFrame, count }: Forwarded,
  inputs: Int32Array,
  words: number,
  bits: number,
  into: Uint8Array,
  at: number,
): number {
  into[at] = seat;
  put16(into, at + 1, lastFrame);
  return writeInputs(inputs, count, words, bits, into, at + 3, at + BLOCK_HEAD_BYTES);
}

/** Reads a block's head; `near` is a recent frame. False when there is none. */
export function decodeForwardedHead(bytes: Uint8Array, at: number, near: number, into: Forwarded): boolean {
  if (at + BLOCK_HEAD_BYTES > bytes.length) return false;
  into.seat = bytes[at]!;
  into.lastFrame = wholeFrame(get16(bytes, at + 1), near);
  into.count = bytes[at + 3]! & PACKET_FRAMES_MAX;
  return true;
}

/** Reads a block's inputs, as `decodeInputs` does those of a packet, whose head begins at `at`. */
export function decodeForwarded(
  bytes: Uint8Array,
  at: number,
  count: number,
  inputs: Int32Array,
  words: number,
  bits: number,
): number {
  return readInputs(bytes, at + BLOCK_HEAD_BYTES, bytes[at + 3]! >> 6, count, inputs, words, bits);
}

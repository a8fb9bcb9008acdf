import { get16, inputBytes, put16, readInputs, writeInputs } from './input-coding.js';
import { EPOCHS, PACKET_BYTES_MAX, PACKET_FRAMES_MAX, SEATS_MAX, WIRE_VERSION } from './packet.js';

/** What a source tells a spectator in one packet: the inputs of all seats in some final frames. */
export interface FeedHead {
  /** 0 to `EPOCHS - 1`: grows whenever the spectator is given a state. */
  epoch: number;
  firstFrame: number;
  count: number;
  /** The seats that are not in the match in all of these frames: one bit each. */
  gone: number;
  /** The newest final frame that the source knows of; at most 65,535 after the packet's last. */
  newest: number;
  /** A frame up to the packet's last, at most 254 before it, and the chain hash up to it; -1 for none. */
  chainFrame: number;
  chain: number;
}

export function feedHead(): FeedHead {
  return { epoch: 0, firstFrame: 0, count: 0, gone: 0, newest: -1, chainFrame: -1, chain: 0 };
}

const HEAD_BYTES = 13;
const NO_CHAIN = 255;

function putFrame(into: Uint8Array, at: number, frame: number): void {
  put16(into, at, frame);
  put16(into, at + 2, frame >>> 16);
}

function getFrame(from: Uint8Array, at: number): number {
  return get16(from, at) + get16(from, at + 2) * 65_536;
}

/** The most frames that fit a packet when all inputs change. */
export function feedFramesMax(players: number, bits: number): number {
  const room = PACKET_BYTES_MAX - HEAD_BYTES - players;
  return Math.min(PACKET_FRAMES_MAX, Math.floor(room / (players * (inputBytes(bits) + 1 / 8))) - 1);
}

/**
 * Writes a packet and returns its length. `inputs` has for each seat `count + 1` inputs of `words` words: the one before
 * the first frame, then those of the frames.
 */
export function encodeFeed(
  head: FeedHead,
  inputs: Int32Array,
  players: number,
  words: number,
  bits: number,
  into: Uint8Array,
): number {
  const last = head.firstFrame + head.count - 1;
  const back = last - head.chainFrame;
  into[0] = (WIRE_VERSION << 5) | (head.epoch & (EPOCHS - 1));
  putFrame(into, 1, head.firstFrame);
  into[5] = head.gone;
  put16(into, 6, Math.max(0, Math.min(0xffff, head.newest - last)));
  into[8] = head.chainFrame >= 0 && back >= 0 && back < NO_CHAIN ? back : NO_CHAIN;
  putFrame(into, 9, head.chain);
  let at = HEAD_BYTES;
  const stride = (head.count + 1) * words;
  for (let player = 0; player < players; player++) {
    at = writeInputs(inputs.subarray(player * stride), head.count, words, bits, into, at, at + 1);
  }
  return at;
}

/** Reads all but the inputs; false for what is no such packet. */
export function decodeFeedHead(bytes: Uint8Array, into: FeedHead): boolean {
  if (bytes.length <= HEAD_BYTES || bytes.length > PACKET_BYTES_MAX || bytes[0]! >> 5 !== WIRE_VERSION) return false;
  into.epoch = bytes[0]! & (EPOCHS - 1);
  into.firstFrame = getFrame(bytes, 1);
  into.count = bytes[HEAD_BYTES]! & PACKET_FRAMES_MAX;
  into.gone = bytes[5]!;
  const last = into.firstFrame + into.count - 1;
  into.newest = last + get16(bytes, 6);
  into.chainFrame = bytes[8] === NO_CHAIN ? -1 : last - bytes[8]!;
  into.chain = getFrame(bytes, 9);
  return true;
}

/**
 * Reads the inputs of a packet: each seat's begin with the one before the first frame. False, with `inputs` of no use,
 * when the bytes are not exactly those of that many seats and frames.
 */
export function decodeFeedInputs(
  bytes: Uint8Array,
  { count }: FeedHead,
  inputs: Int32Array,
  players: number,
  words: number,
  bits: number,
): boolean {
  const stride = (count + 1) * words;
  let at = HEAD_BYTES;
  for (let player = 0; player < players; player++) {
    if (at >= bytes.length || (bytes[at]! & PACKET_FRAMES_MAX) !== count) return false;
    at = readInputs(bytes, at + 1, bytes[at]! >> 6, count, inputs.subarray(player * stride), words, bits);
    if (at < 0) return false;
  }
  return at === bytes.length;
}

/** Numbers for a packet of the most frames: what `encodeFeed` and `decodeFeedInputs` need room for. */
export function feedWords(words: number): number {
  return SEATS_MAX * (PACKET_FRAMES_MAX + 1) * words;
}

/** What a spectator answers: it has every frame up to `frame` of this epoch. */
export const FEED_ACK_BYTES = 5;

export function encodeFeedAck(epoch: number, frame: number, into: Uint8Array): void {
  into[0] = (WIRE_VERSION << 5) | (epoch & (EPOCHS - 1));
  putFrame(into, 1, frame + 1);
}

/** The frame that is acknowledged in this epoch; undefined for what is no such answer. */
export function decodeFeedAck(bytes: Uint8Array, epoch: number): number | undefined {
  const isAck = bytes.length === FEED_ACK_BYTES && bytes[0] === ((WIRE_VERSION << 5) | (epoch & (EPOCHS - 1)));
  return isAck ? getFrame(bytes, 1) - 1 : undefined;
}

import { RiposteError } from '../errors.js';
import { get16, inputBytes, put16, readInputs, wholeFrame, writeInputs } from './input-coding.js';

/** Peers of another wire version are refused in the handshake; a packet of another one is dropped. 1 to 7. */
export const WIRE_VERSION = 1;
/** Below the smallest payload that a data channel carries in one datagram on real paths. */
export const PACKET_BYTES_MAX = 1100;
/** More unacknowledged frames than two prediction windows and a delay can make; bounds a packet's work. Six bits. */
export const PACKET_FRAMES_MAX = 63;
/** The most seats of a match that the wire can name. */
export const SEATS_MAX = 8;
/** Resumed matches count their epochs in five bits. */
export const EPOCHS = 32;

/** All but the inputs of one packet. Frames are whole here and relative on the wire. */
export interface PacketHead {
  /** 0 to `EPOCHS - 1`. */
  epoch: number;
  /** The last frame whose input is in this packet. */
  lastFrame: number;
  /** How many frames of inputs, up to `lastFrame`. */
  count: number;
  /** The sender has this receiver's inputs up to this frame; -1 for none, and where it lies too far from `lastFrame`. */
  ack: number;
  /** The sender's last simulated frame; within 32 frames of `lastFrame`. */
  head: number;
  /** The share of the game's rate that the sender's machine can keep, 0.5 to 1 in steps of `1 / RATE_STEPS`. */
  rate: number;
  /** Milliseconds between the arrival of what `ack` answers and this packet, at most 255. */
  holdMs: number;
  /** The sender's newest confirmed frame, -1 for none, and its chain hash. */
  confirmed: number;
  chain: number;
}

export function packetHead(): PacketHead {
  return {
    epoch: 0,
    lastFrame: -1,
    count: 0,
    ack: -1,
    head: -1,
    rate: 1,
    holdMs: 0,
    confirmed: -1,
    chain: 0,
  };
}

/** Steps in which a machine's rate is said. */
const RATE_STEPS = 200;

const HEAD_BYTES = 11;
/** The head and its two bytes that are seldom needed: how far the confirmed frame is behind, and the rate. */
const HEAD_BYTES_MAX = HEAD_BYTES + 2;

/** What is said of six other seats at most: see `seat-news.ts`. */
const SEAT_NEWS_BYTES_MAX = 12;

const NO_ACK = -128;
const NO_HASH = 255;
/** The most frames that `lastFrame` can lie ahead of `head`: six bits. */
export const LEAD_MAX = 31;
const SLOW_BIT = 64;
const CONFIRMED_BIT = 128;

/** The most frames of inputs, all changed, that fit a packet. */
export function packetFramesMax(bits: number): number {
  const room = PACKET_BYTES_MAX - HEAD_BYTES_MAX - SEAT_NEWS_BYTES_MAX;
  return Math.min(PACKET_FRAMES_MAX, Math.floor(room / (inputBytes(bits) + 1 / 8)));
}

/** What the sender has confirmed when it has everything that it acknowledges: then it need not be said. */
function impliedConfirmed(head: PacketHead): number {
  return Math.min(head.head, head.ack);
}

/**
 * Writes one packet into `into` and returns its length. `inputs` holds `count + 1` inputs of `words` words: the one
 * before the first frame (which the receiver has acknowledged, or neutral), then those of the packet's frames. Only
 * changes are sent: a bit a frame, and the bytes of each changed input.
 */
export function encodePacket(
  head: PacketHead,
  inputs: Int32Array,
  words: number,
  bits: number,
  into: Uint8Array,
): number {
  const ack = head.ack - head.lastFrame;
  const lead = Math.max(-LEAD_MAX - 1, Math.min(LEAD_MAX, head.lastFrame - head.head));
  const isNear = ack > NO_ACK && ack < 128;
  const isImplied = isNear && head.confirmed === impliedConfirmed(head);
  into[0] = (WIRE_VERSION << 5) | (head.epoch & (EPOCHS - 1));
  put16(into, 1, head.lastFrame);
  into[3] = isNear ? ack : NO_ACK;
  into[4] = (lead + LEAD_MAX + 1) | (head.rate < 1 ? SLOW_BIT : 0) | (isImplied ? 0 : CONFIRMED_BIT);
  into[6] = head.holdMs;
  put16(into, 7, head.chain);
  put16(into, 9, head.chain >> 16);
  let at = HEAD_BYTES;
  if (!isImplied) into[at++] = head.confirmed < 0 ? NO_HASH : Math.min(NO_HASH, head.head - head.confirmed);
  if (head.rate < 1) into[at++] = Math.round(head.rate * RATE_STEPS);

  return writeInputs(inputs, head.count, words, bits, into, 5, at);
}

/** False for a packet of another version, or for something that is no packet. */
export function isPacket(bytes: Uint8Array): boolean {
  return bytes.length >= HEAD_BYTES && bytes.length <= PACKET_BYTES_MAX && bytes[0]! >> 5 === WIRE_VERSION;
}

/**
 * Reads all but the inputs, and returns where those begin; `nearPeer` is a recent frame of the sender's. `isPacket` has
 * been asked before.
 */
export function decodeHead(bytes: Uint8Array, nearPeer: number, into: PacketHead): number {
  into.epoch = bytes[0]! & (EPOCHS - 1);
  into.lastFrame = wholeFrame(get16(bytes, 1), nearPeer);
  const ack = (bytes[3]! << 24) >> 24;
  into.ack = ack === NO_ACK ? -1 : into.lastFrame + ack;
  into.head = into.lastFrame - ((bytes[4]! & (SLOW_BIT - 1)) - LEAD_MAX - 1);
  into.count = bytes[5]! & PACKET_FRAMES_MAX;
  into.holdMs = bytes[6]!;
  into.chain = (get16(bytes, 7) | (get16(bytes, 9) << 16)) >>> 0;
  let at = HEAD_BYTES;
  into.confirmed = impliedConfirmed(into);
  if ((bytes[4]! & CONFIRMED_BIT) !== 0) {
    const behind = bytes[at++] ?? 0;
    into.confirmed = behind === NO_HASH ? -1 : into.head - behind;
  }
  into.rate = 1;
  if ((bytes[4]! & SLOW_BIT) !== 0) into.rate = Math.max(0.5, Math.min(1, (bytes[at++] ?? RATE_STEPS) / RATE_STEPS));
  return at;
}

/**
 * Reads the inputs of a packet, which begin at `bytes[at]`: `inputs` begins with the input before the first frame and
 * receives the `count` after it. Returns where they end in the packet; -1, with `inputs` of no use, when the bytes are not
 * those of that many frames.
 */
export function decodeInputs(
  bytes: Uint8Array,
  at: number,
  count: number,
  inputs: Int32Array,
  words: number,
  bits: number,
): number {
  return readInputs(bytes, at, bytes[5]! >> 6, count, inputs, words, bits);
}

/** Throws `bad-game` when inputs are so large that not even eight frames fit a packet. */
export function requirePacketFits(bits: number): void {
  if (packetFramesMax(bits) < 8) {
    throw new RiposteError('bad-game', `an input has ${bits} bits; expected at most ${8 * 132}, so that packets fit`);
  }
}

import { RiposteError } from '../errors.js';

/** Peers of another wire version are refused in the handshake; a packet of another one is dropped. */
export const WIRE_VERSION = 1;
/** Below the smallest payload that a data channel carries in one datagram on real paths. */
export const PACKET_BYTES_MAX = 1100;
/** More unacknowledged frames than a prediction window and a delay can make; bounds a packet's work. */
export const PACKET_FRAMES_MAX = 127;

/** All but the inputs of one packet. Frames are whole here and 16 bits on the wire. */
export interface PacketHead {
  epoch: number;
  /** The last frame whose input is in this packet. */
  lastFrame: number;
  /** How many frames of inputs, up to `lastFrame`. */
  count: number;
  /** The sender has this receiver's inputs up to this frame, -1 for none. */
  ack: number;
  /** The sender's last simulated frame. */
  head: number;
  /** Simulated frames by which the sender sees itself ahead, raw, -127 to 127. */
  advantage: number;
  /** Milliseconds between the arrival of what `ack` answers and this packet, at most 255. */
  holdMs: number;
  /** The sender's newest confirmed frame, -1 for none, and its chain hash. */
  confirmed: number;
  chain: number;
}

export function packetHead(): PacketHead {
  return { epoch: 0, lastFrame: -1, count: 0, ack: -1, head: -1, advantage: 0, holdMs: 0, confirmed: -1, chain: 0 };
}

const HEAD_BYTES = 16;

/** Bytes of one changed input on the wire. */
export function inputBytes(bits: number): number {
  return Math.ceil(bits / 8);
}

/** The most frames of inputs, all changed, that fit a packet. */
export function packetFramesMax(bits: number): number {
  const room = PACKET_BYTES_MAX - HEAD_BYTES - Math.ceil(PACKET_FRAMES_MAX / 8);
  return Math.min(PACKET_FRAMES_MAX, Math.floor(room / inputBytes(bits)));
}

/** The frame nearest to `near` whose low 16 bits are `low`: right within 32,767 frames (nine minutes at 60 Hz). */
function wholeFrame(low: number, near: number): number {
  return near + (((low - near) << 16) >> 16);
}

function put16(into: Uint8Array, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >> 8;
}

function get16(from: Uint8Array, at: number): number {
  return from[at]! | (from[at + 1]! << 8);
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
  into[0] = (WIRE_VERSION << 4) | (head.epoch & 15);
  put16(into, 1, head.lastFrame);
  put16(into, 4, head.ack);
  put16(into, 6, head.head);
  into[8] = head.advantage;
  into[9] = head.holdMs;
  put16(into, 10, head.confirmed);
  into[12] = head.chain;
  into[13] = head.chain >> 8;
  into[14] = head.chain >> 16;
  into[15] = head.chain >> 24;
  const size = inputBytes(bits);
  const map = HEAD_BYTES;
  const mapBytes = (head.count + 7) >> 3;
  let at = map + mapBytes;
  into.fill(0, map, at);
  let changed = false;
  for (let frame = 0; frame < head.count; frame++) {
    if (!differs(inputs, frame * words, words)) continue;
    changed = true;
    into[map + (frame >> 3)] = into[map + (frame >> 3)]! | (1 << (frame & 7));
    const base = (frame + 1) * words;
    for (let byte = 0; byte < size; byte++) into[at++] = inputs[base + (byte >> 2)]! >> ((byte & 3) * 8);
  }
  into[3] = head.count | (changed ? 128 : 0);
  return changed ? at : map;
}

/** Whether the input at `at` differs from the one after it. */
function differs(inputs: Int32Array, at: number, words: number): boolean {
  for (let word = 0; word < words; word++) if (inputs[at + word] !== inputs[at + words + word]) return true;
  return false;
}

/** Reads a packet's version and epoch: false for another version, or for something that is no packet. */
export function isPacket(bytes: Uint8Array): boolean {
  return bytes.length >= HEAD_BYTES && bytes.length <= PACKET_BYTES_MAX && bytes[0]! >> 4 === WIRE_VERSION;
}

/** Reads all but the inputs; `nearOwn` and `nearPeer` are recent frames of this side and of the sender. Checked by `isPacket` before. */
export function decodeHead(bytes: Uint8Array, nearOwn: number, nearPeer: number, into: PacketHead): void {
  into.epoch = bytes[0]! & 15;
  into.lastFrame = wholeFrame(get16(bytes, 1), nearPeer);
  into.count = bytes[3]! & 127;
  into.ack = wholeFrame(get16(bytes, 4), nearOwn);
  into.head = wholeFrame(get16(bytes, 6), nearPeer);
  into.advantage = (bytes[8]! << 24) >> 24;
  into.holdMs = bytes[9]!;
  into.confirmed = wholeFrame(get16(bytes, 10), nearPeer);
  into.chain = (bytes[12]! | (bytes[13]! << 8) | (bytes[14]! << 16) | (bytes[15]! << 24)) >>> 0;
}

/**
 * Reads the inputs of a packet: `inputs` begins with the input before the first frame and receives the `count` after
 * it. False, with `inputs` of no use, when the bytes are not exactly those of that many frames.
 */
export function decodeInputs(
  bytes: Uint8Array,
  count: number,
  inputs: Int32Array,
  words: number,
  bits: number,
): boolean {
  const size = inputBytes(bits);
  const map = HEAD_BYTES;
  const changed = (bytes[3]! & 128) !== 0;
  let at = changed ? map + ((count + 7) >> 3) : map;
  if (at > bytes.length) return false;
  for (let frame = 0; frame < count; frame++) {
    const base = frame * words;
    if (!changed || ((bytes[map + (frame >> 3)]! >> (frame & 7)) & 1) === 0) {
      for (let word = 0; word < words; word++) inputs[base + words + word] = inputs[base + word]!;
      continue;
    }
    if (at + size > bytes.length) return false;
    for (let word = 0; word < words; word++) inputs[base + words + word] = 0;
    for (let byte = 0; byte < size; byte++) {
      const word = base + words + (byte >> 2);
      inputs[word] = inputs[word]! | (bytes[at++]! << ((byte & 3) * 8));
    }
    if (hasUnusedBits(inputs, base + words, words, bits)) return false;
  }
  return at === bytes.length;
}

/** An input with a bit that its model does not use is no input of this game. */
function hasUnusedBits(inputs: Int32Array, at: number, words: number, bits: number): boolean {
  for (let word = 0; word < words; word++) {
    const used = bits - word * 32;
    if (used < 32 && (used <= 0 ? inputs[at + word] !== 0 : inputs[at + word]! >>> used !== 0)) return true;
  }
  return false;
}

/** Throws `bad-game` when inputs are so large that not even eight frames fit a packet. */
export function requirePacketFits(bits: number): void {
  if (packetFramesMax(bits) < 8) {
    throw new RiposteError('bad-game', `an input has ${bits} bits; expected at most ${8 * 132}, so that packets fit`);
  }
}

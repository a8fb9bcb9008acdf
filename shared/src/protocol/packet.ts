import { RiposteError } from '../errors.js';

/** Peers of another wire version are refused in the handshake; a packet of another one is dropped. 1 to 7. */
export const WIRE_VERSION = 1;
/** Below the smallest payload that a data channel carries in one datagram on real paths. */
export const PACKET_BYTES_MAX = 1100;
/** More unacknowledged frames than two prediction windows and a delay can make; bounds a packet's work. Six bits. */
export const PACKET_FRAMES_MAX = 63;
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

/** How a packet's inputs are written: none differs from the one before, a bit a frame says which do, or all do. */
const InputForm = { same: 0, mapped: 1, changed: 2 } as const;

const NO_ACK = -128;
const NO_HASH = 255;
const LEAD_MAX = 31;
const SLOW_BIT = 64;
const CONFIRMED_BIT = 128;

/** Bytes of one changed input on the wire. */
function inputBytes(bits: number): number {
  return Math.ceil(bits / 8);
}

/** The most frames of inputs, all changed, that fit a packet. */
export function packetFramesMax(bits: number): number {
  const room = PACKET_BYTES_MAX - HEAD_BYTES_MAX;
  return Math.min(PACKET_FRAMES_MAX, Math.floor(room / (inputBytes(bits) + 1 / 8)));
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
  const isImplied = head.confirmed === impliedConfirmed(head) && ack > NO_ACK && ack < 128;
  into[0] = (WIRE_VERSION << 5) | (head.epoch & (EPOCHS - 1));
  put16(into, 1, head.lastFrame);
  into[3] = ack > NO_ACK && ack < 128 ? ack : NO_ACK;
  into[4] = (lead + LEAD_MAX + 1) | (head.rate < 1 ? SLOW_BIT : 0) | (isImplied ? 0 : CONFIRMED_BIT);
  into[6] = head.holdMs;
  into[7] = head.chain;
  into[8] = head.chain >> 8;
  into[9] = head.chain >> 16;
  into[10] = head.chain >> 24;
  let at = HEAD_BYTES;
  if (!isImplied) into[at++] = head.confirmed < 0 ? NO_HASH : Math.min(NO_HASH, head.head - head.confirmed);
  if (head.rate < 1) into[at++] = Math.round(head.rate * RATE_STEPS);

  let changes = 0;
  for (let frame = 0; frame < head.count; frame++) if (differs(inputs, frame * words, words)) changes++;
  const form = changes === 0 ? InputForm.same : changes === head.count ? InputForm.changed : InputForm.mapped;
  into[5] = head.count | (form << 6);
  const map = at;
  if (form === InputForm.mapped) {
    at += (head.count + 7) >> 3;
    into.fill(0, map, at);
  }
  const size = inputBytes(bits);
  for (let frame = 0; changes > 0 && frame < head.count; frame++) {
    if (form === InputForm.mapped) {
      if (!differs(inputs, frame * words, words)) continue;
      into[map + (frame >> 3)] = into[map + (frame >> 3)]! | (1 << (frame & 7));
    }
    const base = (frame + 1) * words;
    for (let word = 0, left = size; word < words; word++, left -= 4) {
      const value = inputs[base + word]!;
      for (let shift = 0; shift < 32 && shift < left * 8; shift += 8) into[at++] = value >> shift;
    }
  }
  return at;
}

/** Whether the input at `at` differs from the one after it. */
function differs(inputs: Int32Array, at: number, words: number): boolean {
  for (let word = 0; word < words; word++) if (inputs[at + word] !== inputs[at + words + word]) return true;
  return false;
}

/** False for a packet of another version, or for something that is no packet. */
export function isPacket(bytes: Uint8Array): boolean {
  return bytes.length >= HEAD_BYTES && bytes.length <= PACKET_BYTES_MAX && bytes[0]! >> 5 === WIRE_VERSION;
}

/** Reads all but the inputs; `nearPeer` is a recent frame of the sender's. `isPacket` has been asked before. */
export function decodeHead(bytes: Uint8Array, nearPeer: number, into: PacketHead): void {
  into.epoch = bytes[0]! & (EPOCHS - 1);
  into.lastFrame = wholeFrame(get16(bytes, 1), nearPeer);
  const ack = (bytes[3]! << 24) >> 24;
  into.ack = ack === NO_ACK ? -1 : into.lastFrame + ack;
  into.head = into.lastFrame - ((bytes[4]! & (SLOW_BIT - 1)) - LEAD_MAX - 1);
  into.count = bytes[5]! & PACKET_FRAMES_MAX;
  into.holdMs = bytes[6]!;
  into.chain = (bytes[7]! | (bytes[8]! << 8) | (bytes[9]! << 16) | (bytes[10]! << 24)) >>> 0;
  let at = HEAD_BYTES;
  if ((bytes[4]! & CONFIRMED_BIT) === 0) into.confirmed = impliedConfirmed(into);
  else {
    into.confirmed = bytes[at] === NO_HASH ? -1 : into.head - (bytes[at] ?? 0);
    at++;
  }
  into.rate = (bytes[4]! & SLOW_BIT) === 0 ? 1 : Math.max(0.5, Math.min(1, (bytes[at] ?? RATE_STEPS) / RATE_STEPS));
}

/** Where the inputs begin. */
function inputsAt(bytes: Uint8Array): number {
  return HEAD_BYTES + ((bytes[4]! & CONFIRMED_BIT) === 0 ? 0 : 1) + ((bytes[4]! & SLOW_BIT) === 0 ? 0 : 1);
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
  const form = bytes[5]! >> 6;
  const map = inputsAt(bytes);
  let at = form === InputForm.mapped ? map + ((count + 7) >> 3) : map;
  if (at > bytes.length || form > InputForm.changed) return false;
  for (let frame = 0; frame < count; frame++) {
    const base = frame * words;
    const isChanged =
      form === InputForm.changed ||
      (form === InputForm.mapped && ((bytes[map + (frame >> 3)]! >> (frame & 7)) & 1) !== 0);
    if (!isChanged) {
      for (let word = 0; word < words; word++) inputs[base + words + word] = inputs[base + word]!;
      continue;
    }
    if (at + size > bytes.length) return false;
    for (let word = 0, left = size; word < words; word++, left -= 4) {
      let value = 0;
      for (let shift = 0; shift < 32 && shift < left * 8; shift += 8) value |= bytes[at++]! << shift;
      inputs[base + words + word] = value;
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

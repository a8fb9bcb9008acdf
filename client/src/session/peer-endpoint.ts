import { RiposteError, type RollbackSim } from '@riposte/shared';
import {
  decodeHead,
  decodeInputs,
  EPOCHS,
  encodePacket,
  isPacket,
  PACKET_BYTES_MAX,
  PACKET_FRAMES_MAX,
  packetFramesMax,
  packetHead,
} from '@riposte/shared/protocol';
import type { RollbackDriver } from './rollback-driver.js';
import { RttWindow } from './rtt-window.js';

/** Send times are kept for this many frames, a power of two: more than can be unacknowledged. */
const SENT_RING = 256;
/** Names a frame that a peer could not have simulated honestly: farther ahead than any window and delay reach. */
const AHEAD_FRAMES_MAX = 1024;

/** What became of a received packet. `contradiction`: the peer changed an input that it had sent before. */
export type Received = 'taken' | 'dropped' | 'contradiction';

/** The packets to and from one remote player: what it has acknowledged, what it was sent, how far away it is. */
export class PeerEndpoint<S, I> {
  readonly player: number;
  readonly rtt = new RttWindow();
  /** Packets of another epoch are of another connection, and are dropped. */
  epoch = 0;
  readonly #sim: RollbackSim<S, I>;
  readonly #driver: RollbackDriver<S, I>;
  readonly #bits: number;
  readonly #words: number;
  readonly #framesMax: number;
  readonly #out = packetHead();
  readonly #in = packetHead();
  readonly #inputs: Int32Array;
  readonly #bytes = new Uint8Array(PACKET_BYTES_MAX);
  readonly #sentMs = new Float64Array(SENT_RING).fill(Number.NaN);
  /** The newest own frame that was ever sent, and that the peer has acknowledged. */
  #sentThrough = -1;
  #ackedThrough = -1;
  #receivedMs = Number.NaN;
  #peerHead = -1;
  #peerAdvantage = 0;
  #peerRate = 1;
  #peerInputDelay = 0;

  constructor(player: number, driver: RollbackDriver<S, I>) {
    const { sim } = driver;
    this.player = player;
    this.#driver = driver;
    this.#sim = sim;
    this.#bits = sim.game.input.bits;
    this.#words = sim.game.input.words;
    this.#framesMax = packetFramesMax(this.#bits);
    this.#inputs = new Int32Array((PACKET_FRAMES_MAX + 1) * this.#words);
  }

  /** Every own frame up to this one has reached the peer. */
  get ackedThrough(): number {
    return this.#ackedThrough;
  }

  /** The peer's simulated frames minus this side's, as far as it had heard. */
  get peerAdvantage(): number {
    return this.#peerAdvantage;
  }

  /** The peer's input delay, as far as its packets show. */
  get peerInputDelay(): number {
    return this.#peerInputDelay;
  }

  /** The share of the game's rate that the peer's machine keeps, 0.5 to 1. */
  get peerRate(): number {
    return this.#peerRate;
  }

  /** Own simulated frames minus the peer's, as far as heard. */
  get advantage(): number {
    return this.#sim.lastFrame() - this.#peerHead;
  }

  /** Writes this tick's packet; `rate` is the share of the game's rate that this machine keeps. The bytes are reused by the next call. */
  encode(nowMs: number, rate: number): Uint8Array {
    const sim = this.#sim;
    const me = this.#driver.me;
    const first = this.#ackedThrough + 1;
    const last = Math.min(sim.confirmedThrough(me), this.#ackedThrough + this.#framesMax);
    this.#readInput(me, first - 1, 0);
    for (let frame = first; frame <= last; frame++) this.#readInput(me, frame, (frame - first + 1) * this.#words);
    for (let frame = Math.max(this.#sentThrough + 1, last - SENT_RING + 1); frame <= last; frame++) {
      this.#sentMs[frame & (SENT_RING - 1)] = nowMs;
    }
    if (last > this.#sentThrough) this.#sentThrough = last;
    const head = this.#out;
    head.epoch = this.epoch % EPOCHS;
    head.lastFrame = last;
    head.count = last - first + 1;
    head.ack = sim.confirmedThrough(this.player);
    head.head = sim.lastFrame();
    head.rate = rate;
    head.holdMs = Number.isNaN(this.#receivedMs)
      ? 255
      : Math.max(0, Math.min(255, Math.round(nowMs - this.#receivedMs)));
    head.confirmed = this.#driver.checker.newest;
    head.chain = this.#driver.checker.chainOf(head.confirmed) ?? 0;
    const length = encodePacket(head, this.#inputs, this.#words, this.#bits, this.#bytes);
    return this.#bytes.subarray(0, length);
  }

  #readInput(player: number, frame: number, at: number): boolean {
    if (frame >= 0) return this.#sim.readInput(player, frame, this.#inputs, at);
    const { neutral } = this.#sim.game.input;
    for (let word = 0; word < this.#words; word++) this.#inputs[at + word] = neutral[word]!;
    return true;
  }

  /** Takes a packet from the peer. Bad ones change nothing. */
  receive(nowMs: number, bytes: Uint8Array): Received {
    if (!isPacket(bytes)) return 'dropped';
    const head = this.#in;
    const known = this.#sim.confirmedThrough(this.player);
    decodeHead(bytes, known, head);
    if (head.epoch !== this.epoch % EPOCHS || head.ack > this.#sentThrough || head.ack < -1) return 'dropped';
    if (head.head < -1 || head.head > known + AHEAD_FRAMES_MAX || head.confirmed < -1 || head.confirmed > head.head)
      return 'dropped';
    const first = head.lastFrame - head.count + 1;
    if (first < 0 || first > known + 1 || head.lastFrame > known + AHEAD_FRAMES_MAX) return 'dropped';
    const taken = this.#takeInputs(bytes, first, head.lastFrame, known);
    if (taken !== 'taken') return taken;
    if (this.#sim.confirmedThrough(this.player) > known) this.#receivedMs = nowMs;
    if (head.head >= this.#peerHead) {
      this.#peerHead = head.head;
      this.#peerRate = head.rate;
      this.#peerInputDelay = Math.max(0, head.lastFrame - head.head);
      // What the peer had heard of this side when it sent: its own input delay is not shared out.
      if (head.ack >= 0) this.#peerAdvantage = head.head - (head.ack - this.#driver.local.inputDelay);
    }
    this.#acknowledge(nowMs, head.ack, head.holdMs);
    if (head.confirmed >= 0) this.#driver.checker.compare(head.confirmed, head.chain);
    return 'taken';
  }

  #takeInputs(bytes: Uint8Array, first: number, last: number, known: number): Received {
    if (!this.#readInput(this.player, first - 1, 0)) return last > known ? 'dropped' : 'taken';
    if (!decodeInputs(bytes, last - first + 1, this.#inputs, this.#words, this.#bits)) return 'dropped';
    try {
      this.#sim.putInputs(this.player, first, last - first + 1, this.#inputs, this.#words);
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return error.code === 'input-conflict' ? 'contradiction' : 'dropped';
    }
    return 'taken';
  }

  /** The peer said by other means that it has every own frame up to this one. */
  acknowledgedThrough(frame: number): void {
    this.#ackedThrough = Math.max(this.#ackedThrough, Math.min(frame, this.#sim.confirmedThrough(this.#driver.me)));
    this.#sentThrough = Math.max(this.#sentThrough, this.#ackedThrough);
  }

  #acknowledge(nowMs: number, ack: number, holdMs: number): void {
    if (ack <= this.#ackedThrough) return;
    this.#ackedThrough = ack;
    const sentMs = this.#sentMs[ack & (SENT_RING - 1)]!;
    if (holdMs === 255 || Number.isNaN(sentMs)) return;
    this.rtt.add(Math.max(0, nowMs - sentMs - holdMs));
  }
}

import type { PeerComparison } from '@riposte/shared';
import { RiposteError, type RollbackSim } from '@riposte/shared';
import {
  decodeHead,
  decodeInputs,
  EPOCHS,
  encodePacket,
  isPacket,
  LEAD_MAX,
  PACKET_FRAMES_MAX,
  type PacketHead,
  packetFramesMax,
  packetHead,
} from '@riposte/shared/protocol';
import type { Mesh } from './mesh.js';
import { PacketBuffer } from './packet-buffer.js';
import type { RollbackDriver } from './rollback-driver.js';
import { RttWindow } from './rtt-window.js';

/** Names a frame that a peer could not have simulated honestly: farther ahead than any window and delay reach. */
const AHEAD_FRAMES_MAX = 1024;

/** What became of a received packet. `contradiction`: the peer changed an input that it had sent before. */
export type Received = 'taken' | 'dropped' | 'contradiction';

/** The packets to and from one remote player: what it has acknowledged, what it was sent, how far away it is. */
export class PeerEndpoint<S, I> {
  readonly player: number;
  /** Takes the peer's chains. */
  comparison: PeerComparison;
  readonly rtt = new RttWindow();
  readonly #sim: RollbackSim<S, I>;
  readonly #driver: RollbackDriver<S, I>;
  readonly #mesh: Mesh<S, I> | undefined;
  /** By seat: no input after this frame is taken. */
  readonly #limits: Int32Array;
  readonly #bits: number;
  readonly #words: number;
  readonly #framesMax: number;
  readonly #out = packetHead();
  readonly #in = packetHead();
  readonly #inputs: Int32Array;
  readonly #packet = new PacketBuffer();
  /** The newest own frame that the peer has acknowledged. */
  #ackedThrough = -1;
  #receivedMs = Number.NaN;
  #peerHead = -1;
  #peerAdvantage = 0;
  #peerRate = 1;
  #peerInputDelay = 0;
  #forwarded = 0;

  /** `limits` has for each seat the last frame of which an input is taken; `mesh` where there are third seats. */
  constructor(
    player: number,
    driver: RollbackDriver<S, I>,
    comparison: PeerComparison,
    limits: Int32Array,
    mesh?: Mesh<S, I>,
  ) {
    const { sim } = driver;
    this.player = player;
    this.#driver = driver;
    this.comparison = comparison;
    this.#limits = limits;
    this.#mesh = mesh;
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

  /** The newest frame that the peer is known to have simulated. */
  get head(): number {
    return this.#peerHead;
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

  /** The seats whose inputs the last packet that was taken had, beside the peer's own: a bit set. */
  get forwarded(): number {
    return this.#forwarded;
  }

  /** Own simulated frames minus the peer's, as far as heard. */
  get advantage(): number {
    return this.#sim.lastFrame() - this.#peerHead;
  }

  /** Writes this tick's packet; `rate` is the share of the game's rate that this machine keeps. The bytes are reused by the next call. */
  encode(nowMs: number, rate: number, epoch: number): Uint8Array {
    const sim = this.#sim;
    const me = this.#driver.me;
    const first = this.#ackedThrough + 1;
    const newest = Math.max(this.#ackedThrough, Math.min(sim.heldThrough(me), this.#ackedThrough + this.#framesMax));
    // Whose seat is not there has no input to send: what it sent before, others may hold otherwise. And what a player who
    // returns lacks may be kept no longer: it has to be told the match again.
    // Who was let in far ahead of its last frame has none to send either, and a packet cannot say how far.
    const sends =
      !this.#driver.local.isOutside &&
      newest - sim.lastFrame() <= LEAD_MAX &&
      sim.readInput(me, first - 1, this.#inputs, 0, newest - first + 2);
    const last = sends ? newest : sim.lastFrame();
    const count = sends ? newest - first + 1 : 0;
    if (count > 0) this.rtt.sent(nowMs, last);
    const head = this.#out;
    head.epoch = epoch % EPOCHS;
    head.lastFrame = last;
    head.count = count;
    head.ack = sim.heldThrough(this.player);
    head.head = sim.lastFrame();
    head.rate = rate;
    head.holdMs = Number.isNaN(this.#receivedMs)
      ? 255
      : Math.max(0, Math.min(255, Math.round(nowMs - this.#receivedMs)));
    this.#driver.checker.tell(head);
    const { bytes } = this.#packet;
    const end = encodePacket(head, this.#inputs, this.#words, this.#bits, bytes);
    return this.#packet.first(this.#mesh?.write(this.player, head, bytes, end) ?? end);
  }

  /** Takes a packet from the peer. Bad ones change nothing. */
  receive(nowMs: number, bytes: Uint8Array, epoch: number): Received {
    if (!isPacket(bytes)) return 'dropped';
    const head = this.#in;
    const sim = this.#sim;
    const known = sim.heldThrough(this.player);
    // Where the two stand: the newest input held of the peer, or, where it has none to send, this side's own frame.
    const near = this.#mesh === undefined ? known : Math.max(known, sim.lastFrame());
    const at = decodeHead(bytes, near, head);
    if (head.epoch !== epoch % EPOCHS || head.ack < -1) return 'dropped';
    // Whose seat is not in the match has sent nothing: what the others hold is of before.
    const { isOutside } = this.#driver.local;
    if (head.ack > this.#tellableThrough() && !isOutside) return 'dropped';
    if (head.head < -1 || head.head > near + AHEAD_FRAMES_MAX || head.confirmed < -1 || head.confirmed > head.head)
      return 'dropped';
    const taken = this.#takeInputs(bytes, at, head, known);
    if (taken !== 'taken') return taken;
    if (sim.heldThrough(this.player) > known) this.#receivedMs = nowMs;
    if (head.head >= this.#peerHead) {
      this.#peerHead = head.head;
      this.#peerRate = head.rate;
      this.#peerInputDelay = Math.max(0, head.lastFrame - head.head);
      // What the peer had heard of this side when it sent: its own input delay is not shared out.
      if (head.ack >= 0 && !isOutside) this.#peerAdvantage = head.head - (head.ack - this.#driver.local.inputDelay);
    }
    if (!isOutside) this.#acknowledge(nowMs, head.ack, head.holdMs);
    if (head.confirmed >= 0) this.comparison.compare(head);
    return 'taken';
  }

  /** The newest own frame that the peer can have: others may have passed on what it was not sent itself. */
  #tellableThrough(): number {
    return this.#mesh === undefined ? this.rtt.sentThrough : this.#sim.heldThrough(this.#driver.me);
  }

  #takeInputs(bytes: Uint8Array, at: number, head: PacketHead, known: number): Received {
    const first = head.lastFrame - head.count + 1;
    if (head.count > 0 && (first < 0 || first > known + 1 || head.lastFrame > known + AHEAD_FRAMES_MAX)) {
      return 'dropped';
    }
    // Only what is known already may follow an input that is no longer kept.
    const follows = head.count === 0 || this.#sim.readInput(this.player, first - 1, this.#inputs, 0);
    if (!follows && head.lastFrame > known) return 'dropped';
    const end = decodeInputs(bytes, at, head.count, this.#inputs, this.#words, this.#bits);
    if (end < 0) return 'dropped';
    const isWhole = this.#mesh?.isWhole(this.player, bytes, end) ?? end === bytes.length;
    if (!isWhole) return 'dropped';
    const last = Math.min(head.lastFrame, this.#limits[this.player]!, this.#driver.takenThrough);
    // What lies before the state that this side was told is settled in it.
    const from = Math.max(first, this.#driver.firstFrame);
    if (follows && last >= from) {
      const put = this.#put(from, last - from + 1, from - first + 1);
      if (put !== 'taken') return put;
    }
    this.#mesh?.heardAck(this.player, head.ack);
    this.#forwarded = this.#mesh?.read(this.player, head, bytes, end) ?? 0;
    return 'taken';
  }

  /** `skipped`: inputs of the packet, with the one before its first, that are not put. */
  #put(first: number, count: number, skipped: number): Received {
    try {
      this.#sim.putInputs(this.player, first, count, this.#inputs, skipped * this.#words);
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return error.code === 'input-conflict' ? 'contradiction' : 'dropped';
    }
    return 'taken';
  }

  /** The peer said by other means that it has every own frame up to this one. */
  acknowledgedThrough(frame: number): void {
    this.#ackedThrough = Math.max(this.#ackedThrough, Math.min(frame, this.#sim.heldThrough(this.#driver.me)));
    this.rtt.sent(Number.NaN, this.#ackedThrough);
  }

  #acknowledge(nowMs: number, ack: number, holdMs: number): void {
    if (ack <= this.#ackedThrough) return;
    this.#ackedThrough = ack;
    if (ack > this.rtt.sentThrough) this.rtt.sent(Number.NaN, ack);
    else if (holdMs !== 255) this.rtt.answered(nowMs, ack, holdMs);
  }
}

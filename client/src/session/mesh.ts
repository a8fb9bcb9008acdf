import { RiposteError, type RollbackSim } from '@riposte/shared';
import {
  decodeForwarded,
  decodeForwardedHead,
  decodeSeatNews,
  encodeForwarded,
  encodeSeatNews,
  type Forwarded,
  forwardedFramesMax,
  PACKET_BYTES_MAX,
  PACKET_FRAMES_MAX,
  type PacketHead,
  SEAT_NEWS_BYTES,
  type SeatNews,
} from '@riposte/shared/protocol';
import type { RollbackDriver } from './rollback-driver.js';

const NOBODY = -1;

/**
 * What the packets of a match of more than two say of third seats: who has whose inputs, who cannot hear whom, and the
 * inputs that one player passes on to another who does not hear their owner.
 */
export class Mesh<S, I> {
  readonly #driver: RollbackDriver<S, I>;
  readonly #sim: RollbackSim<S, I>;
  readonly #me: number;
  readonly #players: number;
  readonly #words: number;
  readonly #bits: number;
  /** By who has and whose: the newest frame, as last told. */
  readonly #has: Int32Array;
  /** By who asks and for whose. */
  readonly #asks: Uint8Array;
  /** By seat: who is asked for its inputs. */
  readonly #askedOf: Int8Array;
  /** By seat: no input after this frame is taken. */
  readonly #limits: Int32Array;
  readonly #firstFrame: number;
  readonly #news: SeatNews = { have: -1, asks: false, hasYours: -1 };
  readonly #block: Forwarded = { seat: 0, lastFrame: -1, count: 0 };
  readonly #inputs: Int32Array;

  constructor(driver: RollbackDriver<S, I>, limits: Int32Array) {
    const { sim, me, firstFrame } = driver;
    this.#driver = driver;
    this.#sim = sim;
    this.#firstFrame = firstFrame;
    this.#me = me;
    this.#players = sim.players;
    this.#words = sim.game.input.words;
    this.#bits = sim.game.input.bits;
    this.#limits = limits;
    this.#has = new Int32Array(sim.players * sim.players).fill(-1);
    this.#asks = new Uint8Array(sim.players * sim.players);
    this.#askedOf = new Int8Array(sim.players).fill(NOBODY);
    this.#inputs = new Int32Array((PACKET_FRAMES_MAX + 1) * this.#words);
  }

  /** Decides, once a tick, whom to ask for a seat that is not heard itself: of those heard, who has most of it. */
  ask(seat: number, isSilent: boolean, isHeard: (player: number) => boolean): void {
    this.#askedOf[seat] = NOBODY;
    if (!isSilent) return;
    let most = this.#sim.heldThrough(seat);
    for (let player = 0; player < this.#players; player++) {
      const has = this.#has[player * this.#players + seat]!;
      if (player === seat || player === this.#me || has <= most || !isHeard(player)) continue;
      most = has;
      this.#askedOf[seat] = player;
    }
  }

  /** The newest of this side's inputs that `player` has, as others tell. */
  hasOurs(player: number): number {
    return this.#has[player * this.#players + this.#me]!;
  }

  /** `player` lost what it had: what was told of it is of no use. */
  forget(player: number): void {
    for (let seat = 0; seat < this.#players; seat++) {
      this.#has[player * this.#players + seat] = -1;
      this.#asks[player * this.#players + seat] = 0;
    }
  }

  /** `player` has this side's inputs up to here, as it said itself. */
  heardAck(player: number, frame: number): void {
    this.#has[player * this.#players + this.#me] = frame;
  }

  /** Writes behind a packet to `to` what there is to say of the others. Returns where it ends. */
  write(to: number, head: PacketHead, into: Uint8Array, at: number): number {
    const news = this.#news;
    let end = at;
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat === to || seat === this.#me) continue;
      news.have = this.#sim.heldThrough(seat);
      news.asks = this.#askedOf[seat] === to;
      news.hasYours = this.#has[seat * this.#players + to]!;
      encodeSeatNews(news, head.head, head.ack, into, end);
      end += SEAT_NEWS_BYTES;
    }
    for (let seat = 0; seat < this.#players; seat++) {
      if (this.#asks[to * this.#players + seat] !== 0 && seat !== this.#me) end = this.#forward(seat, to, into, end);
    }
    return end;
  }

  #forward(seat: number, to: number, into: Uint8Array, at: number): number {
    const first = this.#has[to * this.#players + seat]! + 1;
    const room = forwardedFramesMax(PACKET_BYTES_MAX - at, this.#bits);
    let last = Math.min(this.#sim.heldThrough(seat), first + room - 1);
    // Who does not know that the seat was not there must not take nothing for its input.
    for (let frame = Math.max(0, first); frame <= last; frame++) {
      if (this.#sim.isGone(seat, frame)) last = frame - 1;
    }
    if (first < 0 || last < first) return at;
    if (!this.#sim.readInput(seat, first - 1, this.#inputs, 0, last - first + 2)) return at;
    const block = this.#block;
    block.seat = seat;
    block.lastFrame = last;
    block.count = last - first + 1;
    return encodeForwarded(block, this.#inputs, this.#words, this.#bits, into, at);
  }

  /** Whether the bytes behind the inputs of a packet of `from` are what such a packet says of third seats. */
  isWhole(from: number, bytes: Uint8Array, at: number): boolean {
    let end = at + (this.#players - 2) * SEAT_NEWS_BYTES;
    if (end > bytes.length) return false;
    while (end < bytes.length) {
      const { seat, count } = this.#blockAt(bytes, end);
      if (seat >= this.#players || seat === this.#me || seat === from || count === 0) return false;
      end = decodeForwarded(bytes, end, count, this.#inputs, this.#words, this.#bits);
      if (end < 0) return false;
    }
    return true;
  }

  #blockAt(bytes: Uint8Array, at: number): Forwarded {
    if (!decodeForwardedHead(bytes, at, this.#sim.lastFrame(), this.#block)) this.#block.count = 0;
    return this.#block;
  }

  /** Reads what a packet of `from`, which is whole, says of third seats. Returns the set of those of which it has news: one bit each. */
  read(from: number, head: PacketHead, bytes: Uint8Array, at: number): number {
    let end = at;
    for (let seat = 0; seat < this.#players; seat++) {
      if (seat === from || seat === this.#me) continue;
      decodeSeatNews(bytes, end, head.head, head.ack, this.#news);
      end += SEAT_NEWS_BYTES;
      this.#has[from * this.#players + seat] = this.#news.have;
      this.#asks[from * this.#players + seat] = this.#news.asks ? 1 : 0;
      const ours = seat * this.#players + this.#me;
      if (this.#news.hasYours > this.#has[ours]!) this.#has[ours] = this.#news.hasYours;
    }
    let taken = 0;
    while (end < bytes.length) {
      const { seat, lastFrame, count } = this.#blockAt(bytes, end);
      const first = lastFrame - count + 1;
      const known = this.#sim.heldThrough(seat);
      const follows = first >= 0 && first <= known + 1 && this.#sim.readInput(seat, first - 1, this.#inputs, 0);
      end = decodeForwarded(bytes, end, count, this.#inputs, this.#words, this.#bits);
      const last = Math.min(lastFrame, this.#limits[seat]!, this.#driver.takenThrough);
      // Only what was asked for: nobody speaks for a seat that is heard itself.
      if (!follows || last <= known || this.#askedOf[seat] !== from) continue;
      const start = Math.max(first, this.#firstFrame);
      if (this.#put(seat, start, last - start + 1, start - first + 1)) taken |= 1 << seat;
    }
    return taken;
  }

  #put(seat: number, first: number, count: number, skipped: number): boolean {
    try {
      this.#sim.putInputs(seat, first, count, this.#inputs, skipped * this.#words);
      return true;
    } catch (error) {
      if (!(error instanceof RiposteError)) throw error;
      return false;
    }
  }
}

import type { Luck } from './luck.js';
import type { LinkPlan, Span } from './scenario.js';

/** What a datagram and its association cost around a payload: IP, UDP, DTLS and SCTP. */
const OVERHEAD_BYTES = 78;
/** Retransmission of the reliable lane: the first wait, doubled up to the longest (RFC 4960 allows up to a minute). */
const RETRANSMIT_MS = 200;
const RETRANSMIT_MS_MAX = 1000;
const RETRANSMISSIONS_MAX = 100;

/** Why a packet did not arrive. */
export type Loss = 'lost' | 'lost in a burst' | 'partition' | 'clogged';

/** One direction of the simulated network: says when, and whether, what is sent now arrives. */
export class Link {
  readonly plan: LinkPlan;
  /** Why the last packet was lost; undefined when it was not. */
  loss: Loss | undefined;
  readonly #healMs: number;
  readonly #luck: Luck;
  #inBurst = false;
  #freeMs = 0;
  #reliableMs = 0;

  constructor(plan: LinkPlan, healMs: number, luck: Luck) {
    this.plan = plan;
    this.#healMs = healMs;
    this.#luck = luck;
  }

  /** When an unreliable packet of so many bytes arrives; NaN when it never does, and then `loss` says why. */
  arrivalMs(nowMs: number, bytes: number): number {
    this.loss = this.#lossAt(nowMs);
    if (this.loss !== undefined) return Number.NaN;
    const leftMs = this.#leavesMs(nowMs, bytes);
    if (Number.isNaN(leftMs)) {
      this.loss = 'clogged';
      return Number.NaN;
    }
    return leftMs + this.#transitMs(nowMs);
  }

  /** When a second copy of the packet sent now arrives; NaN when there is none. */
  duplicateMs(nowMs: number): number {
    if (!this.#luck.chance(this.#weather(nowMs).duplicateRate)) return Number.NaN;
    return nowMs + this.#transitMs(nowMs);
  }

  /** When a message of the reliable lane arrives: late by its retransmissions, never before the one sent before it. */
  reliableArrivalMs(nowMs: number): number {
    let atMs = nowMs;
    let waitMs = RETRANSMIT_MS;
    for (let sent = 0; this.#lossAt(atMs) !== undefined && sent < RETRANSMISSIONS_MAX; sent++) {
      atMs += waitMs;
      waitMs = Math.min(waitMs * 2, RETRANSMIT_MS_MAX);
    }
    this.#reliableMs = Math.max(this.#reliableMs, atMs + this.#transitMs(atMs));
    return this.#reliableMs;
  }

  #weather(nowMs: number): LinkPlan['rough'] {
    return nowMs < this.#healMs ? this.plan.rough : this.plan.calm;
  }

  #lossAt(nowMs: number): Loss | undefined {
    if (spanAt(this.plan.partitions, nowMs) !== undefined) return 'partition';
    const { bursts, lossRate } = this.#weather(nowMs);
    if (bursts !== undefined) {
      if (this.#luck.chance(this.#inBurst ? bursts.end : bursts.begin)) this.#inBurst = !this.#inBurst;
      if (this.#inBurst && this.#luck.chance(bursts.lossRate)) return 'lost in a burst';
    }
    return lossRate > 0 && this.#luck.chance(lossRate) ? 'lost' : undefined;
  }

  /** When the last byte is on the wire: later than now where the link is clogged; NaN when its queue is full. */
  #leavesMs(nowMs: number, bytes: number): number {
    const clog = spanAt(this.plan.clogs, nowMs);
    if (clog === undefined) return nowMs;
    const startMs = Math.max(nowMs, this.#freeMs);
    if (startMs - nowMs > clog.queueMs) return Number.NaN;
    this.#freeMs = startMs + ((bytes + OVERHEAD_BYTES) * 1000) / clog.bytesPerSecond;
    return this.#freeMs;
  }

  #transitMs(nowMs: number): number {
    const { delayMs, jitterMs, straggleRate, straggleMs } = this.#weather(nowMs);
    let ms = delayMs + jitterMs * this.#luck.unit();
    if (straggleRate > 0 && this.#luck.chance(straggleRate)) ms += straggleMs * this.#luck.unit();
    return ms;
  }
}

/** The span that covers a moment. */
export function spanAt<S extends Span>(spans: readonly S[], atMs: number): S | undefined {
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index]!;
    if (atMs >= span.fromMs && atMs < span.toMs) return span;
  }
  return undefined;
}

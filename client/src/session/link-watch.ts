/** Silence after which the other player counts as interrupted: twice the longest gap that a busy network makes. */
const INTERRUPTED_MS = 550;
/** How long a match of two waits for a lost link, or a reloaded page, to come back. */
export const RESUME_MS = 30_000;
/** How long a match of more waits: those who are left play on without a seat that stays silent. */
export const SEAT_LOST_MS = 5000;
/** A hello that stays unanswered for so long is a peer that cannot be reached. */
const HANDSHAKE_MS = 10_000;
/** A longer gap between two calls was this machine's own sleep, not the peer's silence. */
const OWN_SLEEP_MS = 400;

export type LinkState = 'heard' | 'interrupted' | 'lost';

/** Watches for the other player's silence. */
export class LinkWatch {
  #heardMs: number;
  #polledMs: number;
  #isDown = false;
  readonly #lostMs: number;

  constructor(nowMs: number, lostMs = HANDSHAKE_MS) {
    this.#heardMs = nowMs;
    this.#polledMs = nowMs;
    this.#lostMs = lostMs;
  }

  heard(nowMs: number): void {
    this.#heardMs = nowMs;
    this.#isDown = false;
  }

  /** The connection closed: that is no silence that may end by itself. */
  closed(): void {
    this.#isDown = true;
  }

  /** How the link stands; called in every frame of the page. */
  poll(nowMs: number): LinkState {
    // After this machine's own sleep the peer's packets still wait to be read: its silence begins now.
    if (nowMs - this.#polledMs > OWN_SLEEP_MS && !this.#isDown) this.#heardMs = nowMs;
    this.#polledMs = nowMs;
    const silentMs = this.silentMs(nowMs);
    if (silentMs > this.#lostMs) return 'lost';
    return this.#isDown || silentMs > INTERRUPTED_MS ? 'interrupted' : 'heard';
  }

  silentMs(nowMs: number): number {
    return nowMs - this.#heardMs;
  }

  /** Milliseconds until the player is given up. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#heardMs + this.#lostMs - nowMs);
  }
}

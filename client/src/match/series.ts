import { parseControl } from '@riposte/shared/protocol';
import { Session } from '../session/session.js';
import type { SessionEvent, SessionOptions } from '../session/session-types.js';
import { isStateChunk } from '../session/state-transfer.js';
import type { Channel } from '../transport/transport.js';

/** What a series tells, beside what its match does. */
export type SeriesEvent =
  | SessionEvent
  /** A player of the match that is over wants another one. */
  | { readonly type: 'rematch'; readonly player: number }
  /** All want it: the next match is met for, with other player numbers. */
  | { readonly type: 'syncing' }
  /** There can be no further match, for this reason. */
  | { readonly type: 'closed'; readonly message: string };

export interface SeriesOptions<S, I> {
  /** This side's player number in the first match. */
  readonly seat: number;
  readonly seats: number;
  /** Matches of these seats before this one. */
  readonly rematches: number;
  /** How the match after so many others is played; `me` and `epochs` are the series' affair. */
  session(rematches: number): Omit<SessionOptions<S, I>, 'me' | 'players' | 'epochs'>;
}

export interface SeriesOutput {
  send(seat: number, channel: Channel, bytes: Uint8Array): void;
  event(event: SeriesEvent): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Matches one after the other between the same seats over the same connections, sans I/O as its sessions are. With each
 * match the player numbers move on by one, so that two change sides. The next one begins on each side when it has asked
 * for it and has heard so from all others.
 */
export class Series<S, I> {
  readonly #options: SeriesOptions<S, I>;
  readonly #output: SeriesOutput;
  #rematches: number;
  #session: Session<S, I>;
  #isFinished = false;
  #isClosed = false;
  #hasAsked = false;
  /** By seat, of those who have asked for the next match: the epoch that their packets of before did not pass. */
  readonly #asked = new Map<number, number>();
  readonly #connected = new Set<number>();

  constructor(options: SeriesOptions<S, I>, output: SeriesOutput) {
    this.#options = options;
    this.#output = output;
    this.#rematches = options.rematches;
    this.#session = this.#begin();
  }

  /** The match that is played, or was the last. */
  get session(): Session<S, I> {
    return this.#session;
  }

  get rematches(): number {
    return this.#rematches;
  }

  get me(): number {
    return this.playerOf(this.#options.seat);
  }

  /** The seat's number in this match. */
  playerOf(seat: number): number {
    return (seat + this.#rematches) % this.#options.seats;
  }

  seatOf(player: number): number {
    const { seats } = this.#options;
    return (player + seats - (this.#rematches % seats)) % seats;
  }

  /** The players who want another match; null while, or once, there can be none. */
  get wanted(): readonly number[] | null {
    if (!this.#canFollow) return null;
    const seats = this.#hasAsked ? [this.#options.seat, ...this.#asked.keys()] : [...this.#asked.keys()];
    return seats.map((seat) => this.playerOf(seat)).sort((a, b) => a - b);
  }

  get #canFollow(): boolean {
    return this.#isFinished && !this.#isClosed && this.#connected.size === this.#options.seats - 1;
  }

  #begin(epochs?: readonly number[]): Session<S, I> {
    const { seats } = this.#options;
    return new Session(
      { ...this.#options.session(this.#rematches), me: this.me, players: seats, epochs },
      {
        send: (player, channel, bytes) => this.#output.send(this.seatOf(player), channel, bytes),
        event: (event) => this.#handleEvent(event),
      },
    );
  }

  #handleEvent(event: SessionEvent): void {
    if (event.type === 'ended') {
      const session = this.#session;
      this.#isFinished = event.cause === 'finished';
      this.#output.event(event);
      // Whoever was told may have begun the next match.
      if (session !== this.#session) return;
      if (!this.#isFinished) this.close(event.message);
      else if (!this.#canFollow) this.close('Not all players are there any more.');
      else for (const seat of this.#asked.keys()) this.#tellAsked(seat);
      return;
    }
    this.#output.event(event);
  }

  open(nowMs: number, seat: number): void {
    if (this.#isClosed) return;
    this.#connected.add(seat);
    this.#session.open(nowMs, this.playerOf(seat));
  }

  receive(nowMs: number, seat: number, channel: Channel, bytes: Uint8Array): void {
    if (channel === 'reliable') {
      // Who has asked speaks of the next match already; what counts of it is said again.
      if (this.#takeRequest(nowMs, seat, bytes) || this.#asked.has(seat)) return;
    }
    this.#session.receive(nowMs, this.playerOf(seat), channel, bytes);
  }

  #takeRequest(nowMs: number, seat: number, bytes: Uint8Array): boolean {
    if (isStateChunk(bytes)) return false;
    const message = parseControl(decoder.decode(bytes));
    if (message?.type !== 'rematch') return false;
    // One that is early waits for this side's own end.
    if (this.#session.running === undefined || this.#isClosed || this.#asked.has(seat)) return true;
    this.#asked.set(seat, message.epoch);
    if (this.#isFinished) this.#tellAsked(seat);
    this.#beginWhenAllAsked(nowMs);
    return true;
  }

  #tellAsked(seat: number): void {
    this.#output.event({ type: 'rematch', player: this.playerOf(seat) });
  }

  /** Asks all others for another match. False where there can be none. */
  ask(nowMs: number): boolean {
    if (!this.#canFollow) return false;
    if (this.#hasAsked) return true;
    this.#hasAsked = true;
    for (const seat of this.#connected) {
      const epoch = this.#session.epochOf(this.playerOf(seat));
      this.#output.send(seat, 'reliable', encoder.encode(JSON.stringify({ type: 'rematch', epoch })));
    }
    this.#beginWhenAllAsked(nowMs);
    return true;
  }

  #beginWhenAllAsked(nowMs: number): void {
    if (!this.#canFollow || !this.#hasAsked || this.#asked.size < this.#options.seats - 1) return;
    const { seats, seat: own } = this.#options;
    const epochs: number[] = [];
    for (let seat = 0; seat < seats; seat++) {
      if (seat === own) continue;
      const newest = Math.max(this.#session.epochOf(this.playerOf(seat)), this.#asked.get(seat) ?? 0);
      epochs[(this.playerOf(seat) + 1) % seats] = newest + 1;
    }
    this.#rematches++;
    this.#isFinished = false;
    this.#hasAsked = false;
    this.#asked.clear();
    this.#session = this.#begin(epochs);
    this.#output.event({ type: 'syncing' });
    for (const seat of this.#connected) this.#session.open(nowMs, this.playerOf(seat));
  }

  closed(seat: number, message: string): void {
    this.#connected.delete(seat);
    this.#session.closed(this.playerOf(seat), message);
    if (this.#isFinished) this.close('Another player left.');
  }

  /** No further match will be played here. */
  close(message: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#output.event({ type: 'closed', message });
  }
}

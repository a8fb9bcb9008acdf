import type { Rate, RateLimits } from './config.js';

/** `cut`: so far beyond the limit that it is no longer haste, the connection should go. */
export type MessageVerdict = 'pass' | 'refuse' | 'cut';

/** Room lists of one connection: each costs a look through the rooms and some kilobytes. */
const LISTS_PER_SOCKET: Rate = { points: 10, seconds: 10 };

/** A connection that asks this many times its allowance is a flood. */
const FLOOD_FACTOR = 3;

const EVERYBODY = 'all';

/** Allowances per connection and per address. An address is an `addressKey`. */
export class Limits {
  readonly #messagesPerSocket: Windows;
  readonly #messagesPerAddress: Windows;
  readonly #listsPerSocket: Windows;
  readonly #joinsPerAddress: Windows;
  readonly #failedJoinsPerAddress: Windows;
  readonly #failedJoinsGlobal: Windows;
  readonly #resumesPerAddress: Windows;
  readonly #resumesPerSeat: Windows;
  readonly #pairingsPerPair: Windows;
  readonly #iceServersPerSeat: Windows;

  /** @param now milliseconds, any origin. */
  constructor(rates: RateLimits, now: () => number = () => performance.now()) {
    this.#messagesPerSocket = new Windows(rates.messagesPerSocket, now);
    this.#messagesPerAddress = new Windows(rates.messagesPerAddress, now);
    this.#listsPerSocket = new Windows(LISTS_PER_SOCKET, now);
    this.#joinsPerAddress = new Windows(rates.joinsPerAddress, now);
    this.#failedJoinsPerAddress = new Windows(rates.failedJoinsPerAddress, now);
    this.#failedJoinsGlobal = new Windows(rates.failedJoinsGlobal, now);
    this.#resumesPerAddress = new Windows(rates.resumesPerAddress, now);
    this.#resumesPerSeat = new Windows(rates.resumesPerSeat, now);
    this.#pairingsPerPair = new Windows(rates.pairingsPerPair, now);
    this.#iceServersPerSeat = new Windows(rates.iceServersPerSeat, now);
  }

  /** Counts one message. */
  message(socketId: string, address: string): MessageVerdict {
    const own = this.#messagesPerSocket.spend(socketId);
    if (own > 1) return own > FLOOD_FACTOR ? 'cut' : 'refuse';
    return this.#messagesPerAddress.spend(address) > 1 ? 'refuse' : 'pass';
  }

  /** Counts one list of rooms. */
  admitList(socketId: string): boolean {
    return this.#listsPerSocket.admit(socketId);
  }

  /**
   * Counts one attempt to get a seat and says whether it may go on. When guessers have used up what all addresses
   * together may fail, only addresses without a failed join of their own may go on: a guesser must not lock out people
   * who follow a link.
   */
  admitJoin(address: string): boolean {
    if (!this.#joinsPerAddress.admit(address)) return false;
    const own = this.#failedJoinsPerAddress.spent(address);
    return own < 1 && (own === 0 || this.#failedJoinsGlobal.spent(EVERYBODY) < 1);
  }

  /** Counts a join whose code opened nothing. */
  failedJoin(address: string): void {
    this.#failedJoinsPerAddress.spend(address);
    this.#failedJoinsGlobal.spend(EVERYBODY);
  }

  /** Counts one attempt to take a seat back, right or wrong. */
  admitResume(address: string): boolean {
    return this.#resumesPerAddress.admit(address);
  }

  /** Counts one attempt by the seat's rightful owner: only of these is another player told. */
  admitResumeOf(seat: string): boolean {
    return this.#resumesPerSeat.admit(seat);
  }

  /** Counts one request for a new pairing of the same two. */
  admitPairing(pair: string): boolean {
    return this.#pairingsPerPair.admit(pair);
  }

  /** Counts one request for fresh ICE servers. */
  admitIceServers(seat: string): boolean {
    return this.#iceServersPerSeat.admit(seat);
  }
}

/** Open connections, in all and by address. */
export class ConnectionCounter {
  readonly #totalMax: number;
  readonly #perAddressMax: number;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(totalMax: number, perAddressMax: number) {
    this.#totalMax = totalMax;
    this.#perAddressMax = perAddressMax;
  }

  get total(): number {
    return this.#total;
  }

  opened(address: string): void {
    this.#total++;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
  }

  closed(address: string): void {
    this.#total--;
    const left = (this.#byAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }

  /** Whether more than the allowed number, plus `slack`, are open; the asking connection is counted. */
  isOver(address: string, slack: number): boolean {
    return this.#total > this.#totalMax + slack || (this.#byAddress.get(address) ?? 0) > this.#perAddressMax + slack;
  }
}

/**
 * Counts by key in windows of time that all keys share. They are asked with each message: a promise and a timer for each key
 * would cost more than what they guard.
 */
class Windows {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #endsAt = 0;

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Counts one and says whether it is within the allowance. */
  admit(key: string): boolean {
    return this.spend(key) <= 1;
  }

  /** Counts one; gives how much of the allowance of this window is spent, over 1 when it is more than that. */
  spend(key: string): number {
    this.#turn();
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count / this.#rate.points;
  }

  /** How much of the allowance of this window is spent. */
  spent(key: string): number {
    this.#turn();
    return (this.#counts.get(key) ?? 0) / this.#rate.points;
  }

  /** Begins a new window when it is time. */
  #turn(): void {
    const now = this.#now();
    if (now < this.#endsAt) return;
    this.#counts.clear();
    this.#endsAt = now + this.#rate.seconds * 1000;
  }
}

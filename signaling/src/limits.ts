import type { Rate, RateLimits } from './config.js';

/** `cut`: so far beyond the limit that it is no longer haste, the connection should go. */
export type MessageVerdict = 'pass' | 'refuse' | 'cut';

/** Room lists of one connection: each costs a look through the rooms and some kilobytes. */
const LISTS_PER_SOCKET: Rate = { points: 10, seconds: 10 };

/** A connection that asks this many times its allowance is a flood. */
const FLOOD_FACTOR = 3;

const EVERYBODY = 'all';

/** What each connection, address and seat may do in a window of time. An address is an `addressKey`. */
export class Limits {
  readonly #now: () => number;
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
    this.#now = now;
    this.#messagesPerSocket = new Windows(rates.messagesPerSocket);
    this.#messagesPerAddress = new Windows(rates.messagesPerAddress);
    this.#listsPerSocket = new Windows(LISTS_PER_SOCKET);
    this.#joinsPerAddress = new Windows(rates.joinsPerAddress);
    this.#failedJoinsPerAddress = new Windows(rates.failedJoinsPerAddress);
    this.#failedJoinsGlobal = new Windows(rates.failedJoinsGlobal);
    this.#resumesPerAddress = new Windows(rates.resumesPerAddress);
    this.#resumesPerSeat = new Windows(rates.resumesPerSeat);
    this.#pairingsPerPair = new Windows(rates.pairingsPerPair);
    this.#iceServersPerSeat = new Windows(rates.iceServersPerSeat);
  }

  /** Counts one message. */
  message(socketId: string, address: string): MessageVerdict {
    const now = this.#now();
    const own = this.#messagesPerSocket.spend(socketId, now);
    if (own > 1) return own > FLOOD_FACTOR ? 'cut' : 'refuse';
    return this.#messagesPerAddress.spend(address, now) > 1 ? 'refuse' : 'pass';
  }

  /** Counts one list of rooms. */
  admitList(socketId: string): boolean {
    return this.#listsPerSocket.spend(socketId, this.#now()) <= 1;
  }

  /**
   * Counts one attempt to get a seat and says whether it may go on. When guessers have used up what all addresses
   * together may fail, only addresses without a failed join of their own may go on: a guesser must not lock out people
   * who follow a link.
   */
  admitJoin(address: string): boolean {
    const now = this.#now();
    if (this.#joinsPerAddress.spend(address, now) > 1) return false;
    const own = this.#failedJoinsPerAddress.spent(address, now);
    return own === 0 || (own < 1 && this.#failedJoinsGlobal.spent(EVERYBODY, now) < 1);
  }

  /** Counts a join whose code opened nothing. */
  failedJoin(address: string): void {
    const now = this.#now();
    this.#failedJoinsPerAddress.spend(address, now);
    this.#failedJoinsGlobal.spend(EVERYBODY, now);
  }

  /** Counts one attempt to take a seat back, right or wrong. */
  admitResume(address: string): boolean {
    return this.#resumesPerAddress.spend(address, this.#now()) <= 1;
  }

  /** Counts one attempt by the seat's rightful owner: only of these is another player told. */
  admitResumeOf(seat: string): boolean {
    return this.#resumesPerSeat.spend(seat, this.#now()) <= 1;
  }

  /** Counts one request for a new pairing of the same two. */
  admitPairing(pair: string): boolean {
    return this.#pairingsPerPair.spend(pair, this.#now()) <= 1;
  }

  /** Counts one request for fresh ICE servers. */
  admitIceServers(seat: string): boolean {
    return this.#iceServersPerSeat.spend(seat, this.#now()) <= 1;
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

/** Counts by key in windows of time that all keys share: a timer for each key would be most of the work. */
class Windows {
  readonly #rate: Rate;
  readonly #counts = new Map<string, number>();
  #endsAt = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /**
   * Counts one; gives how much of the allowance of this window is spent, over 1 when it is more than that.
   *
   * @param now milliseconds, any origin.
   */
  spend(key: string, now: number): number {
    if (now >= this.#endsAt) {
      this.#counts.clear();
      this.#endsAt = now + this.#rate.seconds * 1000;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count / this.#rate.points;
  }

  /** How much of the allowance of this window is spent. */
  spent(key: string, now: number): number {
    return now >= this.#endsAt ? 0 : (this.#counts.get(key) ?? 0) / this.#rate.points;
  }
}

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate, RateLimits } from './config.js';

/** `cut`: so far beyond the limit that it is no longer haste, the connection should go. */
export type MessageVerdict = 'pass' | 'refuse' | 'cut';

/** Room lists of one connection: each costs a look through the rooms and some kilobytes. */
const LISTS_PER_SOCKET: Rate = { points: 10, seconds: 10 };

/** A connection that asks this many times its allowance is a flood. */
const FLOOD_FACTOR = 3;

const EVERYBODY = 'all';

/** Token buckets per connection and per address. An address is an `addressKey`. */
export class Limits {
  readonly #now: () => number;
  readonly #messagesPerSocket: Windows;
  readonly #messagesPerAddress: Windows;
  readonly #listsPerSocket: RateLimiterMemory;
  readonly #joinsPerAddress: RateLimiterMemory;
  readonly #failedJoinsPerAddress: RateLimiterMemory;
  readonly #failedJoinsGlobal: RateLimiterMemory;
  readonly #resumesPerAddress: RateLimiterMemory;
  readonly #resumesPerSeat: RateLimiterMemory;
  readonly #pairingsPerPair: RateLimiterMemory;
  readonly #iceServersPerSeat: RateLimiterMemory;

  /** @param now milliseconds, any origin. */
  constructor(rates: RateLimits, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#messagesPerSocket = new Windows(rates.messagesPerSocket);
    this.#messagesPerAddress = new Windows(rates.messagesPerAddress);
    this.#listsPerSocket = bucket(LISTS_PER_SOCKET);
    this.#joinsPerAddress = bucket(rates.joinsPerAddress);
    this.#failedJoinsPerAddress = bucket(rates.failedJoinsPerAddress);
    this.#failedJoinsGlobal = bucket(rates.failedJoinsGlobal);
    this.#resumesPerAddress = bucket(rates.resumesPerAddress);
    this.#resumesPerSeat = bucket(rates.resumesPerSeat);
    this.#pairingsPerPair = bucket(rates.pairingsPerPair);
    this.#iceServersPerSeat = bucket(rates.iceServersPerSeat);
  }

  /** Counts one message. */
  message(socketId: string, address: string): MessageVerdict {
    const now = this.#now();
    const own = this.#messagesPerSocket.spend(socketId, now);
    if (own > 1) return own > FLOOD_FACTOR ? 'cut' : 'refuse';
    return this.#messagesPerAddress.spend(address, now) > 1 ? 'refuse' : 'pass';
  }

  /** Counts one list of rooms. */
  async admitList(socketId: string): Promise<boolean> {
    return (await spend(this.#listsPerSocket, socketId)).passed;
  }

  /**
   * Counts one attempt to get a seat and says whether it may go on. When guessers have used up what all addresses
   * together may fail, only addresses without a failed join of their own may go on: a guesser must not lock out people
   * who follow a link.
   */
  async admitJoin(address: string): Promise<boolean> {
    if (!(await spend(this.#joinsPerAddress, address)).passed) return false;
    const own = await this.#failedJoinsPerAddress.get(address);
    if (own !== null && own.remainingPoints <= 0) return false;
    const all = await this.#failedJoinsGlobal.get(EVERYBODY);
    return own === null || all === null || all.remainingPoints > 0;
  }

  /** Counts a join whose code opened nothing. */
  async failedJoin(address: string): Promise<void> {
    await this.#failedJoinsPerAddress.penalty(address);
    await this.#failedJoinsGlobal.penalty(EVERYBODY);
  }

  /** Counts one attempt to take a seat back, right or wrong. */
  async admitResume(address: string): Promise<boolean> {
    return (await spend(this.#resumesPerAddress, address)).passed;
  }

  /** Counts one attempt by the seat's rightful owner: only of these is another player told. */
  async admitResumeOf(seat: string): Promise<boolean> {
    return (await spend(this.#resumesPerSeat, seat)).passed;
  }

  /** Counts one request for a new pairing of the same two. */
  async admitPairing(pair: string): Promise<boolean> {
    return (await spend(this.#pairingsPerPair, pair)).passed;
  }

  /** Counts one request for fresh ICE servers. */
  async admitIceServers(seat: string): Promise<boolean> {
    return (await spend(this.#iceServersPerSeat, seat)).passed;
  }

  /** Forgets a connection that ended. */
  async forget(socketId: string): Promise<void> {
    await this.#listsPerSocket.delete(socketId);
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
 * Counts by key in windows of time that all keys share. For what happens with each message, a promise and a timer for each
 * key would be most of the work.
 */
class Windows {
  readonly #rate: Rate;
  readonly #spent = new Map<string, number>();
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
      this.#spent.clear();
      this.#endsAt = now + this.#rate.seconds * 1000;
    }
    const spent = (this.#spent.get(key) ?? 0) + 1;
    this.#spent.set(key, spent);
    return spent / this.#rate.points;
  }
}

function bucket(rate: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: rate.points, duration: rate.seconds });
}

async function spend(limiter: RateLimiterMemory, key: string): Promise<{ passed: boolean; spent: number }> {
  try {
    return { passed: true, spent: (await limiter.consume(key)).consumedPoints };
  } catch (reason) {
    // The library rejects with its result when the bucket is empty, and with an Error when it is broken.
    if (reason instanceof RateLimiterRes) return { passed: false, spent: reason.consumedPoints };
    throw reason;
  }
}

import type { SeatKey } from '../lobby/room.js';

/** A seat as a page keeps it over a reload. */
export interface KeptSeat extends SeatKey {
  /** The match had begun: the page returns to it, and the other player has what it lost. */
  readonly started: boolean;
  /** Matches in this room before that one; 0 by default. */
  readonly rematches?: number;
}

/**
 * Keeps a page's seat in `sessionStorage`, which outlives a reload but not the tab. Where there is none, or the
 * browser withholds it, nothing is kept and a reload is a departure.
 */
export class SeatKeeper {
  readonly #key: string;

  constructor(server: string, game: string) {
    this.#key = `riposte.seat ${game} ${server}`;
  }

  get #storage(): Storage | undefined {
    try {
      return globalThis.sessionStorage;
    } catch {
      return undefined;
    }
  }

  load(): KeptSeat | undefined {
    const text = this.#storage?.getItem(this.#key);
    if (text === null || text === undefined) return undefined;
    try {
      const { room, seat, secret, started, rematches }: Partial<KeptSeat> = JSON.parse(text);
      if (typeof room !== 'string' || typeof seat !== 'string' || typeof secret !== 'string') return undefined;
      const played = Number.isSafeInteger(rematches) && rematches !== undefined ? Math.max(0, rematches) : 0;
      return { room, seat, secret, started: started === true, rematches: played };
    } catch {
      return undefined;
    }
  }

  save(seat: KeptSeat): void {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(seat));
    } catch {
      // Storage that is full or withheld keeps nothing.
    }
  }

  clear(): void {
    this.#storage?.removeItem(this.#key);
  }
}

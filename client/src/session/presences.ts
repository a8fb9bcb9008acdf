import { LinkWatch } from './link-watch.js';
import type { PeerLink } from './peer-link.js';
import type { Presence, SessionEvent } from './session-types.js';

/** Who of the others is heard: over the own connection, and by whatever way. Tells what changes. */
export class Presences<S, I> {
  readonly #links: readonly PeerLink<S, I>[];
  readonly #lostMs: number;
  readonly #isHere: (player: number) => boolean;
  readonly #tell: (event: SessionEvent) => void;
  #isInterrupted = false;

  /** A player is lost after `lostMs` of silence. `isHere` says whether it is in the match. */
  constructor(
    links: readonly PeerLink<S, I>[],
    lostMs: number,
    isHere: (player: number) => boolean,
    tell: (event: SessionEvent) => void,
  ) {
    this.#links = links;
    this.#lostMs = lostMs;
    this.#isHere = isHere;
    this.#tell = tell;
  }

  /** The match begins: all are heard now. */
  start(nowMs: number): void {
    this.#isInterrupted = false;
    for (const link of this.#links) {
      link.direct = new LinkWatch(nowMs, this.#lostMs);
      this.restart(nowMs, link);
    }
  }

  /** The player is in the match from now on. */
  restart(nowMs: number, link: PeerLink<S, I>): void {
    link.presence = new LinkWatch(nowMs, this.#lostMs);
    link.silence = 'heard';
    this.#tellPresence(link);
  }

  /** Once in every frame of the page. */
  poll(nowMs: number): void {
    let isAnySilent = false;
    for (let at = 0; at < this.#links.length; at++) {
      const link = this.#links[at]!;
      const isUp = link.direct?.poll(nowMs) === 'heard' && link.isConnected;
      if (isUp === link.isDirectDown) {
        link.isDirectDown = !isUp;
        this.#tell({ type: 'link', player: link.player, isUp });
      }
      const silence = link.presence?.poll(nowMs) ?? 'heard';
      // What is heard again is said where it is heard.
      if (silence === 'heard') {
        isAnySilent ||= link.silence !== 'heard';
        continue;
      }
      isAnySilent = true;
      if (silence === link.silence) continue;
      const isNew = link.silence === 'heard';
      link.silence = silence;
      if (isNew && this.#isHere(link.player)) this.#tellPresence(link);
    }
    if (isAnySilent && this.silent().length > 0) this.interrupt();
  }

  /** The match stands, or goes on without this side, until it begins anew or all are heard. */
  interrupt(): void {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.#tell({ type: 'interrupted' });
  }

  /** The player was heard, by whatever way. True when that ends an interruption. */
  hear(nowMs: number, link: PeerLink<S, I>): boolean {
    link.presence?.heard(nowMs);
    if (link.silence === 'heard') return false;
    link.silence = 'heard';
    this.#tellPresence(link);
    return this.settle();
  }

  /** True, once, when an interruption is over: all who are in the match are heard. */
  settle(): boolean {
    if (!this.#isInterrupted || this.silent().length > 0) return false;
    this.#isInterrupted = false;
    this.#tell({ type: 'running' });
    return true;
  }

  /** A page is hidden, or seen again. */
  hide(link: PeerLink<S, I>, isHidden: boolean): void {
    link.isHidden = isHidden;
    if (link.silence !== 'heard') this.#tellPresence(link);
  }

  #tellPresence(link: PeerLink<S, I>): void {
    this.#tell({ type: 'presence', player: link.player, presence: this.of(link) });
  }

  of(link: PeerLink<S, I>): Presence {
    if (!this.#isHere(link.player)) return 'gone';
    if (link.silence === 'heard') return 'here';
    return link.isHidden ? 'inactive' : 'interrupted';
  }

  /** The players who are in the match, and not heard. */
  silent(): PeerLink<S, I>[] {
    return this.#links.filter((link) => link.silence !== 'heard' && this.#isHere(link.player));
  }

  /** Milliseconds until the first who is not heard is given up; null when all are. */
  leftMs(nowMs: number): number | null {
    const left = this.silent().map(({ presence }) => presence?.leftMs(nowMs) ?? 0);
    return this.#isInterrupted && left.length > 0 ? Math.min(...left) : null;
  }

  /** How long a player was not heard; infinite for longer than the match waits. */
  silentMs(nowMs: number, { silence, presence }: PeerLink<S, I>): number {
    return silence === 'lost' ? Number.POSITIVE_INFINITY : (presence?.silentMs(nowMs) ?? 0);
  }
}

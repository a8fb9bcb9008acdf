import type { ControlMessage, Hello, Welcome } from '@riposte/shared/protocol';
import type { PeerLink } from './peer-link.js';
import type { RunningMatch } from './running-match.js';
import { describeMatch } from './state-transfer.js';

/**
 * New connections of a running match, and players who come back without it. Of two, the other one tells at once all that
 * is final and what came after, and who returns plays on from its last input that is known. Of more, the seat is given up
 * first; then the leader tells the match, and the seat is admitted again: see `Seats`.
 */
export class Returns<S, I> {
  readonly #links: readonly PeerLink<S, I>[];
  readonly #isPair: boolean;
  readonly #send: (player: number, message: ControlMessage) => void;
  readonly #sendChunk: (player: number, chunk: Uint8Array) => void;

  constructor(
    links: readonly PeerLink<S, I>[],
    send: (player: number, message: ControlMessage) => void,
    sendChunk: (player: number, chunk: Uint8Array) => void,
  ) {
    this.#links = links;
    this.#isPair = links.length === 1;
    this.#send = send;
    this.#sendChunk = sendChunk;
  }

  /** Tells the other side of a new connection its epoch, and what is held of its inputs. */
  resume({ player, epoch }: PeerLink<S, I>, { driver }: RunningMatch<S, I>): void {
    this.#send(player, { type: 'resume', epoch, holds: driver.sim.heldThrough(player) });
  }

  /** A player returned without the match. True when it is told of it already. */
  receive(link: PeerLink<S, I>, hello: Hello, running: RunningMatch<S, I>): boolean {
    // A repeated hello of a page that was answered.
    if (hello.player !== link.player || (link.isReturning && !link.hasTaken)) return false;
    link.isReturning = true;
    link.hasTaken = false;
    link.hasWelcomed = false;
    link.epoch++;
    if (this.#isPair) {
      this.welcome(link, running);
      const { sim, me } = running.driver;
      link.match?.endpoint.acknowledgedThrough(sim.heldThrough(me));
      return true;
    }
    running.restart(link);
    this.resume(link, running);
    return false;
  }

  /** Tells a player the running match. */
  welcome(link: PeerLink<S, I>, { driver, agreed }: RunningMatch<S, I>): void {
    link.hasWelcomed = true;
    const { welcome, chunks } = describeMatch(driver, link.player, link.epoch, agreed);
    this.#send(link.player, welcome);
    for (const chunk of chunks) this.#sendChunk(link.player, chunk);
  }

  /** This side has the match again, by the word of `link`: all others are told what it holds of their inputs. */
  taken(link: PeerLink<S, I>, { epoch, holds }: Welcome, running: RunningMatch<S, I>): void {
    link.epoch = Math.max(link.epoch, epoch);
    // What this player had sent before: the survivor named the last input that it holds.
    if (this.#isPair) link.match?.endpoint.acknowledgedThrough(holds);
    for (const each of this.#links) if (each.isConnected) this.resume(each, running);
  }
}

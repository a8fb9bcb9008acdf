import type { IceServer, SignalData } from '@riposte/shared/protocol';
import type SimplePeer from '#simple-peer';
import { type OpenOptions, rtcConfiguration } from './open-lanes.js';

/** The ICE servers of the moment: credentials for a relay live for minutes. */
export type FreshIceServers = () => Promise<readonly IceServer[]>;

/**
 * New network paths for a connection of simple-peer, by the signals that made it: whoever misses the other side begins,
 * and the initiator offers. Both look with fresh servers.
 */
export class IceRestart {
  readonly #peer: SimplePeer;
  readonly #options: OpenOptions;
  readonly #freshIceServers: FreshIceServers;
  /** What arrives is given on in order, also while servers are asked for. */
  #received: Promise<void> = Promise.resolve();
  #isAllowed = false;
  /** Begun here and not agreed on yet. What is never answered is not repeated: a new connection is made instead. */
  #isUnderWay = false;

  constructor(peer: SimplePeer, options: OpenOptions, freshIceServers: FreshIceServers) {
    this.#peer = peer;
    this.#options = options;
    this.#freshIceServers = freshIceServers;
  }

  /** The connection is there: from now on every offer restarts it. */
  allow(): void {
    this.#isAllowed = true;
    this.#peer.offerOptions = { iceRestart: true };
    this.#peer.on('negotiated', () => {
      this.#isUnderWay = false;
    });
  }

  /** False when it cannot, or is under way. */
  begin(): boolean {
    if (!this.#isAllowed || this.#isUnderWay || this.#peer.destroyed) return false;
    this.#isUnderWay = true;
    void this.#refresh().then(() => {
      if (!this.#peer.destroyed) this.#peer.negotiate();
    });
    return true;
  }

  /** Takes a signal of the other side. */
  receive(data: SignalData): void {
    if (this.#isAllowed && data.type === 'renegotiate') this.begin();
    else if (this.#isAllowed) this.#received = this.#received.then(() => this.#take(data));
    else if (!this.#peer.destroyed) this.#peer.signal(data);
  }

  async #take(data: SignalData): Promise<void> {
    if (data.type === 'offer' && !this.#isUnderWay) await this.#refresh();
    if (!this.#peer.destroyed) this.#peer.signal(data);
  }

  async #refresh(): Promise<void> {
    try {
      const iceServers = await this.#freshIceServers();
      this.#peer._pc?.setConfiguration(rtcConfiguration({ ...this.#options, iceServers }));
    } catch {
      // The server is away, or the platform keeps its servers: those of the start may do.
    }
  }
}

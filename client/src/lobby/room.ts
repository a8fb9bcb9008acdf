import type { IceServer, PeerLeftReason, SeatGrant, ServerMessage, SignalData } from '@riposte/shared/protocol';
import type { LobbyError } from './lobby-error.js';
import { BufferedSignalPort, type SignalPort } from './signal-port.js';

/** A seat in a match that waits for, or has, its other player. */
export interface Room {
  readonly code: string;
  /** A page of the server that joins this room at once. */
  readonly link: string;
  /** Player number: the creator, or who waited, is 0. */
  readonly me: 0 | 1;
  /**
   * The other player is there. Rejects with a LobbyError when that cannot happen any more: left, expired, server lost
   * or stopping.
   */
  readonly paired: Promise<Pairing>;
}

/** Two players who can negotiate a connection. */
export interface Pairing {
  readonly room: string;
  readonly me: 0 | 1;
  /** Exactly one of the two makes the offer. */
  readonly initiator: boolean;
  readonly peerName: string;
  readonly iceServers: readonly IceServer[];
  readonly signals: SignalPort;
  /**
   * Calls back once when the other player gave up the seat, at once if that has happened. `disconnected` says only that
   * its connection to the server ended: a match that runs peer to peer goes on.
   */
  onPeerLeft(listener: (reason: PeerLeftReason) => void): void;
}

export type SendSignal = (to: string, data: SignalData) => void;

/** The room as the lobby sees it: events go in here. */
export class OpenRoom implements Room {
  readonly code: string;
  readonly link: string;
  readonly me: 0 | 1;
  readonly paired: Promise<Pairing>;
  readonly #sendSignal: SendSignal;
  #settle: { resolve(pairing: Pairing): void; reject(error: LobbyError): void } | undefined;
  #peer: string | undefined;
  #port: BufferedSignalPort | undefined;
  #leftReason: PeerLeftReason | undefined;
  #leftListeners: ((reason: PeerLeftReason) => void)[] = [];

  constructor(grant: SeatGrant, link: string, sendSignal: SendSignal) {
    this.code = grant.room;
    this.link = link;
    this.me = grant.player === 0 ? 0 : 1;
    this.#sendSignal = sendSignal;
    this.paired = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever awaits it still gets the rejection; nobody awaiting it is no fault.
    this.paired.catch(() => undefined);
  }

  pair({ room, initiator, peer, iceServers }: ServerMessage<'paired'>): void {
    if (room !== this.code || this.#settle === undefined) return;
    this.#peer = peer.seat;
    this.#port = new BufferedSignalPort((data) => this.#sendSignal(peer.seat, data));
    this.#settle.resolve({
      room,
      me: this.me,
      initiator,
      peerName: peer.name ?? `Player ${peer.player + 1}`,
      iceServers,
      signals: this.#port,
      onPeerLeft: (listener) => {
        if (this.#leftReason !== undefined) listener(this.#leftReason);
        else this.#leftListeners.push(listener);
      },
    });
    this.#settle = undefined;
  }

  signal({ from, data }: ServerMessage<'signal'>): void {
    if (from === this.#peer) this.#port?.deliver(data);
  }

  peerLeft({ seat, reason }: ServerMessage<'peer-left'>): void {
    if (seat !== this.#peer || this.#leftReason !== undefined) return;
    this.#leftReason = reason;
    for (const listener of this.#leftListeners.splice(0)) listener(reason);
  }

  /** Ends the wait for the other player; without effect on a pairing that is made. */
  fail(error: LobbyError): void {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}

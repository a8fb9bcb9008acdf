import type {
  IceServer,
  PeerLeftReason,
  PeerServerPass,
  SeatGrant,
  ServerMessage,
  SignalData,
} from '@riposte/shared/protocol';
import { type LobbyError, peerGone } from './lobby-error.js';
import { BufferedSignalPort, type SignalPort } from './signal-port.js';

/** What proves a seat. A page keeps it in `sessionStorage` to take the seat back after it was loaded again. */
export interface SeatKey {
  readonly room: string;
  readonly seat: string;
  readonly secret: string;
}

/** The other player, as the server sees it: `away` while their connection *to the server* is interrupted. */
export type PeerPresence = 'awaited' | 'here' | 'away' | 'left';

/** A seat in a match that waits for, or has, its other player. */
export interface Room {
  readonly code: string;
  /** A page of the server that joins this room at once. */
  readonly link: string;
  /** Player number: the creator, or who waited, is 0. */
  readonly me: 0 | 1;
  /**
   * The other player is there: the first pairing that this page hears of. Rejects with a LobbyError when that cannot
   * happen any more: left, expired, server lost or stopping.
   */
  readonly paired: Promise<Pairing>;
  /** What proves this seat now. It changes whenever the seat was taken back: see `onSeat`. */
  readonly seat: SeatKey;
  readonly peer: PeerPresence;
  /** Calls back with each new key of the seat; the one before is of no use then. Gives what ends it. */
  onSeat(listener: (seat: SeatKey) => void): () => void;
  /**
   * Calls back with every pairing, at once with the newest if there is one. Each replaces the one before: its signals
   * are dead, and a connection that was being made by them will not come about. Gives what ends it.
   */
  onPairing(listener: (pairing: Pairing) => void): () => void;
  onPeer(listener: (presence: PeerPresence) => void): () => void;
  /** Calls back once when this room can pair no more, with the reason; a match that runs peer to peer goes on. */
  onEnd(listener: (error: LobbyError) => void): () => void;
  /**
   * Asks for a new pairing, to build a new connection in place of one that died. Gives the next one, whichever side
   * asked for it; while the other player is away it waits. Both sides may ask at once: one pairing is made.
   *
   * @throws LobbyError `peer-gone`, `rate-limited`, or why the room ended.
   */
  pairAgain(): Promise<Pairing>;
  /**
   * Fresh ICE servers, to be set before an ICE restart: credentials for a relay live for minutes.
   *
   * @throws LobbyError `peer-gone`, `rate-limited`, or why the room ended.
   */
  iceServers(): Promise<readonly IceServer[]>;
}

/** Two players who can negotiate a connection. */
export interface Pairing {
  readonly room: string;
  /** Counts the pairings of the room, from 1. */
  readonly number: number;
  readonly me: 0 | 1;
  /** Exactly one of the two makes the offer. */
  readonly initiator: boolean;
  readonly peerName: string;
  readonly iceServers: readonly IceServer[];
  /** Connect by the relays only (`iceTransportPolicy: 'relay'`): somebody hides their address. */
  readonly relayOnly: boolean;
  readonly signals: SignalPort;
  /** There when the two are to connect by PeerJS. */
  readonly peerServer?: PeerServerPass;
  /**
   * Calls back once when the other player's seat is free, at once if that has happened. `disconnected` says only that
   * its connection to the server ended and did not come back: a match that runs peer to peer goes on.
   */
  onPeerLeft(listener: (reason: PeerLeftReason) => void): void;
}

/** What a room needs its lobby for. */
export interface RoomActions {
  signal(to: string, pairing: number, data: SignalData): void;
  pairAgain(room: OpenRoom): Promise<void>;
  iceServers(room: OpenRoom): Promise<readonly IceServer[]>;
}

/** The room as the lobby sees it: events go in here. */
export class OpenRoom implements Room {
  readonly code: string;
  readonly link: string;
  readonly me: 0 | 1;
  readonly paired: Promise<Pairing>;
  readonly #actions: RoomActions;
  readonly #seatListeners = new Set<(seat: SeatKey) => void>();
  readonly #pairingListeners = new Set<(pairing: Pairing) => void>();
  readonly #peerListeners = new Set<(presence: PeerPresence) => void>();
  readonly #endListeners = new Set<(error: LobbyError) => void>();
  #seat: SeatKey;
  #presence: PeerPresence = 'awaited';
  #pairing: Pairing | undefined;
  #port: BufferedSignalPort | undefined;
  #ended: LobbyError | undefined;
  #leftReason: PeerLeftReason | undefined;
  #leftListeners: ((reason: PeerLeftReason) => void)[] = [];

  constructor(grant: SeatGrant, link: string, actions: RoomActions) {
    this.code = grant.room;
    this.link = link;
    this.me = grant.player === 0 ? 0 : 1;
    this.#seat = keyOf(grant);
    this.#actions = actions;
    this.paired = this.#next();
    // Whoever awaits it still gets the rejection; nobody awaiting it is no fault.
    this.paired.catch(() => undefined);
  }

  get seat(): SeatKey {
    return this.#seat;
  }

  get peer(): PeerPresence {
    return this.#presence;
  }

  /** Number of the newest pairing; 0 before the first. */
  get number(): number {
    return this.#pairing?.number ?? 0;
  }

  onSeat(listener: (seat: SeatKey) => void): () => void {
    return listen(this.#seatListeners, listener);
  }

  onPairing(listener: (pairing: Pairing) => void): () => void {
    if (this.#pairing !== undefined) listener(this.#pairing);
    return listen(this.#pairingListeners, listener);
  }

  onPeer(listener: (presence: PeerPresence) => void): () => void {
    return listen(this.#peerListeners, listener);
  }

  onEnd(listener: (error: LobbyError) => void): () => void {
    if (this.#ended !== undefined) listener(this.#ended);
    return listen(this.#endListeners, listener);
  }

  async pairAgain(): Promise<Pairing> {
    // Made first, so that a pairing which comes while the request is under way is not missed.
    const next = this.#next();
    next.catch(() => undefined);
    if (this.#pairing !== undefined) await this.#actions.pairAgain(this);
    return next;
  }

  iceServers(): Promise<readonly IceServer[]> {
    return this.#actions.iceServers(this);
  }

  /** The seat was taken back: its key is another. */
  rotate(grant: SeatGrant): void {
    this.#seat = keyOf(grant);
    for (const listener of [...this.#seatListeners]) listener(this.#seat);
  }

  pair({ room, pairing, initiator, peer, iceServers, relayOnly, peerServer }: ServerMessage<'paired'>): void {
    if (room !== this.code || pairing <= this.number) return;
    this.#port = new BufferedSignalPort((data) => {
      if (pairing === this.number) this.#actions.signal(peer.seat, pairing, data);
    });
    this.#pairing = {
      room,
      number: pairing,
      me: this.me,
      initiator,
      peerName: peer.name ?? `Player ${peer.player + 1}`,
      iceServers,
      relayOnly,
      signals: this.#port,
      ...(peerServer !== undefined && { peerServer }),
      onPeerLeft: (listener) => {
        if (this.#leftReason !== undefined) listener(this.#leftReason);
        else this.#leftListeners.push(listener);
      },
    };
    this.peerIs('here');
    for (const listener of [...this.#pairingListeners]) listener(this.#pairing);
  }

  signal({ pairing, data }: ServerMessage<'signal'>): void {
    if (pairing === this.number) this.#port?.deliver(data);
  }

  peerIs(presence: PeerPresence): void {
    if (this.#presence === presence || this.#presence === 'left') return;
    this.#presence = presence;
    for (const listener of [...this.#peerListeners]) listener(presence);
  }

  peerLeft(reason: PeerLeftReason): void {
    if (this.#leftReason !== undefined) return;
    this.#leftReason = reason;
    this.peerIs('left');
    for (const listener of this.#leftListeners.splice(0)) listener(reason);
    this.end(peerGone());
  }

  /** Nothing more will come from the server; without effect on a pairing that is made. */
  end(error: LobbyError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    for (const listener of [...this.#endListeners]) listener(error);
  }

  /** The first pairing after the newest there is. */
  #next(): Promise<Pairing> {
    const after = this.number;
    return new Promise((resolve, reject) => {
      const settle = () => {
        stopPairing();
        stopEnd();
      };
      const stopPairing = listen(this.#pairingListeners, (pairing) => {
        if (pairing.number <= after) return;
        settle();
        resolve(pairing);
      });
      const stopEnd = listen(this.#endListeners, (error) => {
        settle();
        reject(error);
      });
      if (this.#ended !== undefined) {
        settle();
        reject(this.#ended);
      }
    });
  }
}

function keyOf({ room, seat, secret }: SeatGrant): SeatKey {
  return { room, seat, secret };
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

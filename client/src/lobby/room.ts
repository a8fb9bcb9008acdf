import type { IceServer, PeerLeftReason } from '@riposte/shared/protocol';
import type { LobbyError } from './lobby-error.js';
import type { SignalPort } from './signal-port.js';

/** What proves a seat. A page keeps it in `sessionStorage` to take the seat back after it was loaded again. */
export interface SeatKey {
  readonly room: string;
  readonly seat: string;
  readonly secret: string;
}

/** What somebody in a room does there. */
export type SeatRole = 'player' | 'spectator';

/** Somebody in the room. */
export interface Peer {
  /** Names the seat. */
  readonly seat: string;
  readonly role: SeatRole;
  /** Player number; `null`: a spectator. */
  readonly player: number | null;
  /** As chosen, or `Player 2`, or `Spectator`. */
  readonly name: string;
}

/** A seat that is taken. */
export interface RoomSeat extends Peer {
  /** As the server sees it: `away` while its connection *to the server* is interrupted. */
  readonly presence: 'here' | 'away';
}

/** A seat in a match, to play or to watch. */
export interface Room {
  /** While a quick match waits, it may go on in another room: `onSeat` tells of it. */
  readonly code: string;
  /** A page of the server that joins this room at once. */
  readonly link: string;
  /** Players when full. */
  readonly size: number;
  readonly role: SeatRole;
  /** Player number; `null`: a spectator. In a quick match it is settled once the room is full. */
  readonly me: number | null;
  /**
   * Everybody is there: the first pairing with each other player, in the order of their numbers, or of a spectator with
   * its source. A player who leaves before that is not waited for. Rejects with a LobbyError when it cannot happen any
   * more: left, expired, server lost or stopping.
   */
  readonly paired: Promise<readonly Pairing[]>;
  /** What proves this seat now. It changes whenever the seat was taken back: see `onSeat`. */
  readonly seat: SeatKey;
  /** Who is here, this seat too: players in the order of their numbers, then spectators. */
  readonly seats: readonly RoomSeat[];
  /** Calls back with each new key of the seat; the one before is of no use then. Gives what ends it. */
  onSeat(listener: (seat: SeatKey) => void): () => void;
  /** Calls back, at once too, with who is here whenever that changes. Gives what ends it. */
  onSeats(listener: (seats: readonly RoomSeat[]) => void): () => void;
  /**
   * Calls back with every pairing, at once with the newest with each peer. Each replaces the one before with the same
   * peer: its signals are dead, and a connection that was being made by them will not come about. A spectator has one
   * source at a time, so each replaces the one before. Gives what ends it.
   */
  onPairing(listener: (pairing: Pairing) => void): () => void;
  /**
   * Calls back once when this room can pair no more, with the reason; a match that runs peer to peer goes on. A started
   * room ends for a player when all others left, for a spectator when all players did.
   */
  onEnd(listener: (error: LobbyError) => void): () => void;
  /**
   * Asks for a new pairing with a seat, to build a new connection in place of one that died. Gives the next one,
   * whichever side asked for it; while the other is away it waits. Both sides may ask at once: one pairing is made. A
   * spectator gets one with another source where there is one, whose seat then differs.
   *
   * @throws LobbyError `peer-gone`, `rate-limited`, or why the room ended.
   */
  pairAgain(seat: string): Promise<Pairing>;
  /**
   * Fresh ICE servers for the pairing with a seat, to be set before an ICE restart: credentials for a relay live for
   * minutes.
   *
   * @throws LobbyError `peer-gone`, `rate-limited`, or why the room ended.
   */
  iceServers(seat: string): Promise<readonly IceServer[]>;
}

/** Two seats that can negotiate a connection. */
export interface Pairing {
  readonly room: string;
  /** Who is on the other side. */
  readonly peer: Peer;
  /** Counts the pairings of the two, or of a spectator with its sources, from 1. */
  readonly number: number;
  /** Exactly one of the two makes the offer. */
  readonly initiator: boolean;
  readonly iceServers: readonly IceServer[];
  /** Connect by the relays only (`iceTransportPolicy: 'relay'`): somebody hides their address. */
  readonly relayOnly: boolean;
  readonly signals: SignalPort;
  /** There when the two are to connect by PeerJS. */
  readonly peerServer?: unknown;
  /**
   * Calls back once when the other seat is free, at once if that has happened. `disconnected` says only that its
   * connection to the server ended and did not come back: a match that runs peer to peer goes on.
   */
  onPeerLeft(listener: (reason: PeerLeftReason) => void): void;
}

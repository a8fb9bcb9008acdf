import type { PeerComparison } from '@riposte/shared';
import type { DesyncWatch } from './desync-watch.js';
import type { Handshake, Met } from './handshake.js';
import type { LinkState, LinkWatch } from './link-watch.js';
import type { PeerEndpoint } from './peer-endpoint.js';
import type { StateReceiver } from './state-transfer.js';

/** The packets and hashes of a running match, to and from one other player. */
export interface MatchLink<S, I> {
  readonly endpoint: PeerEndpoint<S, I>;
  readonly comparison: PeerComparison;
  readonly desync: DesyncWatch<S, I>;
}

/** All that a session knows of one other player. */
export class PeerLink<S, I> {
  readonly player: number;
  isConnected = false;
  /** Connections so far. */
  connections = 0;
  /** Packets of another epoch are of another connection, and are dropped. */
  epoch = 0;
  /** The epoch when it was last greeted: what it tells of the match for an earlier greeting is of no newer one. */
  greetedEpoch = 0;
  handshake: Handshake | undefined;
  /** What the handshake found. */
  met: Met | undefined;
  /** The silence of the direct connection. */
  direct: LinkWatch | undefined;
  /** The silence of the player, by whatever way it could have been heard. */
  presence: LinkWatch | undefined;
  /** How both stood when they were last asked, in a running match. */
  isDirectDown = false;
  silence: LinkState = 'heard';
  /** Its page is hidden, by its own word. */
  isHidden = false;
  /** It has every frame of the match, by its own word. */
  hasFinished = false;
  /** A running match that is being told by this player. */
  receiver: StateReceiver<S, I> | undefined;
  /** Its page came back without the match, which it is to be told. */
  isReturning = false;
  /** The connection, by its number, over which it last asked for the match. */
  askedOver = 0;
  /** And said that it has it: if it asks again, it lost it again. */
  hasTaken = false;
  /** The returning page on this connection was told of the match. */
  hasWelcomed = false;
  /** When the player, who is lost, was last told so. */
  toldOutsideMs = Number.NEGATIVE_INFINITY;
  match: MatchLink<S, I> | undefined;

  constructor(player: number) {
    this.player = player;
  }
}

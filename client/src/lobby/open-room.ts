import type {
  IceServer,
  PeerLeftReason,
  PeerSeat,
  Place,
  SeatGrant,
  ServerMessage,
  SignalData,
} from '@riposte/shared/protocol';
import { Listeners } from '../listeners.js';
import { type LobbyError, peerGone } from './lobby-error.js';
import type { Pairing, Peer, Room, RoomSeat, SeatKey, SeatRole } from './room.js';
import { BufferedSignalPort } from './signal-port.js';

/** What a room needs its lobby for. */
export interface RoomActions {
  /** A page of the server that joins the room of this code. */
  linkTo(code: string): string;
  signal(to: string, pairing: number, data: SignalData): void;
  pairAgain(room: OpenRoom, seat: string): Promise<void>;
  iceServers(room: OpenRoom, seat: string): Promise<readonly IceServer[]>;
}

/** What is known of another seat. */
interface OtherSeat {
  readonly peer: Peer;
  presence: 'here' | 'away';
  /** The newest pairing with it. */
  pairing: Pairing | undefined;
  port: BufferedSignalPort | undefined;
  leftReason: PeerLeftReason | undefined;
  readonly leftListeners: ((reason: PeerLeftReason) => void)[];
}

interface RoomEvents {
  seat: (seat: SeatKey) => void;
  seats: (seats: readonly RoomSeat[]) => void;
  pairing: (pairing: Pairing) => void;
  end: (error: LobbyError) => void;
}

/** The room as the lobby sees it: events go in here. */
export class OpenRoom implements Room {
  readonly size: number;
  readonly role: SeatRole;
  readonly paired: Promise<readonly Pairing[]>;
  readonly #actions: RoomActions;
  readonly #name: string | undefined;
  readonly #listeners = new Listeners<RoomEvents>();
  readonly #others = new Map<string, OtherSeat>();
  #me: number | null;
  #seat: SeatKey;
  #started = false;
  #ended: LobbyError | undefined;

  constructor(grant: SeatGrant, name: string | undefined, actions: RoomActions) {
    this.size = grant.size;
    this.role = roleOf(grant);
    this.#me = grant.player;
    this.#seat = keyOf(grant);
    this.#name = name;
    this.#actions = actions;
    this.paired = this.#until(() => this.#firstPairings());
    // Whoever awaits it still gets the rejection; nobody awaiting it is no fault.
    this.paired.catch(() => undefined);
    this.place(grant);
  }

  get code(): string {
    return this.#seat.room;
  }

  get link(): string {
    return this.#actions.linkTo(this.code);
  }

  get me(): number | null {
    return this.#me;
  }

  get seat(): SeatKey {
    return this.#seat;
  }

  get seats(): readonly RoomSeat[] {
    const own = peerOf({
      seat: this.#seat.seat,
      player: this.#me,
      ...(this.#name !== undefined && { name: this.#name }),
    });
    const others = [...this.#others.values()].map(({ peer, presence }) => ({ ...peer, presence }));
    const order = ({ player }: Peer) => player ?? this.size;
    return [{ ...own, presence: 'here' as const }, ...others].sort((a, b) => order(a) - order(b));
  }

  /** Number of the newest pairing with a seat; 0 before the first. */
  numberWith(seat: string): number {
    return this.#others.get(seat)?.pairing?.number ?? 0;
  }

  /** The newest pairing with each seat. */
  get pairings(): readonly Pairing[] {
    return [...this.#others.values()].flatMap(({ pairing }) => pairing ?? []);
  }

  isAway(seat: string): boolean {
    return this.#others.get(seat)?.presence === 'away';
  }

  onSeat(listener: (seat: SeatKey) => void): () => void {
    return this.#listeners.add('seat', listener);
  }

  onSeats(listener: (seats: readonly RoomSeat[]) => void): () => void {
    listener(this.seats);
    return this.#listeners.add('seats', listener);
  }

  onPairing(listener: (pairing: Pairing) => void): () => void {
    for (const pairing of this.pairings) listener(pairing);
    return this.#listeners.add('pairing', listener);
  }

  onEnd(listener: (error: LobbyError) => void): () => void {
    if (this.#ended !== undefined) listener(this.#ended);
    return this.#listeners.add('end', listener);
  }

  async pairAgain(seat: string): Promise<Pairing> {
    const earlier = new Set(this.pairings);
    // Made first, so that a pairing which comes while the request is under way is not missed.
    const next = this.#until(() => {
      if (this.role === 'player' && !this.#others.has(seat)) throw peerGone();
      return this.pairings.find((pairing) => !earlier.has(pairing) && this.#replaces(pairing, seat));
    });
    next.catch(() => undefined);
    if (this.numberWith(seat) > 0) await this.#actions.pairAgain(this, seat);
    return next;
  }

  iceServers(seat: string): Promise<readonly IceServer[]> {
    return this.#actions.iceServers(this, seat);
  }

  /** The seat was taken back: its key is another. */
  rotate(grant: SeatGrant): void {
    this.#takeKey(keyOf(grant));
    this.place(grant);
  }

  /** Where this seat is by now, and who else is there. */
  place({ room, player, started, peers }: Place): void {
    this.#started ||= started;
    this.#me = player;
    if (room !== this.code) this.#takeKey({ ...this.#seat, room });
    const gone = [...this.#others.keys()].filter((seat) => !peers.some((peer) => peer.seat === seat));
    for (const { away, ...peer } of peers) this.#know(peer, away ? 'away' : 'here');
    for (const seat of gone) this.#forget(seat, 'disconnected');
    this.#tellSeats();
  }

  join(peer: PeerSeat): void {
    this.#know(peer, 'here');
    this.#tellSeats();
  }

  pair({ room, pairing: number, initiator, peer, iceServers, relayOnly, peerServer }: ServerMessage<'paired'>): void {
    if (room !== this.code || number <= this.numberWith(peer.seat)) return;
    const other = this.#know(peer, 'here');
    this.#started = true;
    // A spectator is shown the match by one seat at a time.
    if (this.role === 'spectator' && !initiator) {
      for (const source of this.#others.values()) if (source.pairing?.initiator === false) drop(source);
    }
    other.port = new BufferedSignalPort((data) => {
      if (this.numberWith(peer.seat) === number) this.#actions.signal(peer.seat, number, data);
    });
    const pairing: Pairing = {
      room,
      peer: other.peer,
      number,
      initiator,
      iceServers,
      relayOnly,
      signals: other.port,
      peerServer,
      onPeerLeft: (listener) => {
        if (other.leftReason !== undefined) listener(other.leftReason);
        else other.leftListeners.push(listener);
      },
    };
    other.pairing = pairing;
    this.#tellSeats();
    this.#listeners.emit('pairing', pairing);
  }

  signal({ from, pairing, data }: ServerMessage<'signal'>): void {
    if (pairing === this.numberWith(from)) this.#others.get(from)?.port?.deliver(data);
  }

  peerIs(seat: string, presence: 'here' | 'away'): void {
    const other = this.#others.get(seat);
    if (other === undefined || other.presence === presence) return;
    other.presence = presence;
    this.#tellSeats();
  }

  peerLeft(seat: string, reason: PeerLeftReason): void {
    this.#forget(seat, reason);
    this.#tellSeats();
  }

  /** Nothing more will come from the server; without effect on pairings that are made. */
  end(error: LobbyError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#listeners.emit('end', error);
  }

  #takeKey(key: SeatKey): void {
    this.#seat = key;
    this.#listeners.emit('seat', key);
  }

  /** Every seat may be told of more than once: the server's messages cross. */
  #know(seat: PeerSeat, presence: 'here' | 'away'): OtherSeat {
    const known = this.#others.get(seat.seat);
    // The number of a player may change while a quick match waits.
    const other: OtherSeat =
      known !== undefined && known.peer.player === seat.player
        ? known
        : {
            peer: peerOf(seat),
            presence,
            pairing: undefined,
            port: undefined,
            leftReason: undefined,
            leftListeners: [],
          };
    other.presence = presence;
    this.#others.set(seat.seat, other);
    return other;
  }

  #forget(seat: string, reason: PeerLeftReason): void {
    const other = this.#others.get(seat);
    if (other === undefined) return;
    this.#others.delete(seat);
    other.leftReason = reason;
    for (const listener of other.leftListeners.splice(0)) listener(reason);
  }

  #tellSeats(): void {
    this.#listeners.emit('seats', this.seats);
    if (this.#started && this.#otherPlayers().length === 0) this.end(peerGone());
  }

  #otherPlayers(): OtherSeat[] {
    return [...this.#others.values()].filter(({ peer }) => peer.player !== null);
  }

  #firstPairings(): readonly Pairing[] | undefined {
    if (!this.#started) return undefined;
    if (this.role === 'spectator') {
      const shown = this.pairings.find(({ initiator }) => !initiator);
      return shown && [shown];
    }
    const players = this.#otherPlayers().sort((a, b) => (a.peer.player ?? 0) - (b.peer.player ?? 0));
    const pairings = players.flatMap(({ pairing }) => pairing ?? []);
    return pairings.length === players.length && players.length > 0 ? pairings : undefined;
  }

  /** Whether it stands in for the connection to a seat. */
  #replaces({ peer, initiator }: Pairing, seat: string): boolean {
    return peer.seat === seat || (this.role === 'spectator' && !initiator);
  }

  /** Resolves with what `look` finds, after whichever message; rejects with what it throws, or when the room ends. */
  #until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        for (const stop of stops) stop();
      };
      const check = () => {
        try {
          const found = look();
          if (found === undefined) return;
          settle();
          resolve(found);
        } catch (error) {
          settle();
          reject(error);
        }
      };
      const stops = [
        this.#listeners.add('pairing', check),
        this.#listeners.add('seats', check),
        this.#listeners.add('end', (error) => {
          settle();
          reject(error);
        }),
      ];
      if (this.#ended === undefined) {
        check();
        return;
      }
      settle();
      reject(this.#ended);
    });
  }
}

function roleOf({ player }: { player: number | null }): SeatRole {
  return player === null ? 'spectator' : 'player';
}

function peerOf({ seat, player, name }: PeerSeat): Peer {
  return {
    seat,
    role: roleOf({ player }),
    player,
    name: name ?? (player === null ? 'Spectator' : `Player ${player + 1}`),
  };
}

/** The pairing with a seat is over, though the seat is not. */
function drop(other: OtherSeat): void {
  other.pairing = undefined;
  other.port = undefined;
}

function keyOf({ room, seat, secret }: SeatGrant): SeatKey {
  return { room, seat, secret };
}

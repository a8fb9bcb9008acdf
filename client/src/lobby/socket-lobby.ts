import type { ClientRequest, ListedRoom, SeatGrant, SeatRequest } from '@riposte/shared/protocol';
import { loadPart } from '../load-part.js';
import { type LobbyClock, retryDelayMs } from './clock.js';
import type { GameKey, ListKey, Lobby, QuickOptions, RoomOptions } from './lobby.js';
import { LobbyError, type LobbyErrorCode, peerGone, roomClosed, seatTaken, serverLost } from './lobby-error.js';
import { OpenRoom } from './open-room.js';
import type { Room, SeatKey } from './room.js';
import { type Granted, ServerLink } from './server-link.js';

/**
 * Milliseconds for an answer on which a match waits. A connection that the network has cut without a word would be
 * noticed by its own heartbeat only after most of a minute.
 */
const PROMPT_MS_MAX = 3_000;

/** Signals to one seat that wait; a negotiation has some tens. */
const HELD_SIGNALS_MAX = 256;

/** Signals that the server may not have taken yet. Seven negotiations at once must not look like a flood; it queues 64. */
const SIGNALS_UNDER_WAY_MAX = 32;

/** Of so many signals one is answered: by then the server has taken those before it too. */
const SIGNALS_PER_ANSWER = 16;

/** Refusals of a connection or a resume after which it is of use to try again. */
const PASSING: ReadonlySet<string> = new Set<LobbyErrorCode>([
  'server-away',
  'server-lost',
  'server-full',
  'server-draining',
  'store-away',
  'timeout',
  'rate-limited',
  'internal-error',
]);

export interface SocketLobbyOptions {
  /** Ends in `/`. */
  base: URL;
  name: string | undefined;
  timeoutMs: number;
  resumeMsMax: number;
  clock: LobbyClock;
}

type SeatEvent = 'create-room' | 'join-room' | 'watch-room' | 'quick-match' | 'resume-seat';

type HeldSignal = ClientRequest<'signal'> & { readonly cameBack: boolean };

/** A lobby over a connection that comes and goes. */
export class SocketLobby implements Lobby {
  readonly #options: SocketLobbyOptions;
  readonly #link: ServerLink;
  #room: OpenRoom | undefined;
  /** Why this lobby is of no use any more. */
  #ended: LobbyError | undefined;
  readonly #endListeners = new Set<(error: LobbyError) => void>();
  /** Under way while the seat is being taken back; never rejects. */
  #comeback: Promise<void> | undefined;
  /** Ends the wait for the next try. */
  #cutWait: (() => void) | undefined;
  /** Signals that wait for their turn, or until both sides have a connection to the server. */
  #held: HeldSignal[] = [];
  #signalsUnderWay = 0;
  /** Since the last one whose answer was asked for. */
  #signalsUnasked = 0;

  constructor(options: SocketLobbyOptions) {
    this.#options = options;
    const link = new ServerLink(options.base, options.timeoutMs, options.clock, {
      lost: () => this.#lost(),
      mismatch: (error) => this.end(error),
    });
    this.#link = link;
    link.on('paired', (message) => this.#room?.pair(message));
    link.on('signal', (message) => this.#room?.signal(message));
    link.on('signal-undelivered', (signal) => this.#signalCameBack(signal));
    link.on('peer-joined', (peer) => this.#room?.join(peer));
    link.on('peer-away', ({ seat }) => this.#room?.peerIs(seat, 'away'));
    link.on('peer-back', ({ seat }) => {
      this.#room?.peerIs(seat, 'here');
      this.#sendHeld();
    });
    link.on('peer-left', ({ seat, reason }) => this.#room?.peerLeft(seat, reason));
    link.on('seat-place', (place) => this.#room?.place(place));
    link.on('seat-taken', () => this.end(seatTaken()));
    link.on('room-closed', ({ room, reason }) => {
      if (this.#room?.code !== room) return;
      this.#room.end(roomClosed(reason));
      this.#room = undefined;
    });
  }

  /** Connects for the first time. */
  async open(): Promise<void> {
    try {
      await this.#link.open();
    } catch (error) {
      // Ended meanwhile: by the caller's abort.
      const reason = this.#ended ?? error;
      if (error instanceof LobbyError) this.end(error);
      throw reason;
    }
    if (this.#ended !== undefined) throw this.#ended;
  }

  onEnd(listener: (error: LobbyError) => void): void {
    this.#endListeners.add(listener);
  }

  create({ game, version }: GameKey, options: RoomOptions = {}): Promise<Room> {
    return this.#takeSeat('create-room', { game, version, ...options, ...this.#named() });
  }

  join(code: string, { game }: GameKey): Promise<Room> {
    return this.#takeSeat('join-room', { code, game, ...this.#named() });
  }

  watch(code: string, { game }: GameKey): Promise<Room> {
    return this.#takeSeat('watch-room', { code, game, ...this.#named() });
  }

  quick({ game, version }: GameKey, options: QuickOptions = {}): Promise<Room> {
    return this.#takeSeat('quick-match', { game, version, ...options, ...this.#named() });
  }

  async list({ game, version }: ListKey): Promise<readonly ListedRoom[]> {
    if (this.#ended !== undefined) throw this.#ended;
    const key = { game, ...(version !== undefined && { version }) };
    const { parseRoomList } = await loadPart(() => import('./room-list.js'));
    return this.#link.ask('list-rooms', key, parseRoomList, ({ rooms }) => rooms);
  }

  resume({ seat, secret }: SeatKey): Promise<Room> {
    return this.#takeSeat('resume-seat', { seat, secret, pairings: [] });
  }

  async leave(): Promise<void> {
    const room = this.#room;
    this.#room = undefined;
    this.#held = [];
    const left = new LobbyError('left', 'You left the match.');
    room?.end(left);
    if (this.#ended !== undefined) return;
    // Without a connection the server frees the seat by itself, when its time is up.
    if (this.#comeback !== undefined) this.end(left);
    else await this.#requestSeat('leave-room', {}, () => undefined);
  }

  close(): void {
    this.end(new LobbyError('left', 'The connection to the server was closed here.'));
  }

  /** Gives the seat up, where the server can still be told, and ends everything with one reason. */
  end(error: LobbyError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    if (this.#room !== undefined) this.#link.request('leave-room', {}, () => undefined).catch(() => undefined);
    this.#room?.end(error);
    this.#room = undefined;
    this.#held = [];
    this.#link.close();
    this.#cutWait?.();
    for (const listener of this.#endListeners) listener(error);
    this.#endListeners.clear();
  }

  #named(): { name?: string } {
    const { name } = this.#options;
    return name === undefined ? {} : { name };
  }

  #takeSeat<E extends SeatEvent>(event: E, request: ClientRequest<E>): Promise<Room> {
    return this.#requestSeat<SeatEvent, Room>(event, request, (grant) => {
      if (event === 'resume-seat') this.#confirm(grant);
      return this.#enter(grant);
    });
  }

  #enter(grant: SeatGrant): OpenRoom {
    this.#room = new OpenRoom(grant, this.#options.name, {
      linkTo: (code) => {
        const link = new URL(this.#options.base);
        link.searchParams.set('room', code);
        return link.href;
      },
      signal: (to, pairing, data) => this.#signal({ to, pairing, data }),
      pairAgain: (room, to) => this.#persist(room, 'pair-again', { to, pairing: room.numberWith(to) }, () => undefined),
      iceServers: (room, to) => this.#persist(room, 'ice-servers', { to }, ({ iceServers }) => iceServers),
    });
    return this.#room;
  }

  /** A request that takes or frees a seat. After one that is not answered nobody knows who holds what. */
  async #requestSeat<E extends SeatRequest, R>(
    event: E,
    request: ClientRequest<E>,
    take: (reply: Granted<E>) => R,
  ): Promise<R> {
    if (this.#ended !== undefined) throw this.#ended;
    try {
      return await this.#link.request(event, request, take);
    } catch (error) {
      if (error instanceof LobbyError && error.code === 'timeout') this.end(error);
      throw this.#ended ?? error;
    }
  }

  #lost(): void {
    const room = this.#room;
    this.#signalsUnderWay = 0;
    this.#signalsUnasked = 0;
    if (room === undefined || this.#options.resumeMsMax <= 0) {
      this.end(serverLost());
      return;
    }
    this.#comeback ??= this.#comeBack(room).then(() => {
      this.#comeback = undefined;
      if (this.#ended !== undefined) return;
      // Lost again in the moment of success.
      if (!this.#link.connected) this.#lost();
      else this.#sendHeld();
    });
  }

  /** Connects and takes the seat back, or ends the lobby. */
  async #comeBack(room: OpenRoom): Promise<void> {
    const { clock, resumeMsMax } = this.#options;
    const deadlineMs = clock.now() + resumeMsMax;
    for (let attempt = 0; ; attempt++) {
      await this.#wait(retryDelayMs(attempt, clock.random));
      if (this.#ended !== undefined) return;
      try {
        await this.#link.open();
        await this.#takeBack(room);
        return;
      } catch (error) {
        if (this.#ended !== undefined) return;
        this.#link.close();
        const reason = error instanceof LobbyError ? error : serverLost();
        if (!PASSING.has(reason.code)) this.end(reason);
        else if (clock.now() >= deadlineMs) this.end(serverLost());
        if (this.#ended !== undefined) return;
      }
    }
  }

  async #takeBack(room: OpenRoom): Promise<void> {
    const { seat, secret } = room.seat;
    const pairings = room.pairings.map(({ peer, number }) => ({ seat: peer.seat, pairing: number }));
    await this.#link.request('resume-seat', { seat, secret, pairings }, (grant) => {
      room.rotate(grant);
      this.#confirm(grant);
    });
  }

  /** The new key is kept: the old one may go. Without this it goes when the new one is used. */
  #confirm({ secret }: SeatGrant): void {
    this.#link.request('confirm-seat', { secret }, () => undefined).catch(() => undefined);
  }

  /** Asks until the server has answered, over as many connections as it takes. */
  async #persist<E extends 'pair-again' | 'ice-servers', R>(
    room: OpenRoom,
    event: E,
    request: ClientRequest<E>,
    take: (reply: Granted<E>) => R,
  ): Promise<R> {
    for (;;) {
      await this.#comeback;
      if (this.#ended !== undefined) throw this.#ended;
      if (this.#room !== room) throw peerGone();
      try {
        return await this.#link.request(event, request, take, PROMPT_MS_MAX);
      } catch (error) {
        if (!(error instanceof LobbyError)) throw error;
        // Silence: whatever this connection is, it is none.
        if (error.code === 'timeout') this.#link.drop();
        else if (error.code !== 'server-lost' || this.#comeback === undefined) throw this.#ended ?? error;
      }
    }
  }

  #signal(signal: ClientRequest<'signal'>): void {
    if (this.#held.filter(({ to }) => to === signal.to).length >= HELD_SIGNALS_MAX) return;
    this.#held.push({ ...signal, cameBack: false });
    this.#sendHeld();
  }

  /** Sends what may be sent by now; what is for one seat stays in order. */
  #sendHeld(): void {
    const room = this.#room;
    if (room === undefined || this.#comeback !== undefined) return;
    const waiting: HeldSignal[] = [];
    for (const signal of this.#held) {
      if (signal.pairing !== room.numberWith(signal.to)) continue;
      if (room.isAway(signal.to) || this.#signalsUnderWay >= SIGNALS_UNDER_WAY_MAX) waiting.push(signal);
      else this.#send(signal);
    }
    this.#held = waiting;
  }

  #send({ cameBack: _, ...signal }: HeldSignal): void {
    this.#signalsUnderWay++;
    if (++this.#signalsUnasked < SIGNALS_PER_ANSWER) {
      this.#link.send('signal', signal);
      return;
    }
    this.#signalsUnasked = 0;
    this.#link
      .request('signal', signal, () => undefined)
      .catch((error: unknown) => {
        // Best effort by contract, but a short absence should not cost a negotiation. After anything else the peer is
        // gone or paired anew, which is told by events of their own.
        if (error instanceof LobbyError && error.code === 'peer-away') this.#signalCameBack(signal);
      })
      .finally(() => {
        this.#signalsUnderWay = Math.max(0, this.#signalsUnderWay - SIGNALS_PER_ANSWER);
        this.#sendHeld();
      });
  }

  /** The server had nobody to give it to. What comes back does so in order, and goes before what was not sent yet. */
  #signalCameBack(signal: ClientRequest<'signal'>): void {
    const room = this.#room;
    if (room === undefined) return;
    room.peerIs(signal.to, 'away');
    const at = this.#held.findIndex(({ to, cameBack }) => to === signal.to && !cameBack);
    this.#held.splice(at < 0 ? this.#held.length : at, 0, { ...signal, cameBack: true });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#options.clock.after(ms, () => {
        this.#cutWait = undefined;
        resolve();
      });
      this.#cutWait = () => {
        this.#cutWait = undefined;
        callOff();
        resolve();
      };
    });
  }
}

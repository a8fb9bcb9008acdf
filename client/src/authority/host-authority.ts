import { type Game, PLAYERS_MAX, type RecordingWriter, RiposteError } from '@riposte/shared';
import type { TransportChoice } from '@riposte/shared/protocol';
import { tell } from '../listeners.js';
import { connectLobby } from '../lobby/lobby.js';
import type { Pairing, Room } from '../lobby/room.js';
import { type ConnectOptions, connectPeer } from '../match/connect.js';
import { guarded } from '../match/match-error.js';
import { randomSeed } from '../match/seed.js';
import { matchRecording } from '../recorder/match-recording.js';
import type { EndCause } from '../session/session-types.js';
import type { Transport } from '../transport/transport.js';
import { AuthoritySession, type SeatFigures } from './authority-session.js';
import type { AuthorityEvent, AuthorityOptions } from './authority-types.js';

/** How often the session is polled: a quarter of a tick at 60 Hz, so that a step is late by no more. */
const WAKE_MS = 4;
/** How long connections are kept after the match, so that the last goodbyes arrive. */
const LINGER_MS = 1000;

export interface HostAuthorityOptions<S, I>
  extends Pick<AuthorityOptions<S, I>, 'settings' | 'frames' | 'updatesPerSecond'>,
    ConnectOptions {
  /** 32-bit unsigned; random by default. */
  readonly seed?: number;
  /** How the players connect to it, `simple-peer` by default. */
  readonly transport?: TransportChoice;
  readonly onRoom?: (room: { readonly code: string; readonly link: string }) => void;
  readonly onEvent?: (event: AuthorityEvent) => void;
}

/** How a match stands, or how it ended, as its authority sees it. */
export interface HostStatus {
  readonly room: string;
  /** The frame that is stepped next. */
  readonly frame: number;
  /** The hash of the state before it. */
  readonly hash: number;
  readonly cause: EndCause | null;
  readonly reason: string | null;
  readonly players: readonly SeatFigures[];
}

/** A match that this process runs. */
export interface HostedMatch {
  status(): HostStatus;
  /** Resolves when the match is over. */
  readonly ended: Promise<HostStatus>;
  recording(): Uint8Array | undefined;
  /** Ends the match; its players are told. */
  leave(): void;
}

/**
 * Opens a room on the server as the authority of one match, and serves the players who join it, each over a connection
 * of its own. The match begins when all are there.
 *
 * @throws LobbyError; RiposteError `bad-argument` for options that cannot be.
 */
export async function hostAuthority<S, I>(game: Game<S, I>, options: HostAuthorityOptions<S, I>): Promise<HostedMatch> {
  if (game.players >= PLAYERS_MAX) {
    throw new RiposteError(
      'bad-game',
      `${game.id} has ${game.players} players; expected fewer than ${PLAYERS_MAX}: an authority takes a seat`,
    );
  }
  const { server, signal, transport } = options;
  const lobby = await connectLobby({ server, name: 'Authority', ...(signal !== undefined && { signal }) });
  let room: Room;
  try {
    const kind = { size: game.players + 1, spectators: false, ...(transport !== undefined && { transport }) };
    room = await lobby.create({ game: game.id, version: game.version }, kind);
  } catch (error) {
    lobby.close();
    throw error;
  }
  const host = new Host(game, room, options, () => lobby.close());
  options.onRoom?.({ code: room.code, link: linkOf(room) });
  return host;
}

/** The page must know that it is no peer that waits in the room. */
function linkOf({ link }: Room): string {
  const url = new URL(link);
  url.searchParams.set('authority', '1');
  return url.href;
}

class Host<S, I> implements HostedMatch {
  readonly ended: Promise<HostStatus>;
  readonly #session: AuthoritySession<S, I>;
  readonly #room: Room;
  readonly #transports = new Map<number, Transport>();
  readonly #newest = new Map<number, Pairing>();
  #writer: RecordingWriter | undefined;
  #cause: EndCause | null = null;
  #reason: string | null = null;

  constructor(game: Game<S, I>, room: Room, options: HostAuthorityOptions<S, I>, close: () => void) {
    this.#room = room;
    const seed = options.seed ?? randomSeed();
    const { settings, frames } = options;
    let settle: (status: HostStatus) => void;
    this.ended = new Promise((resolve) => {
      settle = resolve;
    });
    const record = (names: readonly string[]) => {
      const inputDelays = names.map(() => 0);
      const agreed = { seed, settings: settings ?? {}, names, inputDelays, frames: frames ?? Number.POSITIVE_INFINITY };
      this.#writer = matchRecording(game, -1, agreed);
      return this.#writer;
    };
    this.#session = new AuthoritySession(
      { ...options, game, seed, record },
      {
        send: (player, channel, bytes) => this.#transports.get(player)?.send(channel, bytes),
        event: (event) => {
          tell(options.onEvent, event);
          if (event.type !== 'ended') return;
          this.#cause = event.cause;
          this.#reason = event.message;
          clearInterval(timer);
          options.signal?.removeEventListener('abort', abort);
          stopFollowing();
          setTimeout(() => {
            for (const transport of this.#transports.values()) transport.close();
            close();
            settle(this.status());
          }, LINGER_MS);
        },
      },
    );
    const timer = setInterval(() => this.#guard(() => this.#session.poll(performance.now())), WAKE_MS);
    const stopFollowing = room.onPairing((pairing) => void this.#follow(pairing, options));
    const abort = (): void => this.leave();
    options.signal?.addEventListener('abort', abort);
  }

  async #follow(pairing: Pairing, options: ConnectOptions): Promise<void> {
    // The authority has seat 0; the players' numbers follow.
    const player = (pairing.peer.player ?? 0) - 1;
    if (player < 0 || pairing.number <= (this.#newest.get(player)?.number ?? 0)) return;
    this.#newest.set(player, pairing);
    try {
      const transport = await connectPeer(pairing, options, this.#room);
      if (this.#cause !== null || this.#newest.get(player) !== pairing) transport.close();
      else this.#attach(player, transport);
    } catch {
      // The player asks for another pairing.
    }
  }

  #attach(player: number, transport: Transport): void {
    this.#transports.get(player)?.close();
    this.#transports.set(player, transport);
    const ifCurrent = (run: () => void): void => {
      if (this.#transports.get(player) === transport) this.#guard(run);
    };
    transport.listen({
      message: (channel, bytes) => ifCurrent(() => this.#session.receive(performance.now(), player, channel, bytes)),
      close: () => ifCurrent(() => this.#session.closed(player)),
    });
  }

  /** A game that throws ends the match in words. */
  #guard(run: () => void): void {
    guarded(run, (message) => this.#session.fail(message));
  }

  status(): HostStatus {
    const { sim, frame } = this.#session;
    return {
      room: this.#room.code,
      frame,
      hash: sim.hashAt(frame),
      cause: this.#cause,
      reason: this.#reason,
      players: this.#session.figures(performance.now()),
    };
  }

  recording(): Uint8Array | undefined {
    return this.#writer?.bytes();
  }

  leave(): void {
    this.#session.leave();
  }
}

import type { ListedRoom, RoomData, TransportChoice } from '@riposte/shared/protocol';
import { type LobbyClock, systemClock } from './clock.js';
import { aborted, LobbyError } from './lobby-error.js';
import type { Room, SeatKey } from './room.js';
import { SocketLobby } from './socket-lobby.js';

/** Milliseconds for connecting, and for each answer of the server. */
const ANSWER_MS_MAX = 10_000;

/** As long as the server keeps a seat. */
const RESUME_MS_MAX = 60_000;

export interface LobbyOptions {
  /** Address of the signaling server, with or without a path before its own: `https://play.example/games`. */
  server: string | URL;
  /** Shown to the other player: 1 to 24 characters. */
  name?: string | undefined;
  /** Aborting closes the lobby at any time; what is under way rejects with `aborted`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for connecting, and for each answer. */
  timeoutMs?: number;
  /** Milliseconds for which a lost connection is tried again while there is a seat to take back; 0 for never. */
  resumeMsMax?: number;
  clock?: LobbyClock;
}

/** Who may be paired: the same game; the two peers compare versions themselves when one joins by code. */
export interface GameKey {
  game: string;
  version: string;
}

/** Whose rooms to list; without a version those of all. */
export interface ListKey {
  game: string;
  version?: string;
}

/** What any room is like. */
interface MatchOptions {
  /** Players, 2 to 8; 2 when absent. */
  size?: number;
  /** Its players shall meet through a relay only, so that neither learns the other's address. */
  relayOnly?: boolean;
  /** How its players connect. */
  transport?: TransportChoice;
}

/** What a new room is like. */
export interface RoomOptions extends MatchOptions {
  /** Shown to everybody in `list` while it has a free seat. */
  listed?: boolean;
  /** Its line in a list: 1 to 48 characters. */
  title?: string;
  /** What a list shows of it: at most 8 fields, each a number, true, false, or text of at most 64 characters. */
  data?: RoomData;
  /** `false`: nobody may watch. */
  spectators?: boolean;
}

/** Whom a quick match is with. */
export interface QuickOptions extends MatchOptions {
  /** Where the player is: 1 to 16 letters, digits or dashes. For 10 s only players of the same region will do. */
  region?: string;
  /** How strong the player is. At first only ratings within 100 will do, 100 more after each 5 s, any after 30 s. */
  rating?: number;
}

/**
 * A connection to the server; it holds at most one seat. While it does, a lost connection is made again by itself and
 * the seat taken back, without a word to a match that runs. Every method rejects with a LobbyError.
 */
export interface Lobby {
  /** Opens a room and gives its code. */
  create(key: GameKey, options?: RoomOptions): Promise<Room>;
  /** Takes the lowest free player's seat behind a code, typed in any case. */
  join(code: string, key: GameKey): Promise<Room>;
  /** Takes a spectator's seat behind a code, before the match or while it runs. */
  watch(code: string, key: GameKey): Promise<Room>;
  /** Plays with those who wait for the same game, version and size, or waits. */
  quick(key: GameKey, options?: QuickOptions): Promise<Room>;
  /**
   * The open rooms that are listed, newest first, at most 50. Can be asked for with and without a seat.
   *
   * @throws RiposteError `not-loaded` too, when the part that reads the list cannot be loaded.
   */
  list(key: ListKey): Promise<readonly ListedRoom[]>;
  /**
   * Takes a seat back after the page was loaded again; it is paired anew with everybody. The seat has a new key at once:
   * keep `room.seat`.
   *
   * @throws LobbyError `seat-not-found` (too late, or the match is over), or `seat-in-use` (open in another tab).
   */
  resume(seat: SeatKey): Promise<Room>;
  /** Gives the seat up, also to cancel a wait; without a seat it does nothing. */
  leave(): Promise<void>;
  /** Gives the seat up and ends the connection. Idempotent. A page that is only being loaded again does not call it. */
  close(): void;
}

/**
 * Connects to a signaling server.
 *
 * @throws LobbyError `bad-server`, `server-away`, `server-full`, `server-draining`, `timeout` or `aborted`.
 */
export async function connectLobby(options: LobbyOptions): Promise<Lobby> {
  const { name, signal, timeoutMs = ANSWER_MS_MAX, resumeMsMax = RESUME_MS_MAX, clock = systemClock } = options;
  const base = serverUrl(options.server);
  if (signal?.aborted === true) throw aborted(signal);
  const lobby = new SocketLobby({ base, name, timeoutMs, resumeMsMax, clock });
  const onAbort = () => lobby.end(aborted(signal));
  signal?.addEventListener('abort', onAbort);
  lobby.onEnd(() => signal?.removeEventListener('abort', onAbort));
  await lobby.open();
  return lobby;
}

/** The address with a path that ends in `/`, below which socket.io and the pages live. */
function serverUrl(server: string | URL): URL {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new LobbyError(
      'bad-server',
      `${JSON.stringify(String(server))} is no address of a game server: it must begin with http:// or https://.`,
    );
  }
  const url = new URL(server);
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

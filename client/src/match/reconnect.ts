import { LobbyError } from '../lobby/lobby-error.js';
import type { Pairing, Room } from '../lobby/room.js';
import type { Transport } from '../transport/transport.js';
import type { PeerMatch } from './peer-match.js';

/** A connection that stays silent for so long, also on new paths, is not waited for: one more is made beside it. */
const SILENT_MS = 2500;
/** Between two attempts, so that a server or network that is away is not stormed. */
const RETRY_MS = 1500;
/** For a new pairing and the connection that it is for, before another one is asked for. */
const PAIR_MS = 3500;

/** What the connections are made for. */
export type ConnectedMatch = Pick<PeerMatch<unknown, unknown>, 'attach' | 'isConnected' | 'on' | 'restart'>;

export interface ConnectionEvents {
  connect(pairing: Pairing): Promise<Transport>;
  /** A player is connected, for the first time or again. */
  connected?(player: number): void;
  /** An attempt failed; `isLast` when no other is under way and nobody is connected. True: try again. */
  failed?(error: unknown, isLast: boolean): boolean;
  /** The seat of a player, where the numbers of the match are not those of its room. */
  seatOf?(player: number): number;
}

/** The connection to one other player, from its first pairing on. */
interface Line {
  readonly player: number;
  seat: string;
  /** Number of the newest pairing. */
  pairing: number;
  isTrying: boolean;
  /** Nothing is heard over it. */
  isDown: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Connects a match with every other player of its room, all at once, and again whenever a connection is lost: first on
 * new paths of the same connection, and when nothing is heard for a while, or it is closed, by a new pairing, whichever
 * side asked for it. While a match is played, and not between it and its rematch.
 */
export function keepConnected(
  room: Pick<Room, 'onPairing' | 'pairAgain'>,
  match: ConnectedMatch,
  events: ConnectionEvents,
): void {
  const lines = new Map<number, Line>();
  let isOver = false;

  const askIn = (line: Line, ms: number): void => {
    clearTimeout(line.timer);
    line.timer = setTimeout(() => ask(line), ms);
  };
  const ask = (line: Line): void => {
    if (isOver) return;
    askIn(line, PAIR_MS);
    room.pairAgain(line.seat).catch((error: unknown) => {
      // Anything else the next attempt may put right.
      if (error instanceof LobbyError && error.code === 'peer-gone') clearTimeout(line.timer);
    });
  };
  const follow = async (pairing: Pairing): Promise<void> => {
    const { player, seat } = pairing.peer;
    // Spectators are shown the match by other means.
    if (isOver || player === null) return;
    const line = lines.get(player) ?? { player, seat, pairing: 0, isTrying: false, isDown: false, timer: undefined };
    if (pairing.number <= line.pairing) return;
    lines.set(player, line);
    clearTimeout(line.timer);
    Object.assign(line, { seat, pairing: pairing.number, isTrying: true });
    const isCurrent = (): boolean => !isOver && line.pairing === pairing.number;
    try {
      const transport = await events.connect(pairing);
      if (!isCurrent()) {
        transport.close();
        return;
      }
      line.isTrying = false;
      match.attach(player, transport);
      events.connected?.(player);
      // Where the match has told that it hears nothing, it must hear something now.
      if (line.isDown) askIn(line, SILENT_MS + PAIR_MS);
    } catch (error) {
      if (!isCurrent()) return;
      line.isTrying = false;
      const isLast = [...lines.values()].every((each) => !each.isTrying && !match.isConnected(each.player));
      if (events.failed?.(error, isLast) !== false) askIn(line, RETRY_MS);
    }
  };

  match.on('link', (number, isUp) => {
    const player = events.seatOf?.(number) ?? number;
    const line = lines.get(player);
    if (line === undefined) return;
    line.isDown = !isUp;
    clearTimeout(line.timer);
    if (isUp || line.isTrying) return;
    if (!match.isConnected(player)) ask(line);
    else {
      match.restart(player);
      askIn(line, SILENT_MS);
    }
  });
  const stopFollowing = room.onPairing((pairing) => void follow(pairing));
  match.on('phase', (phase) => {
    const wasOver = isOver;
    isOver = phase === 'ended' || phase === 'failed';
    if (isOver === wasOver) return;
    for (const line of lines.values()) {
      clearTimeout(line.timer);
      line.isDown = false;
      line.isTrying = false;
    }
  });
  match.on('closed', stopFollowing);
}

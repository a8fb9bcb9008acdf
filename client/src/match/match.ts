import type { EffectEvent, Fact, Game, Settings } from '@riposte/shared';
import type { TransportChoice } from '@riposte/shared/protocol';
import type { StateAfter } from '../display/state-after.js';
import type { RoomSeat } from '../lobby/room.js';
import type { RecordingArchive } from '../recorder/archive.js';
import type { Measures } from '../session/measures.js';
import type { EndCause, Presence } from '../session/session-types.js';
import type { LinkConditions } from '../transport/conditions.js';
import type { WebRtc } from '../transport/simple-peer.js';
import type { Route, TransportKind } from '../transport/transport.js';

/** Where a match is, from the player's side. */
export type Phase = 'lobby' | 'connecting' | 'syncing' | 'running' | 'interrupted' | 'ended' | 'failed';

/** A player as all may see it. `inactive`: its page is hidden and says nothing more; `gone`: the match goes on without it. */
export interface PlayerInfo {
  readonly name: string;
  readonly me: boolean;
  readonly presence: Presence;
}

/** What a page may show at any time; the same object that automation reads. */
export interface MatchStatus {
  readonly phase: Phase;
  /** The room's code, once there is one. */
  readonly room: string | null;
  /** The last simulated frame, -1 before the first. */
  readonly frame: number;
  readonly confirmedFrame: number;
  /** Frames between a press and the frame that it plays in. */
  readonly inputDelay: number;
  /** Round trip, smoothed; null before the first measure. */
  readonly rttMs: number | null;
  readonly rollbacks: number;
  readonly maxRollbackFrames: number;
  readonly resimulatedFrames: number;
  /** Ticks that could not advance because the remote input was too far behind. */
  readonly stalledFrames: number;
  /** Packets that were malformed, stale or contradictory, and were ignored. */
  readonly droppedPackets: number;
  /** Packets of inputs to and from all other players; bytes without what the network adds. */
  readonly sentPackets: number;
  readonly sentBytes: number;
  readonly receivedPackets: number;
  /** Frames whose hash was compared with the peer's. */
  readonly comparedFrames: number;
  /** How often the remote player's confirmed input changed from one frame to the next. */
  readonly remoteInputChanges: number;
  /** Where the match parted, which makes it void; null while it has not. */
  readonly desync: null | Desync;
  readonly transport: TransportKind | null;
  readonly players: readonly PlayerInfo[];
  /** Why the match ended, null while it has not. */
  readonly cause: EndCause | null;
  /** What happened and what to do, when `phase` is `ended` or `failed`. */
  readonly reason: string | null;
  /** The other player's input delay, in frames. */
  readonly peerInputDelay: number;
  /** Whose machine is too slow for the game's rate, so that both wait for it. */
  readonly slowMachine: 'own' | 'peer' | null;
  /** Milliseconds until an interrupted match is given up; null when it is not interrupted. */
  readonly resumeLeftMs: number | null;
  /** How prediction fares, over the last minute; null before the match, and where nothing is predicted. */
  readonly measures: Measures | null;
  /** The players of a finished match who want another one; null where there can be none. */
  readonly rematch: readonly number[] | null;
  /** The player who has the match paused; null while it is not. */
  readonly pausedBy: number | null;
}

/** Where two sides of a match parted: the states before `frame` agree, those after its step do not. */
export interface Desync {
  readonly frame: number;
  /** The first field that differs, and its value on this side and on the other, as soon as both are known. */
  readonly path?: string;
  readonly here?: string;
  readonly there?: string;
}

/** What the page is shown with, once per drawn frame. */
export interface DrawInfo {
  /** This page's player number. */
  readonly me: number;
  /** How far the present moment lies between the last simulated frame and the next, 0 to 1. */
  readonly alpha: number;
  readonly frame: number;
  readonly status: MatchStatus;
}

/** Reads this player's input now; called once a tick. What is left out is neutral. */
export type InputSource<I> = () => Partial<I>;

/** What a page is told of that which the game's steps emit. A listener that throws is reported and does no harm. */
export interface EffectListeners {
  /** An effect starts, also one that is only predicted; later it is cancelled or final. Called after the tick. */
  readonly onEffect?: (effect: EffectEvent) => void;
  /** A fact of a confirmed frame: each once, in order, the same on both sides. */
  readonly onFact?: (fact: Fact) => void;
}

export interface MatchOptions<S, I> extends EffectListeners {
  readonly input: InputSource<I>;
  /** Called once a picture; `stateAfter` tells how recent frames stand now, for a display that blends corrections. */
  readonly draw?: (state: S, info: DrawInfo, stateAfter: StateAfter<S>) => void;
  /** Called when a created room can be shared. */
  readonly onRoom?: (room: { readonly code: string; readonly link: string }) => void;
  /** Called in the lobby with the players who are there by now, whenever that changes. `size`: players when full. */
  readonly onSeats?: (seats: readonly RoomSeat[], size: number) => void;
  readonly onPhase?: (phase: Phase, status: MatchStatus) => void;
  /** Aborting leaves the match, at any time; before it runs, `joinMatch` rejects with `aborted`. */
  readonly signal?: AbortSignal;
  /** Players of a new match, from 2 to the game's own number, which is the default. Whoever joins follows the creator. */
  readonly players?: number;
  /** Shown to the other players, up to 24 characters. */
  readonly name?: string;
  /** Decided by player 0; those of others are ignored unless they differ in names or types, which is refused. */
  readonly settings?: Settings;
  /** 32-bit unsigned; decided by player 0, random by default. */
  readonly seed?: number;
  /** 8 frames by default. */
  readonly maxPrediction?: number;
  /** Frames, 0 to 15, or `auto` (the default): from the measured round trip at the start. */
  readonly inputDelay?: number | 'auto';
  /** How the peers of a new match connect, `simple-peer` by default. Whoever joins a match follows its creator. */
  readonly transport?: TransportChoice;
  /** The peers of a new match meet through the server's relay only, so that neither learns the other's address. */
  readonly relayOnly?: boolean;
  /** False keeps no recording. */
  readonly record?: boolean;
  /** Keeps the recording as the match is played, such as `browserArchive()`; it is lost with the page by default. */
  readonly archive?: RecordingArchive;
  /** Ends the match when frames 0 to `frames - 1` are confirmed. */
  readonly frames?: number;
  /** Alters this peer's state at that frame, or at the one that it gives by then: a deliberate desync, to practise on. */
  readonly fault?: number | (() => number);
  /** Mistreats what this peer sends, to try a bad network. */
  readonly link?: LinkConditions;
  /** Where there is no WebRTC of its own, as in Node: the module to use, such as `@roamhq/wrtc`. */
  readonly wrtc?: WebRtc;
}

/**
 * Where the players meet: exactly one of `room` (a code), `quick` and `create`. A page that was reloaded takes its seat
 * back when it asks for the `room` that it was in, so keep `onRoom`'s code in the page's address.
 */
type Meeting =
  | { readonly room: string; readonly quick?: never; readonly create?: never }
  | { readonly quick: true; readonly room?: never; readonly create?: never }
  | { readonly create: true; readonly room?: never; readonly quick?: never };

export type JoinOptions<S, I> = MatchOptions<S, I> & Meeting & { readonly server: string };

export interface MatchEvents {
  phase: (phase: Phase, status: MatchStatus) => void;
  /** Another player is heard, is not heard, or is gone. */
  presence: (player: number, presence: Presence) => void;
  /** The direct connection to another player is silent, or is heard again. */
  link: (player: number, isUp: boolean) => void;
  /** The match has parted; told once more when it is known what differs. */
  desync: (desync: Desync) => void;
  /** A player has paused the match, or nobody has any more: null. */
  pause: (by: number | null) => void;
  /** The match is finished, and another player wants one more. */
  rematch: (player: number) => void;
  /** The match is over and there can be no further one, for this reason. */
  closed: (reason: string) => void;
}

/** A running match and its rematches, as its page holds them. */
export interface Match<S, I> {
  /** This page's player number; -1 on one machine. It changes with a rematch: the players change sides. */
  readonly me: number;
  readonly game: Game<S, I>;
  status(): MatchStatus;
  /** Returns a function that takes the listener off again. A listener that throws is reported and does no harm. */
  on<E extends keyof MatchEvents>(event: E, listener: MatchEvents[E]): () => void;
  /** The state before a recent confirmed frame. Throws `frame-not-kept`. */
  stateAt(frame: number): S;
  /** The hash of the state before a confirmed frame. Throws `frame-not-kept`. */
  hashAt(frame: number): number;
  /** The recording so far as the bytes of an `.rpl` file. */
  recording(): Promise<Uint8Array>;
  /**
   * The report of a match that parted, as the bytes of an `.rpr` file: this side's recording, and the other's once it has
   * come, within seconds. Rejects with `bad-recording` where the match has not parted, or is not recorded.
   */
  report(): Promise<Uint8Array>;
  /** Changes the input delay, also of rematches: frames from 0 to 15, or `auto` to follow the link. Throws `bad-argument`. */
  setInputDelay(inputDelay: number | 'auto'): void;
  /** Which way the packets take: `relayed` when those of any other player do; null where that is not known. */
  route(): Promise<Route | null>;
  /**
   * Stops the match for all, at a frame soon after, until `resume` or until five minutes of this player's pauses are used
   * up. Without effect while no match runs.
   */
  pause(): void;
  /** Ends this player's own pause. */
  resume(): void;
  /**
   * Asks for another match of the same players, once one is finished: with the sides changed, another seed, and a
   * recording of its own. Resolves when it runs: all must want it within a minute.
   *
   * @throws MatchError `no-rematch`, with a sentence that says why: a player left, or the minute is over.
   */
  rematch(): Promise<void>;
  /** Ends the match, or the wait for a rematch. */
  leave(): void;
}

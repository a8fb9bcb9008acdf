import type { Game, RecordingWriter, Settings } from '@riposte/shared';
import type { RecordedMatch } from '../recorder/match-recording.js';
import type { Channel } from '../transport/transport.js';

/** `finished` is the end as asked, everything confirmed on both sides; all others cut the match short. */
export type EndCause = 'finished' | 'left' | 'peer-left' | 'lost' | 'refused' | 'peer-fault' | 'game-fault';

/** How a player is there: `inactive` when its page is hidden and says nothing more, `gone` when the match goes on without it. */
export type Presence = 'here' | 'inactive' | 'interrupted' | 'gone';

export type SessionEvent =
  | { readonly type: 'running' }
  | { readonly type: 'interrupted' }
  /** The direct connection to one player is silent, or is heard again; the player may be heard by way of others. */
  | { readonly type: 'link'; readonly player: number; readonly isUp: boolean }
  | { readonly type: 'presence'; readonly player: number; readonly presence: Presence }
  /** The states part from those of a player in the step of a frame. */
  | { readonly type: 'desync'; readonly player: number; readonly frame: number }
  /** A player has the match paused; nobody has any more: null. */
  | { readonly type: 'paused'; readonly by: number | null }
  | { readonly type: 'ended'; readonly cause: EndCause; readonly message: string };

/** Where a session's bytes and events go. Bytes are reused by the session after `send` returns. */
export interface SessionOutput {
  send(player: number, channel: Channel, bytes: Uint8Array): void;
  event(event: SessionEvent): void;
}

export interface SessionOptions<S, I> {
  readonly game: Game<S, I>;
  /** This peer's player number: player 0 decides the seed and the settings. */
  readonly me: number;
  /** Seats in this match; the game's number by default. */
  readonly players?: number | undefined;
  /** Required for more than two players. */
  readonly party?: typeof import('./party.js') | undefined;
  readonly name: string;
  /** 32-bit unsigned; used when this peer is player 0. */
  readonly seed: number;
  readonly settings?: Settings | undefined;
  readonly maxPrediction?: number | undefined;
  readonly inputDelay: number | 'auto';
  readonly frames?: number | undefined;
  /** This peer was in the match and lost what it had of it, as by a reload: the other one has it. */
  readonly returning?: boolean | undefined;
  /** By player: the epoch that the packets of the connection to it begin with; 0 by default. */
  readonly epochs?: readonly number[] | undefined;
  /** Milliseconds, only to measure what the game's steps cost and to keep its rollbacks affordable. */
  readonly clock?: (() => number) | undefined;
  /** Makes the recording of a match once seed, settings and delays are agreed, or a running match has arrived. */
  readonly record?: ((match: RecordedMatch) => RecordingWriter) | undefined;
}

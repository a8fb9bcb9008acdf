import type { Game, RecordingWriter, Settings } from '@riposte/shared';
import type { RecordedMatch } from '../recorder/match-recording.js';
import type { EndCause } from '../session/session-types.js';
import type { Channel } from '../transport/transport.js';

/** How often an authority sends its word, unless it is told otherwise. */
export const UPDATES_PER_SECOND_DEFAULT = 20;

export interface AuthorityOptions<S, I> {
  readonly game: Game<S, I>;
  /** 32-bit unsigned. */
  readonly seed: number;
  readonly settings?: Settings | undefined;
  /** Ends the match after this many frames. */
  readonly frames?: number | undefined;
  /** 1 to the game's tick rate; 20 by default. */
  readonly updatesPerSecond?: number | undefined;
  /** Makes the recording of the match once the players' names are known. */
  readonly record?: ((names: readonly string[]) => RecordingWriter) | undefined;
}

export type AuthorityEvent =
  | { readonly type: 'joined'; readonly player: number; readonly name: string }
  | { readonly type: 'running' }
  | { readonly type: 'interrupted' | 'back' | 'gone'; readonly player: number }
  | { readonly type: 'ended'; readonly cause: EndCause; readonly message: string };

/** Where an authority's bytes and events go. Bytes are reused after `send` returns. */
export interface AuthorityOutput {
  send(player: number, channel: Channel, bytes: Uint8Array): void;
  event(event: AuthorityEvent): void;
}

export interface ClientOptions<S, I> {
  readonly game: Game<S, I>;
  readonly name: string;
  /** Frames between a press and the frame that it plays in, 0 to 15; 0 by default: prediction hides the link. */
  readonly inputDelay?: number | undefined;
  /** Milliseconds, only to measure what running frames again costs. */
  readonly clock?: (() => number) | undefined;
  /** Makes the recording of a match, anew where frames are missing because a whole state was taken. */
  readonly record?: ((match: RecordedMatch) => RecordingWriter) | undefined;
}

export type ClientEvent =
  | { readonly type: 'running' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'denied'; readonly frame: number; readonly reason: string }
  | { readonly type: 'ended'; readonly cause: EndCause; readonly message: string };

/** Where a client's bytes and events go. Bytes are reused after `send` returns. */
export interface ClientOutput {
  send(channel: Channel, bytes: Uint8Array): void;
  event(event: ClientEvent): void;
}

import type * as v from 'valibot';
import { text } from './checks.js';
import { frame, message, parseMessage, word } from './messages.js';

/** What a spectator says first to its source. */
const watch = message('watch', {
  wire: word,
  game: text(64),
  version: text(64),
  tickRate: word,
  inputBits: word,
  /** The last frame that it has by another source, to go on from; -1 for none. */
  holds: frame,
  /** Packets of its connections before are of epochs up to this one. */
  epoch: word,
});
export type WatchMessage = v.InferOutput<typeof watch>;

/** Reads what a spectator says first; undefined for anything else. */
export function parseWatchMessage(text: string): WatchMessage | undefined {
  return parseMessage(watch, text);
}

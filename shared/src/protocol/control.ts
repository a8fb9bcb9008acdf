import * as v from 'valibot';
import { list, text, whole } from './checks.js';
import { frame, message, parseMessage, player, settings, word } from './messages.js';
import { SEATS_MAX } from './packet.js';
import type { SeatMessage } from './seat-message.js';
import type { WatchMessage } from './watch-message.js';

/** Frames of hashes in one message. */
export const HASHES_MAX = 1024;

/** What each side says first: all that must agree, and player 0's choice of seed and settings. */
const hello = message('hello', {
  wire: word,
  game: text(64),
  version: text(64),
  tickRate: word,
  inputBits: word,
  /** The sender's seat, of so many. */
  player,
  players: whole(2, SEATS_MAX),
  name: text(24),
  inputDelay: v.union([whole(0, 15), v.literal('auto')]),
  seed: word,
  settings: v.nullable(settings),
  frames: v.nullable(word),
  /** This page lost what it had of the running match, as by a reload, and asks for it. */
  returning: v.boolean(),
});

/** The hello was read and fits. Sent at once, so that the other side's wait for it is a round trip. */
const ready = message('ready', {});

/** The round trip that this side measured, in milliseconds: an upper bound, exact for the side that opened last. */
const start = message('start', { rttMs: v.pipe(v.number(), v.minValue(0), v.maxValue(60_000)) });

/** Why this side does not play; the connection is closed after it. */
const refuse = message('refuse', { code: text(32), message: text(512) });

/** The frames in which a seat is not there: from the first up to, and without, the second; null when none is known. */
const absence = v.nullable(v.tuple([frame, v.nullable(frame)]));

/**
 * Confirmed hashes of frame `from` and those after it, and the last frame that the sender has simulated: sent by both when
 * their chains differ.
 */
const hashes = message('hashes', {
  from: frame,
  head: frame,
  hashes: list(word, HASHES_MAX),
  /** By seat: who was not there. */
  absences: list(absence, 8),
});

/** The match is over for this side: `finished` has the chain over all frames up to `frame`. */
const bye = message('bye', { reason: v.picklist(['finished', 'left', 'fault']), frame, chain: word });

/** The sender's page is hidden, where browsers let it run seldom or not at all; or it is seen again. */
const hidden = message('hidden', { hidden: v.boolean() });

/** A new connection of a running match: each side proposes the epoch after its own, the larger one holds. */
const resume = message('resume', { epoch: word, holds: frame });

/** The sender wants another match. Its packets so far are of epochs up to this one; whatever follows is of the next. */
const rematch = message('rematch', { epoch: word });

/** The sender has the match paused from this frame on, or lets it go on: what it says last counts. */
const pause = message('pause', { paused: v.boolean(), frame });

const words = list(v.pipe(v.number(), v.integer()), 4096);

/**
 * The running match, for a player who returns without it. `state` bytes of state at `frame` follow as binary messages;
 * `before` has each player's input of the frame before, `inputs` those from `frame` on.
 */
const welcome = message('welcome', {
  epoch: word,
  seed: word,
  settings,
  names: list(text(24), 8),
  inputDelays: list(word, 8),
  frames: v.nullable(word),
  frame,
  /** The last of the returner's inputs that the sender has: the returner owns the frames after it. */
  holds: frame,
  chain: word,
  hash: word,
  bytes: whole(0, 64 * 1024 * 1024),
  before: list(words, 8),
  inputs: list(words, 8),
  /** By seat, in a match of more than two. The inputs of one that is not there at `frame` begin when it is again. */
  absences: list(absence, 8),
});

const control = v.variant('type', [hello, ready, start, resume, welcome, refuse, hashes, hidden, bye, rematch, pause]);

export type ControlMessage = v.InferOutput<typeof control> | SeatMessage | WatchMessage;
export type Hello = v.InferOutput<typeof hello>;
export type Welcome = v.InferOutput<typeof welcome>;

/** Reads a message of the reliable channel that any player may get; undefined for anything that is none. */
export function parseControl(text: string): v.InferOutput<typeof control> | undefined {
  return parseMessage(control, text);
}

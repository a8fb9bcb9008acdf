import * as v from 'valibot';
import { PLAYERS_MAX } from '../game/game.js';
import { whole } from './whole.js';

/** The longest text of a control message: hashes of 1,024 frames and room to spare. */
export const CONTROL_CHARACTERS_MAX = 32_768;

/** Frames of hashes in one message. */
export const HASHES_MAX = 1024;

const word = whole(0, 0xffffffff);
const text = (length: number) => v.pipe(v.string(), v.maxLength(length));
const frame = whole(-1, Number.MAX_SAFE_INTEGER);
const player = whole(0, PLAYERS_MAX - 1);
const settings = v.pipe(
  v.record(text(64), v.union([text(256), v.pipe(v.number(), v.finite()), v.boolean()])),
  v.check((entries) => Object.keys(entries).length <= 64, 'at most 64 settings'),
);

/** What each side says first: all that must agree, and player 0's choice of seed and settings. */
const hello = v.strictObject({
  type: v.literal('hello'),
  wire: word,
  game: text(64),
  version: text(64),
  tickRate: word,
  inputBits: word,
  /** The sender's seat, of so many. */
  player,
  players: whole(2, PLAYERS_MAX),
  name: text(24),
  inputDelay: v.union([whole(0, 15), v.literal('auto')]),
  seed: word,
  settings: v.nullable(settings),
  frames: v.nullable(word),
  /** This page lost what it had of the running match, as by a reload, and asks for it. */
  returning: v.boolean(),
});

/** What a spectator says first to its source. */
const watch = v.strictObject({
  type: v.literal('watch'),
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

/** The hello was read and fits. Sent at once, so that the other side's wait for it is a round trip. */
const ready = v.strictObject({ type: v.literal('ready') });

/** The round trip that this side measured, in milliseconds: an upper bound, exact for the side that opened last. */
const start = v.strictObject({
  type: v.literal('start'),
  rttMs: v.pipe(v.number(), v.minValue(0), v.maxValue(60_000)),
});

/** Why this side does not play; the connection is closed after it. */
const refuse = v.strictObject({ type: v.literal('refuse'), code: text(32), message: text(512) });

/** The frames in which a seat is not there: from the first up to, and without, the second; null when none is known. */
const absence = v.nullable(v.tuple([frame, v.nullable(frame)]));

/** Confirmed hashes of frame `from` and those after it: sent by both when their chains differ. */
const hashes = v.strictObject({
  type: v.literal('hashes'),
  from: frame,
  hashes: v.pipe(v.array(word), v.maxLength(HASHES_MAX)),
  /** By seat: who was not there. */
  absences: v.pipe(v.array(absence), v.maxLength(8)),
});

/** The match is over for this side: `finished` has the chain over all frames up to `frame`. */
const bye = v.strictObject({
  type: v.literal('bye'),
  reason: v.picklist(['finished', 'left', 'fault']),
  frame,
  chain: word,
});

/** The sender's page is hidden, where browsers let it run seldom or not at all; or it is seen again. */
const hidden = v.strictObject({ type: v.literal('hidden'), hidden: v.boolean() });

/** Steps by which those who are left agree that a seat is lost, or is taken again: see `Seats`. */
const seatSteps = [
  'left',
  'freeze',
  'held',
  'thaw',
  'drop',
  'have',
  'gone',
  'ready',
  'admit',
  'late',
  'settled',
  'enter',
] as const;

/**
 * What a player says of a seat, in a match of more than two. Everybody passes it on to everybody once, so that it
 * arrives where the sender has no link to.
 */
const seat = v.strictObject({
  type: v.literal('seat'),
  from: player,
  /** Grows with each message of the sender. */
  serial: word,
  step: v.picklist(seatSteps),
  seat: player,
  /** The attempt that this belongs to; 0 for none. */
  round: word,
  /** The step's frame: the seat's last one, or the first of one that returns; -1 for none. */
  frame,
  /** In `held`: whether the sender hears the seat, or was told its last frame, or has taken it as gone already. */
  heard: v.optional(v.picklist(['silent', 'heard', 'dropping', 'gone'])),
  /** In `admit`: the seat's last frame before it was gone, for who missed that. */
  last: v.optional(frame),
  /** In `admit`: the seats that are not there, for who returns and missed that. */
  gone: v.optional(v.pipe(v.array(player), v.maxLength(8))),
});

/** A new connection of a running match: each side proposes the epoch after its own, the larger one holds. */
const resume = v.strictObject({ type: v.literal('resume'), epoch: word, holds: frame });

/** The sender wants another match. Its packets so far are of epochs up to this one; whatever follows is of the next. */
const rematch = v.strictObject({ type: v.literal('rematch'), epoch: word });

/** The sender has the match paused from this frame on, or lets it go on: what it says last counts. */
const pause = v.strictObject({ type: v.literal('pause'), paused: v.boolean(), frame });

const words = v.pipe(v.array(v.pipe(v.number(), v.integer())), v.maxLength(4096));

/**
 * The running match, for a player who returns without it. `state` bytes of state at `frame` follow as binary messages;
 * `before` has each player's input of the frame before, `inputs` those from `frame` on.
 */
const welcome = v.strictObject({
  type: v.literal('welcome'),
  epoch: word,
  seed: word,
  settings,
  names: v.pipe(v.array(text(24)), v.maxLength(8)),
  inputDelays: v.pipe(v.array(word), v.maxLength(8)),
  frames: v.nullable(word),
  frame,
  /** The last of the returner's inputs that the sender has: the returner owns the frames after it. */
  holds: frame,
  chain: word,
  hash: word,
  bytes: whole(0, 64 * 1024 * 1024),
  before: v.pipe(v.array(words), v.maxLength(8)),
  inputs: v.pipe(v.array(words), v.maxLength(8)),
  /** By seat, in a match of more than two. The inputs of one that is not there at `frame` begin when it is again. */
  absences: v.pipe(v.array(absence), v.maxLength(8)),
});

const control = v.variant('type', [
  hello,
  watch,
  ready,
  start,
  resume,
  welcome,
  refuse,
  hashes,
  hidden,
  seat,
  bye,
  rematch,
  pause,
]);

export type ControlMessage = v.InferOutput<typeof control>;
export type Hello = v.InferOutput<typeof hello>;
export type SeatMessage = v.InferOutput<typeof seat>;
export type SeatStep = SeatMessage['step'];
export type Welcome = v.InferOutput<typeof welcome>;

/** Reads a message of the reliable channel; undefined for anything that is none. */
export function parseControl(text: string): ControlMessage | undefined {
  if (text.length > CONTROL_CHARACTERS_MAX) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const result = v.safeParse(control, value);
  return result.success ? result.output : undefined;
}

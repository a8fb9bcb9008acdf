import * as v from 'valibot';
import { text, whole } from './checks.js';
import { message, parseMessage, player, settings, word } from './messages.js';

const frame = whole(0, 2 ** 30);

/** What a client says first: all that must agree. */
const join = message('join', {
  wire: word,
  game: text(64),
  version: text(64),
  tickRate: word,
  inputBits: word,
  name: text(24),
});

/** The join was read and fits. Sent at once, so that the client's wait for it is a round trip. */
const ready = message('ready', {});

/** The match, as its authority runs it: `frame` is the one that is stepped next, `inMs` milliseconds after this was sent. */
const begin = message('begin', {
  player,
  frame,
  inMs: v.pipe(v.number(), v.minValue(0), v.maxValue(60_000)),
  seed: word,
  settings,
  names: v.pipe(v.array(text(24)), v.minLength(1), v.maxLength(8)),
  frames: v.nullable(frame),
  updatesPerSecond: whole(1, 240),
});

/** Why the authority does not play with this client; the connection is closed after it. */
const refuse = message('refuse', { code: text(32), message: text(512) });

/** An input broke the game's rules: the frame was stepped with the neutral one. */
const denied = message('denied', { frame, reason: text(256) });

/** The match is over for this side. */
const bye = message('bye', { reason: v.picklist(['finished', 'left', 'fault']) });

const authorityMessage = v.variant('type', [join, ready, begin, refuse, denied, bye]);

export type AuthorityMessage = v.InferOutput<typeof authorityMessage>;
export type Join = v.InferOutput<typeof join>;
export type Begin = v.InferOutput<typeof begin>;

/** Reads a message of the reliable channel between a client and its authority; undefined for anything that is none. */
export function parseAuthorityMessage(json: string): AuthorityMessage | undefined {
  return parseMessage(authorityMessage, json);
}

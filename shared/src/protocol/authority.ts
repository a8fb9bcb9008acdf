import * as v from 'valibot';

const MESSAGE_CHARACTERS_MAX = 32_768;
const word = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff));
const frame = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 30));
const text = (length: number) => v.pipe(v.string(), v.maxLength(length));

/** What a client says first: all that must agree. */
const join = v.strictObject({
  type: v.literal('join'),
  wire: word,
  game: text(64),
  version: text(64),
  tickRate: word,
  inputBits: word,
  name: text(24),
});

/** The join was read and fits. Sent at once, so that the client's wait for it is a round trip. */
const ready = v.strictObject({ type: v.literal('ready') });

/** The match, as its authority runs it: `frame` is the one that is stepped next, `inMs` milliseconds after this was sent. */
const begin = v.strictObject({
  type: v.literal('begin'),
  player: v.pipe(word, v.maxValue(7)),
  frame,
  inMs: v.pipe(v.number(), v.minValue(0), v.maxValue(60_000)),
  seed: word,
  settings: v.pipe(
    v.record(text(64), v.union([text(256), v.pipe(v.number(), v.finite()), v.boolean()])),
    v.check((entries) => Object.keys(entries).length <= 64, 'at most 64 settings'),
  ),
  names: v.pipe(v.array(text(24)), v.minLength(1), v.maxLength(8)),
  frames: v.nullable(frame),
  updatesPerSecond: v.pipe(word, v.minValue(1), v.maxValue(240)),
});

/** Why the authority does not play with this client; the connection is closed after it. */
const refuse = v.strictObject({ type: v.literal('refuse'), code: text(32), message: text(512) });

/** An input broke the game's rules: the frame was stepped with the neutral one. */
const denied = v.strictObject({ type: v.literal('denied'), frame, reason: text(256) });

/** The match is over for this side. */
const bye = v.strictObject({ type: v.literal('bye'), reason: v.picklist(['finished', 'left', 'fault']) });

const message = v.variant('type', [join, ready, begin, refuse, denied, bye]);

export type AuthorityMessage = v.InferOutput<typeof message>;
export type Join = v.InferOutput<typeof join>;
export type Begin = v.InferOutput<typeof begin>;

/** Reads a message of the reliable channel between a client and its authority; undefined for anything that is none. */
export function parseAuthorityMessage(json: string): AuthorityMessage | undefined {
  if (json.length > MESSAGE_CHARACTERS_MAX) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const result = v.safeParse(message, value);
  return result.success ? result.output : undefined;
}

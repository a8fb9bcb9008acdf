/** What the text messages between peers are made of, and how one is read. Whatever passes is bounded. */
import * as v from 'valibot';
import { parseWith, text, whole } from './checks.js';
import { SEATS_MAX } from './packet.js';

/** The longest text of a message: hashes of 1,024 frames and room to spare. */
export const CONTROL_CHARACTERS_MAX = 32_768;

/** 32 bits, unsigned. */
export const word = whole(0, 0xffffffff);
/** The last frame that a simulation counts: 207 days at 60 Hz. */
const FRAME_MAX = 2 ** 30 - 2;
/** -1 for none. */
export const frame = whole(-1, FRAME_MAX);
export const player = whole(0, SEATS_MAX - 1);
export const settings = v.pipe(
  v.record(text(64), v.union([text(256), v.pipe(v.number(), v.finite()), v.boolean()])),
  v.maxEntries(64),
);

/** A message of this type, with these fields and no other. */
export const message = <T extends string, E extends v.ObjectEntries>(type: T, fields: E) =>
  v.strictObject({ type: v.literal(type), ...fields });

/** Reads a message; undefined for anything that does not fit the schema. */
export function parseMessage<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  if (text.length > CONTROL_CHARACTERS_MAX) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return parseWith(schema, value);
}

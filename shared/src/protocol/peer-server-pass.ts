/** What a seat needs to negotiate over the server's PeerServer: read only where two players connect by PeerJS. */
import * as v from 'valibot';
import { parseWith } from './checks.js';

/** 128 bits in hexadecimal: PeerJS takes no base64url for an id. */
const PeerServerIdSchema = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

const PeerServerPassSchema = v.object({
  id: PeerServerIdSchema,
  token: v.pipe(v.string(), v.regex(/^[\w.-]{1,256}$/)),
  /** The id of the other seat. */
  peer: PeerServerIdSchema,
});
/** What a seat needs to negotiate with one other seat over the server's PeerServer. `token` proves `id`. */
export type PeerServerPass = v.InferOutput<typeof PeerServerPassSchema>;

/** Checks the pass of a pairing; undefined for what does not fit. */
export function parsePeerServerPass(pass: unknown): PeerServerPass | undefined {
  return parseWith(PeerServerPassSchema, pass);
}

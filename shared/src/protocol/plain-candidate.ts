import { ASCII, CANDIDATE_BYTES_MAX, SEAT_ID } from './signaling-fields.js';
import type { ClientRequest } from './signaling-requests.js';

/** A match has one media line, whose name is a digit; others are left to the schema. */
const MEDIA_LINE_MAX = 255;
const MEDIA_NAME_LENGTH_MAX = 16;

/**
 * Whether a `signal` is a candidate as browsers write it, with all of its fields and no other. Nearly all that a server
 * relays is, and to look at it so takes a fraction of the time that its schema takes, which would pass it unchanged.
 */
export function isPlainCandidate(payload: unknown): payload is ClientRequest<'signal'> {
  if (!hasFields(payload, 3)) return false;
  const { to, pairing, data } = payload;
  if (!isText(to) || !SEAT_ID.test(to) || !isWhole(pairing, 1, 0x7fff_ffff)) return false;
  if (!hasFields(data, 2) || data['type'] !== 'candidate') return false;
  const { candidate: fields } = data;
  if (!hasFields(fields, 3)) return false;
  const { candidate, sdpMLineIndex, sdpMid } = fields;
  return (
    isText(candidate) &&
    candidate.length <= CANDIDATE_BYTES_MAX &&
    ASCII.test(candidate) &&
    isWhole(sdpMLineIndex, 0, MEDIA_LINE_MAX) &&
    isText(sdpMid) &&
    sdpMid.length <= MEDIA_NAME_LENGTH_MAX
  );
}

/** An object with exactly so many fields. */
function hasFields(value: unknown, count: number): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  let found = 0;
  for (const _ in value) found++;
  return found === count;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

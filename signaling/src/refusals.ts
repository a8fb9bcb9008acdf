import type { SignalingErrorCode, SignalingFailure } from '@riposte/shared/protocol';

interface Refusal {
  ok: false;
  error: SignalingFailure;
}

/** A refusal with a sentence for people. */
export function refuse(code: SignalingErrorCode, message: string): Refusal {
  return { ok: false, error: { code, message } };
}

/** The refusal of somebody without a seat. */
export function notInRoom(): Refusal {
  return refuse('not-in-room', 'You are in no match: create or join one first.');
}

/** The refusal of somebody who is alone in the room. */
export function peerGone(): Refusal {
  return refuse('peer-gone', 'The other player is not in this match any more.');
}

/** Missing, expired and wrong have one answer. */
export function seatNotFound(): Refusal {
  return refuse(
    'seat-not-found',
    'This seat cannot be taken back: you were away for too long, or the match is over. Start a new match.',
  );
}

/** Another tab holds the seat. */
export function seatInUse(): Refusal {
  return refuse(
    'seat-in-use',
    'This match is open in another tab: go on there, or close that tab and load this one again.',
  );
}

/** Beyond a limit. */
export function tooFast(): Refusal {
  return refuse('rate-limited', 'Too many requests from here: wait a minute and try again.');
}

/** The store does not answer. */
export function storeAway(): Refusal {
  return refuse(
    'store-away',
    'The server cannot reach its rooms at the moment: matches that run go on, new ones have to wait. Try again in a while.',
  );
}

/** The server is on its way out. */
export function draining(): Refusal {
  return refuse('server-draining', DRAINING_MESSAGE);
}

export const DRAINING_MESSAGE = 'The server is stopping for maintenance: try again in a minute.';

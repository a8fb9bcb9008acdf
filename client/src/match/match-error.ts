import { RiposteError } from '@riposte/shared';
import type { EndCause } from '../session/session-types.js';

/** Why a match ended before it began, or `no-rematch`: why there is no further one. */
export type MatchErrorCode = EndCause | 'no-rematch';

/** Why a match did not begin. `message` says what happened and what to do, for people. */
export class MatchError extends Error {
  override readonly name = 'MatchError';
  readonly code: MatchErrorCode;

  constructor(code: MatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A frame that a match does not have, or no longer. */
export function frameNotKept(frame: number): RiposteError {
  return new RiposteError('frame-not-kept', `frame ${frame} is not confirmed, or no longer kept`);
}

/** The sentence that a match ends with when its game throws. */
function gameFault(error: unknown): string {
  return `The game stopped on a fault: ${error instanceof Error ? error.message : String(error)}`;
}

/** What `report` of a match says that nothing is compared with a peer's in: it cannot part. */
export function noReport(): RiposteError {
  return new RiposteError('bad-recording', 'there is no report: no peer records this match beside this one');
}

/** A game that throws ends the match in words, by `fail`; it must not take the page down. */
export function guarded(run: () => void, fail: (message: string) => void): void {
  try {
    run();
  } catch (error) {
    fail(gameFault(error));
    if (!(error instanceof RiposteError)) console.error(error);
  }
}

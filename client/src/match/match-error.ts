import type { EndCause } from '../session/session-types.js';

/** Why a match ended before it began. `message` says what happened and what to do, for people. */
export class MatchError extends Error {
  override readonly name = 'MatchError';
  readonly code: EndCause;

  constructor(code: EndCause, message: string) {
    super(message);
    this.code = code;
  }
}

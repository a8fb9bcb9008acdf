/** Why Riposte refused something. Codes are stable; messages are for people. */
export type ErrorCode =
  | 'bad-argument'
  | 'bad-effect'
  | 'bad-game'
  | 'bad-input'
  | 'bad-state'
  | 'bad-recording'
  | 'frame-not-kept'
  | 'input-conflict'
  | 'input-too-far'
  | 'input-too-old'
  | 'player-gone'
  | 'not-deterministic'
  | 'not-loaded'
  | 'other-game'
  | 'other-match';

/** The one error that the core throws: a stable `code`, and a message that says what was given and what was expected. */
export class RiposteError extends Error {
  override readonly name = 'RiposteError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws `bad-argument` unless `value` is an integer in [min, max]; without `max`, any exact one. */
export function requireInteger(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isInteger(value) || value < min || value > max) throw outOfRange(name, value, min, max);
}

/** What `requireInteger` throws. */
export function outOfRange(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): RiposteError {
  return new RiposteError('bad-argument', `${name} is ${String(value)}; expected an integer from ${min} to ${max}`);
}

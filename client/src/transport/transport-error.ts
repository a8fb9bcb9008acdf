/** Why a connection to a peer did not come about, or could not send. */
export type TransportErrorCode =
  /** This browser has no WebRTC, or it is switched off. */
  | 'no-webrtc'
  | 'timeout'
  /** No network path between the two was found. */
  | 'ice-failed'
  /** The peer's negotiation messages made no sense. */
  | 'negotiation-failed'
  | 'aborted'
  /** The connection ended before it was ready. */
  | 'closed'
  /** A message is larger than browsers take. */
  | 'too-large';

/** `message` says what happened and what to do, for people. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Why a connection to a peer did not come about, or could not send. */
export const TransportErrorCode = {
  /** This browser has no WebRTC, or it is switched off. */
  NoWebRtc: 'no-webrtc',
  Timeout: 'timeout',
  /** No network path between the two was found. */
  IceFailed: 'ice-failed',
  /** The peer's negotiation messages made no sense. */
  NegotiationFailed: 'negotiation-failed',
  Aborted: 'aborted',
  /** The connection ended before it was ready. */
  Closed: 'closed',
  /** A message is larger than browsers take. */
  TooLarge: 'too-large',
} as const;
export type TransportErrorCode = (typeof TransportErrorCode)[keyof typeof TransportErrorCode];

/** `message` says what happened and what to do, for people. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

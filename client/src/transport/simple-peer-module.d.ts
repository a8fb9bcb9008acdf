/** The part of simple-peer 9.11 that the transport uses. */
interface Options {
  initiator: boolean;
  trickle: boolean;
  channelName: string;
  config: RTCConfiguration;
  wrtc:
    | {
        RTCPeerConnection: typeof RTCPeerConnection;
        RTCSessionDescription: typeof RTCSessionDescription;
        RTCIceCandidate: typeof RTCIceCandidate;
      }
    | undefined;
}

export default class SimplePeer {
  constructor(options: Options);
  /**
   * Not documented, but the only way to a second channel; fixed since version 6, and the package is finished.
   * `null` once destroyed, absent when it could not be made.
   */
  readonly _pc: RTCPeerConnection | null | undefined;
  /** Not documented either: its own channel, there from the start on the initiator. */
  readonly _channel: RTCDataChannel | null;
  readonly destroyed: boolean;
  /** What its offers are made with. */
  offerOptions: RTCOfferOptions;
  /** Makes an offer, or asks the initiator for one; while one is not answered, it waits for that. */
  negotiate(): void;
  signal(data: object): void;
  destroy(error?: Error): void;
  on(event: 'signal', listener: (data: unknown) => void): this;
  on(event: 'error', listener: (error: Error & { code?: string }) => void): this;
  on(event: 'negotiated', listener: () => void): this;
  on(event: 'close', listener: () => void): this;
}

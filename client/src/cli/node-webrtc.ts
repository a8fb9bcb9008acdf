import type { WebRtc } from '../transport/simple-peer.js';

/**
 * WebRTC for Node, also as the globals that PeerJS looks for; there is a WebSocket only from Node 22 on. The command's
 * process is its own, so nobody else meets these globals.
 *
 * @throws the loader's error when `@roamhq/wrtc` is not installed.
 */
export async function loadNodeWebRtc(): Promise<WebRtc> {
  const { default: wrtc } = await import('@roamhq/wrtc');
  const { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate } = wrtc;
  Object.assign(globalThis, { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate });
  if (typeof globalThis.WebSocket !== 'function') {
    const { WebSocket } = await import('ws');
    // PeerJS waits for the close alone; unlike a browser's, this one takes an error that nobody hears for a crash.
    class QuietWebSocket extends WebSocket {
      constructor(address: string | URL) {
        super(address);
        this.on('error', () => undefined);
      }
    }
    Object.assign(globalThis, { WebSocket: QuietWebSocket });
  }
  return wrtc;
}

import type { PeerServices } from './peer.js';

/** The real world of the `peer` command. Loaded when it is needed: the other commands touch neither network nor WebRTC. */
export const realPeerServices: PeerServices = {
  async join(game, options) {
    const { joinMatch } = await import('../match/join.js');
    return joinMatch(game, options);
  },
  async webRtc() {
    const { loadNodeWebRtc } = await import('./node-webrtc.js');
    return loadNodeWebRtc();
  },
  pause: (ms) => new Promise((settle) => setTimeout(settle, ms)),
};

import type { AuthorityServices } from './authority.js';
import type { PeerServices } from './peer.js';

/** The real world of the `peer` and `authority` commands. Loaded when it is needed: the other commands touch neither network nor WebRTC. */
export const realPeerServices: PeerServices & AuthorityServices = {
  async join(game, options) {
    const { joinMatch } = await import('../match/join.js');
    return joinMatch(game, options);
  },
  async joinAuthority(game, options) {
    const { joinAuthority } = await import('../authority/join-authority.js');
    return joinAuthority(game, options);
  },
  async watch(game, options) {
    const { watchMatch } = await import('../match/watch.js');
    return watchMatch(game, options);
  },
  async host(game, options) {
    const { hostAuthority } = await import('../authority/host-authority.js');
    return hostAuthority(game, options);
  },
  async webRtc() {
    const { loadNodeWebRtc } = await import('./node-webrtc.js');
    return loadNodeWebRtc();
  },
  pause: (ms) => new Promise((settle) => setTimeout(settle, ms)),
};

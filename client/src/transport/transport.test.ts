import { type RunningServer, startServer } from '@riposte/signaling';
import { afterAll, beforeAll } from 'vitest';
import { type Link, transportContract } from '../../testing/transport-contract.js';
import { loadNodeWebRtc } from '../cli/node-webrtc.js';
import { connectLobby } from '../lobby/lobby.js';
import type { Pairing } from '../lobby/room.js';
import { loopbackPair } from './loopback.js';
import { connectPeerJs } from './peerjs.js';
import { connectSimplePeer } from './simple-peer.js';

let server: RunningServer;
const opened: RTCDataChannel[] = [];

beforeAll(async () => {
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] });
  const wrtc = await loadNodeWebRtc();
  class Watched extends wrtc.RTCPeerConnection {
    override createDataChannel(label: string, init?: RTCDataChannelInit): RTCDataChannel {
      const channel = super.createDataChannel(label, init);
      opened.push(channel);
      return channel;
    }
  }
  Object.assign(globalThis, { RTCPeerConnection: Watched });
});
afterAll(() => server.close());

/** Two ends that met through the real server. */
async function meet(
  transport: 'simple-peer' | 'peerjs',
  connect: (pairing: Pairing) => Promise<Link['one']>,
): Promise<Link> {
  const lobbies = await Promise.all([0, 1].map(() => connectLobby({ server: `http://127.0.0.1:${server.port}` })));
  const room = await lobbies[0].create({ game: 'duel', version: '1' }, { transport });
  const joined = await lobbies[1].join(room.code, { game: 'duel', version: '1' });
  const before = opened.length;
  const [one, two] = await Promise.all(
    (await Promise.all([room.paired, joined.paired])).map(([pairing]) => connect(pairing)),
  );
  return {
    one,
    two,
    channels: opened.slice(before),
    end: () => {
      for (const lobby of lobbies) lobby.close();
    },
  };
}

transportContract('loopback', async () => {
  const due: { at: number; run: () => void }[] = [];
  let now = 0;
  const [one, two] = loopbackPair((delayMs, run) => due.push({ at: now + delayMs, run }));
  const advance = () => {
    due.sort((left, right) => left.at - right.at);
    const next = due.shift();
    if (next === undefined) return false;
    now = next.at;
    next.run();
    return true;
  };
  return { one, two, advance };
});

transportContract('simple-peer', () =>
  meet('simple-peer', ({ signals, initiator, iceServers }) => {
    const { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate } = globalThis;
    const wrtc = { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate };
    return connectSimplePeer({ signals, initiator, iceServers, wrtc });
  }),
);

transportContract('PeerJS', () =>
  meet('peerjs', ({ peerServer, initiator, iceServers }) => {
    return connectPeerJs({ server: `http://127.0.0.1:${server.port}`, pass: peerServer, initiator, iceServers });
  }),
);

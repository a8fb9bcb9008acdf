import { type PeerServerPass, parsePeerServerPass } from '@riposte/shared/protocol';
import { type RunningServer, startServer } from '@riposte/signaling';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadNodeWebRtc } from '../cli/node-webrtc.js';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import type { Pairing } from '../lobby/room.js';
import { connectPeerJs, type PeerJsOptions } from './peerjs.js';
import type { Transport } from './transport.js';
import { TransportError } from './transport-error.js';

const duel = { game: 'duel', version: '1' };

let server: RunningServer;
let url: string;
beforeAll(async () => {
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] });
  url = `http://127.0.0.1:${server.port}`;
  await loadNodeWebRtc();
});
afterAll(() => server.close());

const open: (Transport | Lobby)[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

/** The two sides of a pairing whose creator chose PeerJS, unless `create` says otherwise. */
async function pair(create = (lobby: Lobby) => lobby.create(duel, { transport: 'peerjs' })) {
  const lobbies = await Promise.all([0, 1].map(() => connectLobby({ server: url })));
  open.push(...lobbies);
  const room = await create(lobbies[0]);
  const joined = await lobbies[1].join(room.code, duel);
  const [[ann], [bob]] = await Promise.all([room.paired, joined.paired]);
  return { ann, bob, lobbies };
}

function optionsOf({ peerServer, initiator, iceServers }: Pairing): PeerJsOptions {
  return { server: url, pass: peerServer, initiator, iceServers };
}

function passOf({ peerServer }: Pairing): PeerServerPass {
  const pass = parsePeerServerPass(peerServer);
  if (pass === undefined) throw new Error('the server gave no pass');
  return pass;
}

async function connect(options: PeerJsOptions): Promise<Transport> {
  const transport = await connectPeerJs(options);
  open.push(transport);
  return transport;
}

async function failure(promise: Promise<unknown>): Promise<TransportError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('the transport of a room', () => {
  it('is the creator’s choice, and simple-peer where none was made', async () => {
    const chosen = await pair();
    expect([chosen.ann, chosen.bob].every(({ peerServer }) => peerServer !== undefined)).toBe(true);
    const plain = await pair((lobby) => lobby.create(duel));
    expect([plain.ann, plain.bob].some(({ peerServer }) => peerServer !== undefined)).toBe(false);
  });

  it('is that of whoever waited first in a quick match', async () => {
    const lobbies = await Promise.all([0, 1].map(() => connectLobby({ server: url })));
    open.push(...lobbies);
    const first = await lobbies[0].quick({ game: 'quick', version: '1' }, { transport: 'peerjs' });
    const second = await lobbies[1].quick({ game: 'quick', version: '1' }, { transport: 'simple-peer' });
    for (const [{ peerServer }] of await Promise.all([first.paired, second.paired])) expect(peerServer).toBeDefined();
  });

  it('comes with ids that match crosswise and are new for each pairing', async () => {
    const passes: PeerServerPass[] = [];
    for (const { ann, bob } of [await pair(), await pair()]) {
      const [one, two] = [passOf(ann), passOf(bob)];
      expect([one.peer, two.peer]).toEqual([two.id, one.id]);
      passes.push(one, two);
    }
    expect(new Set(passes.map(({ id }) => id)).size).toBe(4);
  });
});

describe('two peers by PeerJS', () => {
  it('go on without the server', async () => {
    const { ann, bob, lobbies } = await pair();
    const [one, two] = await Promise.all([connect(optionsOf(ann)), connect(optionsOf(bob))]);
    for (const lobby of lobbies) lobby.close();
    const message = new Promise<string>((resolve) => {
      two.listen({ message: (_channel, bytes) => resolve(new TextDecoder().decode(bytes)), close: resolve });
    });
    one.send('reliable', new TextEncoder().encode('still here'));
    expect(await message).toBe('still here');
    expect(one.kind).toBe('peerjs');
  });
});

describe('connecting by PeerJS fails', () => {
  it('without WebRTC, in words', async () => {
    const { ann } = await pair();
    const { RTCPeerConnection } = globalThis;
    Reflect.deleteProperty(globalThis, 'RTCPeerConnection');
    const error = await failure(connect(optionsOf(ann)));
    Object.assign(globalThis, { RTCPeerConnection });
    expect(error).toMatchObject({ code: 'no-webrtc', message: expect.stringMatching(/another browser/) });
  });

  it('with a pass that is none, in the server’s words', async () => {
    const { ann } = await pair();
    const error = await failure(connect({ ...optionsOf(ann), pass: { ...passOf(ann), token: 'made-up' } }));
    expect(error).toMatchObject({ code: 'negotiation-failed', message: expect.stringMatching(/belongs to no match/) });
    for (const pass of [undefined, {}, { ...passOf(ann), id: 'x' }]) {
      const misread = await failure(connect({ ...optionsOf(ann), pass }));
      expect(misread).toMatchObject({ code: 'negotiation-failed', message: expect.stringMatching(/Reload the page/) });
    }
  });

  it('when the other player has left the match', async () => {
    const { ann, lobbies } = await pair();
    await lobbies[1].leave();
    const error = await failure(connect(optionsOf(ann)));
    expect(error).toMatchObject({ code: 'negotiation-failed', message: expect.stringMatching(/belongs to no match/) });
  });

  it('when the server is away', async () => {
    const { ann } = await pair();
    const error = await failure(connect({ ...optionsOf(ann), server: 'http://127.0.0.1:1' }));
    expect(error).toMatchObject({ code: 'negotiation-failed', message: expect.stringMatching(/server .* was lost/) });
  });

  it('when the other side never comes', async () => {
    const { ann } = await pair();
    expect((await failure(connect({ ...optionsOf(ann), timeoutMs: 50 }))).code).toBe('timeout');
  });

  it('when aborted, before or during', async () => {
    const { ann } = await pair();
    expect((await failure(connect({ ...optionsOf(ann), signal: AbortSignal.abort() }))).code).toBe('aborted');
    const controller = new AbortController();
    const attempt = connect({ ...optionsOf(ann), signal: controller.signal });
    controller.abort();
    expect((await failure(attempt)).code).toBe('aborted');
  });
});

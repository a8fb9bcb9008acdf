import { type RunningServer, startServer } from '@riposte/signaling';
import wrtc from '@roamhq/wrtc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectLobby, type Lobby } from '../lobby/lobby.js';
import { BufferedSignalPort, type SignalPort } from '../lobby/signal-port.js';
import { RELIABLE_MESSAGE_BYTES_MAX } from './lanes.js';
import { connectSimplePeer } from './simple-peer.js';
import type { Channel, Transport } from './transport.js';
import { TransportError } from './transport-error.js';

const duel = { game: 'duel', version: '1' };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [] });
});
afterAll(() => server.close());

const open: (Transport | Lobby)[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

/** Everything that one side was told, and a way to wait for it. */
function record(transport: Transport) {
  const messages: { channel: Channel; text: string }[] = [];
  let wake = () => {};
  const closed = new Promise<string>((resolve) => {
    transport.listen({
      message: (channel, bytes) => {
        messages.push({ channel, text: new TextDecoder().decode(bytes) });
        wake();
      },
      close: resolve,
    });
  });
  const until = async (count: number) => {
    while (messages.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages;
  };
  return { messages, closed, until };
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** Two peers connected through the real server. */
async function connectPair(): Promise<{ ann: Transport; bob: Transport; lobbies: Lobby[] }> {
  const lobbies = await Promise.all([0, 1].map(() => connectLobby({ server: `http://127.0.0.1:${server.port}` })));
  open.push(...lobbies);
  const room = await lobbies[0].create(duel);
  const joined = await lobbies[1].join(room.code, duel);
  const pairings = (await Promise.all([room.paired, joined.paired])).flat();
  const [ann, bob] = await Promise.all(
    pairings.map(({ signals, initiator, iceServers }) => connectSimplePeer({ signals, initiator, iceServers, wrtc })),
  );
  open.push(ann, bob);
  return { ann, bob, lobbies };
}

/** Two ports joined in this process; `pass` may hold signals back. */
function portPair(pass: () => boolean = () => true): [SignalPort, SignalPort] {
  const one: BufferedSignalPort = new BufferedSignalPort((data) => pass() && two.deliver(data));
  const two: BufferedSignalPort = new BufferedSignalPort((data) => pass() && one.deliver(data));
  return [one, two];
}

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof TransportError) return error.code;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('two peers over the real server', () => {
  it('exchange messages on both lanes, both ways, after the server connection is gone', async () => {
    const { ann, bob, lobbies } = await connectPair();
    for (const lobby of lobbies) lobby.close();
    // Sent before Bob listens: kept for him.
    ann.send('reliable', bytes('hello'));
    const [toAnn, toBob] = [record(ann), record(bob)];
    expect(await toBob.until(1)).toEqual([{ channel: 'reliable', text: 'hello' }]);

    const packet = bytes('..packet..').subarray(2, 8);
    ann.send('unreliable', packet);
    packet.fill(0); // the caller reuses its buffer at once
    expect((await toBob.until(2))[1]).toEqual({ channel: 'unreliable', text: 'packet' });

    bob.send('unreliable', bytes('back'));
    expect(await toAnn.until(1)).toEqual([{ channel: 'unreliable', text: 'back' }]);

    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    for (const line of lines) bob.send('reliable', bytes(line));
    expect((await toAnn.until(201)).slice(1).map(({ text }) => text)).toEqual(lines);
  });

  it('take a large reliable message whole, and refuse one that browsers would not take', async () => {
    const { ann, bob } = await connectPair();
    const toBob = record(bob);
    ann.send('reliable', new Uint8Array(RELIABLE_MESSAGE_BYTES_MAX).fill(65));
    expect((await toBob.until(1))[0].text).toHaveLength(RELIABLE_MESSAGE_BYTES_MAX);
    expect(() => ann.send('reliable', new Uint8Array(RELIABLE_MESSAGE_BYTES_MAX + 1))).toThrow(/exceeds 262144/);
  });

  it('deliver what was sent last before the close, which the other side hears of at once', async () => {
    const { ann, bob } = await connectPair();
    const [toAnn, toBob] = [record(ann), record(bob)];
    ann.send('reliable', bytes('goodbye'));
    ann.close();
    ann.close();
    const before = performance.now();
    expect(await toBob.closed).toBe('The other player closed the connection.');
    // A peer that merely vanished is noticed after many seconds.
    expect(performance.now() - before).toBeLessThan(4_000);
    expect(toBob.messages).toEqual([{ channel: 'reliable', text: 'goodbye' }]);
    bob.send('reliable', bytes('to nobody'));
    ann.send('unreliable', bytes('to nobody'));
    expect(toAnn.messages).toEqual([]);
  });
});

describe('the lanes', () => {
  it('are an ordered reliable channel and one that neither orders nor retransmits, and drops when clogged', async () => {
    const channels: RTCDataChannel[] = [];
    class Watched extends wrtc.RTCPeerConnection {
      override createDataChannel(label: string, init?: RTCDataChannelInit): RTCDataChannel {
        const channel = super.createDataChannel(label, init);
        channels.push(channel);
        return channel;
      }
    }
    const [one, two] = portPair();
    const watched = { ...wrtc, RTCPeerConnection: Watched };
    const [ann, bob] = await Promise.all([
      connectSimplePeer({ signals: one, initiator: true, iceServers: [], wrtc: watched }),
      connectSimplePeer({ signals: two, initiator: false, iceServers: [], wrtc }),
    ]);
    open.push(ann, bob);
    const lane = (label: string) => {
      const channel = channels.find((candidate) => candidate.label === label);
      if (channel === undefined) throw new Error(`no channel named ${label}`);
      return channel;
    };
    expect(lane('reliable')).toMatchObject({ ordered: true, negotiated: false });
    expect(lane('unreliable')).toMatchObject({ ordered: false, maxRetransmits: 0, negotiated: true, id: 101 });

    const sent: number[] = [];
    const unreliable = lane('unreliable');
    let queued = 257;
    Object.defineProperty(unreliable, 'bufferedAmount', { get: () => queued });
    unreliable.send = () => sent.push(1);
    ann.send('unreliable', bytes('late'));
    expect(sent).toEqual([]);
    queued = 256;
    ann.send('unreliable', bytes('in time'));
    expect(sent).toEqual([1]);
  });
});

describe('a channel that the other side made', () => {
  it('is sent on only after the connection has answered a question, and is heard from the start', async () => {
    let ask = () => {};
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    class Slow extends wrtc.RTCPeerConnection {
      override async getStats(): Promise<RTCStatsReport> {
        ask();
        await mayAnswer;
        return super.getStats();
      }
    }
    const [one, two] = portPair();
    const slow = { ...wrtc, RTCPeerConnection: Slow };
    let isOpen = false;
    const attempt = connectSimplePeer({ signals: two, initiator: false, iceServers: [], wrtc: slow });
    attempt.then(
      () => {
        isOpen = true;
      },
      () => {},
    );
    const ann = await connectSimplePeer({ signals: one, initiator: true, iceServers: [], wrtc });
    open.push(ann);
    ann.send('reliable', bytes('hello'));
    await asked;
    // Long enough for a promise that does not wait for the answer.
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOpen).toBe(false);
    answer();
    const bob = await attempt;
    open.push(bob);
    expect(await record(bob).until(1)).toEqual([{ channel: 'reliable', text: 'hello' }]);
  });
});

describe('new paths for a connection', () => {
  /** Two connected ends, each with its ICE name of the moment, and whose fresh servers were asked for. */
  async function restartable() {
    const connections: RTCPeerConnection[] = [];
    class Watched extends wrtc.RTCPeerConnection {
      constructor(config?: RTCConfiguration) {
        super(config);
        connections.push(this);
      }
    }
    const asked: string[] = [];
    const ports = portPair();
    const ends = await Promise.all(
      (['ann', 'bob'] as const).map((name, at) =>
        connectSimplePeer({
          signals: ports[at]!,
          initiator: at === 0,
          iceServers: [],
          wrtc: { ...wrtc, RTCPeerConnection: Watched },
          freshIceServers: async () => {
            asked.push(name);
            return [];
          },
        }),
      ),
    );
    open.push(...ends);
    const iceNames = () =>
      connections.map(({ localDescription }) => /ice-ufrag:(\S+)/.exec(localDescription?.sdp ?? '')?.[1]);
    return { ends, asked, iceNames, connections };
  }

  it.each([
    ['the initiator', 0],
    ['the other side', 1],
  ])('are looked for by both sides with fresh servers when %s begins, and the lanes live on', async (_who, at) => {
    const { ends, asked, iceNames, connections } = await restartable();
    const before = iceNames();
    const heard = record(ends[1 - at]!);
    expect(ends[at]!.restart()).toBe(true);
    expect(ends[at]!.restart()).toBe(false);
    await expect.poll(() => connections.map(({ signalingState }) => signalingState)).toEqual(['stable', 'stable']);
    await expect.poll(() => iceNames().every((name, each) => name !== before[each])).toBe(true);
    expect(asked.toSorted()).toEqual(['ann', 'bob']);
    ends[at]!.send('reliable', bytes('still here'));
    expect(await heard.until(1)).toEqual([{ channel: 'reliable', text: 'still here' }]);
    expect(connections).toHaveLength(2);
  });

  it('are agreed on where both begin at once', async () => {
    const { ends, iceNames, connections } = await restartable();
    const before = iceNames();
    for (const end of ends) end.restart();
    await expect.poll(() => iceNames().every((name, each) => name !== before[each])).toBe(true);
    await expect.poll(() => connections.map(({ signalingState }) => signalingState)).toEqual(['stable', 'stable']);
    const heard = record(ends[0]!);
    ends[1]!.send('reliable', bytes('still here'));
    expect(await heard.until(1)).toEqual([{ channel: 'reliable', text: 'still here' }]);
  });

  it('cannot be had of a connection without signals, nor of one that is closed', async () => {
    const { ann } = await connectPair();
    expect(ann.restart()).toBe(false);
    const { ends } = await restartable();
    ends[0]!.close();
    expect(ends[0]!.restart()).toBe(false);
  });
});

describe('a relay alone', () => {
  it('is what the browser is told to use when a match asks for it', async () => {
    const policies: (string | undefined)[] = [];
    class Watched extends wrtc.RTCPeerConnection {
      constructor(config?: RTCConfiguration) {
        super(config);
        policies.push(config?.iceTransportPolicy);
      }
    }
    const watched = { ...wrtc, RTCPeerConnection: Watched };
    for (const relayOnly of [true, false]) {
      const [signals] = portPair(() => false);
      const options = { signals, initiator: true, iceServers: [], wrtc: watched, relayOnly, timeoutMs: 10 };
      expect(await failure(connectSimplePeer(options))).toBe('timeout');
    }
    expect(policies).toEqual(['relay', undefined]);
  });
});

describe('connecting fails', () => {
  it('without WebRTC, in words', async () => {
    const [signals] = portPair();
    const attempt = connectSimplePeer({ signals, initiator: true, iceServers: [] });
    expect(await failure(attempt)).toBe('no-webrtc');
    await expect(attempt).rejects.toThrow(/another browser/);
  });

  it('when the other side never answers', async () => {
    const [signals] = portPair(() => false);
    expect(await failure(connectSimplePeer({ signals, initiator: true, iceServers: [], wrtc, timeoutMs: 30 }))).toBe(
      'timeout',
    );
  });

  it('when aborted, before or during', async () => {
    const [signals] = portPair(() => false);
    const options = { signals, initiator: true, iceServers: [], wrtc };
    expect(await failure(connectSimplePeer({ ...options, signal: AbortSignal.abort() }))).toBe('aborted');
    const controller = new AbortController();
    const attempt = connectSimplePeer({ ...options, signal: controller.signal });
    controller.abort();
    expect(await failure(attempt)).toBe('aborted');
  });

  it('when the other side’s negotiation makes no sense', async () => {
    const [one, two] = portPair();
    const attempt = connectSimplePeer({ signals: one, initiator: false, iceServers: [], wrtc });
    two.send({ type: 'offer', sdp: 'nonsense' });
    expect(await failure(attempt)).toBe('negotiation-failed');
  });
});

import type { IceServer } from '@riposte/shared/protocol';
import { type RunningServer, startServer } from '@riposte/signaling';
import wrtc from '@roamhq/wrtc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIceSource } from '../../../signaling/src/ice.js';
import { Command } from '../stage.js';
import { hasTurnServer, TurnServer } from '../turn-server.js';

const SECRET = 'a secret of this test';

/** What a connection that may use the relay alone finds: its candidates' types, and the relay's refusals. */
async function gather(iceServers: readonly IceServer[]): Promise<{ types: string[]; errors: number[] }> {
  const connection = new wrtc.RTCPeerConnection({
    iceServers: iceServers.map((server) => ({ ...server, urls: [...server.urls] })),
    iceTransportPolicy: 'relay',
  });
  const types: string[] = [];
  const errors: number[] = [];
  connection.onicecandidateerror = ({ errorCode }) => errors.push(errorCode);
  const complete = new Promise<void>((resolve) => {
    connection.onicecandidate = ({ candidate }) => {
      const type = / typ (\w+)/.exec(candidate?.candidate ?? '')?.[1];
      if (type !== undefined) types.push(type);
      else if (candidate === null) resolve();
    };
  });
  connection.createDataChannel('relay');
  await connection.setLocalDescription(await connection.createOffer());
  await complete;
  connection.close();
  return { types, errors };
}

describe.skipIf(!hasTurnServer)('a relay of coturn', () => {
  let turn: TurnServer;
  let server: RunningServer;
  beforeAll(async () => {
    turn = await TurnServer.start(SECRET);
    server = await startServer({
      port: 0,
      host: '127.0.0.1',
      logLevel: 'silent',
      stunUrls: [],
      turnUrls: [turn.url],
      turnSecret: SECRET,
    });
  });
  afterAll(async () => {
    await server.close();
    await turn.stop();
  });

  /** The server's own credentials, as they are when they are made `agoS` seconds ago. */
  const servers = (agoS: number) =>
    createIceSource({
      stunUrls: [],
      turnUrls: [turn.url],
      turnSecret: SECRET,
      turnTtlS: 60,
      unixMs: () => Date.now() - agoS * 1000,
    }).serversFor('seat', true);

  it('carries a match of two peers that may use nothing else', async () => {
    const peer = (...args: string[]) =>
      new Command('peer', '--server', server.url, '--game', 'duel', '--json', '--frames', '600', ...args);
    const first = peer('--create', '--relay-only', '--bot', '1');
    const second = peer('--room', JSON.parse(await first.line()).room, '--bot', '2');
    const results = await Promise.all([first.ended, second.ended]);
    const [one, two] = results.map(({ code, stdout, stderr }) => ({
      ...JSON.parse(stdout.split('\n').at(-1) ?? ''),
      code,
      stderr,
    }));
    for (const status of [one, two]) {
      expect(status).toMatchObject({ code: 0, phase: 'ended', desync: null, confirmedFrame: 599, route: 'relayed' });
    }
    expect(one?.finalHash).toBe(two?.finalHash);
    const told = turn.lines.join('\n');
    expect(told.match(/ALLOCATE processed, success/g)?.length).toBeGreaterThanOrEqual(2);
    expect(told).toMatch(/(CREATE_PERMISSION|CHANNEL_BIND) processed, success/);
  });

  it('opens for our credential while it is valid, and refuses it afterwards, or with another secret', async () => {
    expect((await gather(servers(0))).types).toContain('relay');
    const expired = await gather(servers(120));
    expect(expired).toEqual({ types: [], errors: expect.arrayContaining([401]) });
    const forged = await gather(servers(0).map((each) => ({ ...each, credential: 'Zm9yZ2Vk' })));
    expect(forged).toEqual({ types: [], errors: expect.arrayContaining([401]) });
  });
});

import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isExhaustive, isThorough, type Player, Stage } from './stage.js';
import { hasTurnServer, TurnServer } from './turn-server.js';

const SECRET = 'a secret of this test';
const END_MS = 60_000;
const FRAMES = 400;

/** Keeps every connection that the page makes, to look at; at an address that ends in `#relay` they use nothing else. */
function watchConnections(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(() => {
    const made: RTCPeerConnection[] = [];
    Object.assign(globalThis, { madeConnections: made });
    const policy = location.hash === '#relay' ? ({ iceTransportPolicy: 'relay' } as const) : {};
    const Original = globalThis.RTCPeerConnection;
    globalThis.RTCPeerConnection = class extends Original {
      constructor(configuration?: RTCConfiguration) {
        super({ ...configuration, ...policy });
        made.push(this);
      }
      override setConfiguration(configuration?: RTCConfiguration): void {
        super.setConfiguration({ ...configuration, ...policy });
      }
    };
  });
}

/** The ICE names of all connections that the page has made: a restart gives one a new name. */
function iceNames({ page }: Player): Promise<(string | undefined)[]> {
  return page.evaluate(() =>
    (Reflect.get(globalThis, 'madeConnections') as RTCPeerConnection[]).map(
      ({ localDescription }) => /ice-ufrag:(\S+)/.exec(localDescription?.sdp ?? '')?.[1],
    ),
  );
}

describe.skipIf(!hasChromium || !isThorough)('a connection that falls silent', () => {
  let stage: Stage;
  let turn: TurnServer | undefined;

  beforeAll(async () => {
    turn = hasTurnServer ? await TurnServer.start(SECRET) : undefined;
    stage = await Stage.open(turn && { turnUrls: [turn.url], turnSecret: SECRET });
  });
  afterAll(async () => {
    await stage.close();
    await turn?.stop();
  });

  async function expectSameEnd(players: readonly Player[]): Promise<void> {
    for (const player of players) {
      expect(await player.reach('ended', END_MS)).toMatchObject({ cause: 'finished', desync: null });
      expect((await player.status()).comparedFrames).toBe(FRAMES);
    }
    const [one, two] = await Promise.all(players.map((player) => player.hashes([FRAMES])));
    expect(one).toEqual(two);
  }

  it('is looked for on new paths by the same connection, which the match goes on over', async () => {
    const players = await stage.pair(`bot=5&frames=${FRAMES}`, `bot=6&frames=${FRAMES}`, watchConnections);
    await Promise.all(players.map((player) => player.reachFrame(120)));
    const before = await Promise.all(players.map(iceNames));
    for (const { page } of players) {
      await page.evaluate(() => {
        const { send } = RTCDataChannel.prototype;
        RTCDataChannel.prototype.send = () => {};
        setTimeout(() => {
          RTCDataChannel.prototype.send = send;
        }, 1500);
      });
    }
    await Promise.all(players.map((player) => player.reach('interrupted')));
    await Promise.all(players.map((player) => player.reach('running')));
    const after = await Promise.all(players.map(iceNames));
    for (const [at, names] of after.entries()) {
      expect(names).toHaveLength(1);
      expect(names).not.toEqual(before[at]);
    }
    await expectSameEnd(players);
  });

  it.runIf(hasTurnServer && isExhaustive)(
    'finds a new relay when the one that carried it forgot everything',
    async () => {
      const players = await stage.pair(
        `bot=5&frames=${FRAMES}#relay`,
        `bot=6&frames=${FRAMES}#relay`,
        watchConnections,
      );
      await Promise.all(players.map((player) => player.reachFrame(120)));
      const { port } = turn!;
      await turn!.stop();
      turn = await TurnServer.start(SECRET, port);
      await Promise.all(players.map((player) => player.reach('interrupted')));
      await Promise.all(players.map((player) => player.reach('running', 30_000)));
      await expectSameEnd(players);
      expect((await Promise.all(players.map(iceNames))).map(({ length }) => length)).toEqual([1, 1]);
      expect(turn.lines.join('\n')).toMatch(/ALLOCATE processed, success/);
    },
  );
});

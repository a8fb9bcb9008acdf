import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Command, hasChromium, isThorough, type Player, Stage } from './stage.js';

/** 40 ms one way, 5 % loss. */
const ROUGH = 'linkDelay=40&linkLoss=5';
const FRAMES = 600;
const HEADLESS_FRAMES = 240;
const BOT_MS = 60_000;

describe.skipIf(!hasChromium)('a match whose peers connect by PeerJS', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  /** Which of the pages' scripts a page has loaded, by the names that the build gave them. */
  const scripts = (player: Player) =>
    player.page.evaluate(() =>
      performance.getEntriesByType('resource').flatMap(({ name }) => /([^/]+)\.js$/.exec(name)?.[1] ?? []),
    );

  async function expectSameEnd(players: readonly Player[]): Promise<void> {
    for (const status of await Promise.all(players.map((player) => player.reach('ended', BOT_MS)))) {
      expect(status).toMatchObject({
        cause: 'finished',
        transport: 'peerjs',
        desync: null,
        confirmedFrame: FRAMES - 1,
      });
      expect(status.comparedFrames).toBeGreaterThanOrEqual(FRAMES - 60);
      expect(status.rollbacks).toBeGreaterThan(10);
    }
    const asked = Array.from({ length: 10 }, (_, at) => (at + 1) * 60);
    const [one, two] = await Promise.all(players.map((player) => player.hashes(asked)));
    expect(one).toEqual(two);
    expect(new Set(one).size).toBe(10);
  }

  it('is played by two pages to the same end', async () => {
    const search = `transport=peerjs&frames=${FRAMES}&${ROUGH}`;
    const players = await stage.pair(`bot=5&${search}`, `bot=6&${search}`);
    await expectSameEnd(players);
    for (const player of players)
      expect((await scripts(player)).some((name) => /^(bundler|peerjs)/.test(name))).toBe(true);
  });

  it.runIf(isThorough)('is what the creator chose, also for a page that asks for another transport', async () => {
    const players = await stage.pair('bot=5&frames=60&transport=peerjs', 'bot=6&frames=60&transport=simple-peer');
    for (const player of players) {
      expect(await player.reach('ended', BOT_MS)).toMatchObject({ cause: 'finished', transport: 'peerjs' });
    }
  });

  it.runIf(isThorough)(
    'is not what a page gets that asks for it in a simple-peer match, nor does it load PeerJS then',
    async () => {
      const players = await stage.pair('bot=5&frames=30', 'bot=6&frames=30&transport=peerjs');
      for (const player of players) {
        expect(await player.reach('ended', BOT_MS)).toMatchObject({ cause: 'finished', transport: 'simple-peer' });
        const loaded = await scripts(player);
        expect(loaded.length).toBeGreaterThan(0);
        expect(loaded.some((name) => /^(bundler|peerjs)/.test(name))).toBe(false);
      }
    },
  );

  it.runIf(isThorough)('is played by the headless peer against a page', async () => {
    const creator = await stage.player(`?create=1&bot=5&transport=peerjs&frames=${HEADLESS_FRAMES}&${ROUGH}`);
    const room = await creator.room();
    const headless = new Command(
      ...['peer', '--server', stage.server.url, '--room', room, '--game', 'duel'],
      ...['--bot', '6', '--frames', String(HEADLESS_FRAMES), '--json'],
    );
    const status = await creator.reach('ended', BOT_MS);
    const { code, stdout } = await headless.ended;
    const result = JSON.parse(stdout.split('\n').at(-1) ?? '');
    expect({ code, ...result }).toMatchObject({ code: 0, cause: 'finished', transport: 'peerjs', desync: null });
    expect(status).toMatchObject({ cause: 'finished', transport: 'peerjs', desync: null });
    const [hash] = await creator.hashes([HEADLESS_FRAMES]);
    expect(result.finalHash).toBe(hash);
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

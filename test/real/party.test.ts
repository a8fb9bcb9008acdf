import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Command, hasChromium, isExhaustive, isThorough, type Player, Stage } from './stage.js';

const END_MS = 90_000;
const RACE = 'game=race&linkDelay=40&linkLoss=2';

describe.skipIf(!hasChromium)('a match of more than two', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  /** Pages of one race; the first one creates it for `players`. */
  async function race(pages: number, players: number, frames: number): Promise<Player[]> {
    const search = (page: number) => `${RACE}&players=${players}&frames=${frames}&bot=${page + 5}&name=P${page + 1}`;
    const creator = await stage.player(`?create=1&${search(0)}`);
    const room = await creator.room();
    const all = [creator];
    for (let page = 1; page < pages; page++) all.push(await stage.player(`?room=${room}&${search(page)}`));
    return all;
  }

  async function expectSameEnd(pages: readonly Player[], frames: number): Promise<number> {
    for (const status of await Promise.all(pages.map((page) => page.reach('ended', END_MS)))) {
      expect(status).toMatchObject({ cause: 'finished', desync: null, confirmedFrame: frames - 1 });
      expect(status.rollbacks).toBeGreaterThan(10);
    }
    const hashes = (await Promise.all(pages.map((page) => page.hashes([frames])))).flat();
    expect(new Set(hashes).size).toBe(1);
    return hashes[0]!;
  }

  it('is played by three pages, and by a headless peer too where there is time, to the same end', async () => {
    const players = isThorough ? 4 : 3;
    const pages = await race(2, players, 600);
    const room = await pages[0]!.room();
    await expect
      .poll(() => pages[1]!.page.textContent('main'), { timeout: 20_000 })
      .toContain(`2 of ${players} are here`);
    const headless = isThorough
      ? new Command(
          ...['peer', '--server', stage.server.url, '--room', room, '--game', 'race', '--players', '4'],
          ...['--bot', '8', '--frames', '600', '--json'],
        )
      : undefined;
    pages.push(await stage.player(`?room=${room}&${RACE}&players=${players}&frames=600&bot=7&name=P3`));
    const hash = await expectSameEnd(pages, 600);
    for (const page of pages) expect((await page.status()).comparedFrames).toBe(600);
    if (headless === undefined) return;
    const { code, stdout } = await headless.ended;
    expect({ code, ...JSON.parse(stdout.split('\n').at(-1) ?? '') }).toMatchObject({
      code: 0,
      desync: null,
      confirmedFrame: 599,
      finalHash: hash,
    });
  });

  it.runIf(isExhaustive)('takes a reloaded page in again, and goes on without one that is killed', async () => {
    const pages = await race(3, 3, 1000);
    const [one, two, three] = pages as [Player, Player, Player];
    await Promise.all(pages.map((page) => page.reachFrame(120)));
    await three.page.reload();
    await one.reachPresence(2, 'gone');
    for (const page of [one, two]) await page.reachPresence(2, 'here');
    await three.reachFrame(400, 30_000);

    await two.kill();
    for (const page of [one, three]) await page.reachPresence(1, 'interrupted');
    // Given up after five seconds.
    for (const page of [one, three]) await page.reachPresence(1, 'gone', 10_000);
    await expect.poll(() => one.page.textContent('main')).toContain('P2 is gone; the match goes on.');
    await expectSameEnd([one, three], 1000);
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findings, WIDTHS } from './audit.js';
import { Firefox, hasFirefox } from './firefox.js';
import { Command, hasChromium, isExhaustive, isThorough, type MatchPage, Stage } from './stage.js';

const FRAMES = 600;
/** 40 ms one way, 8 ms jitter, 3 % loss. */
const LINK = 'linkDelay=40&linkJitter=8&linkLoss=3';
const MATCH_MS = 60_000;

describe.skipIf(!hasChromium || !hasFirefox)('Chromium and Firefox', () => {
  let stage: Stage;
  let firefox: Firefox;
  let folder: string;

  beforeAll(async () => {
    [stage, firefox] = await Promise.all([Stage.open(), Firefox.open()]);
    folder = await mkdtemp(join(tmpdir(), 'riposte-firefox-'));
  });
  afterAll(async () => {
    await Promise.all([stage?.close(), firefox?.close()]);
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const open = {
    Chromium: (search: string): Promise<MatchPage> => stage.player(search),
    Firefox: (search: string): Promise<MatchPage> => firefox.player(`${stage.server.url}/${search}`),
  };

  /** The first creates, the second joins; both are played by bots to the end. */
  async function expectEqualMatch(creator: keyof typeof open, joiner: keyof typeof open): Promise<void> {
    const options = `frames=${FRAMES}&${LINK}`;
    const first = await open[creator](`?create=1&bot=5&${options}`);
    const second = await open[joiner](`?room=${await first.room()}&bot=6&${options}`);
    const players = [first, second];
    for (const status of await Promise.all(players.map((player) => player.reach('ended', MATCH_MS)))) {
      expect(status).toMatchObject({ phase: 'ended', cause: 'finished', desync: null, confirmedFrame: FRAMES - 1 });
      expect(status.comparedFrames).toBeGreaterThanOrEqual(FRAMES - 60);
      expect(status.rollbacks).toBeGreaterThan(10);
    }
    const asked = Array.from({ length: FRAMES / 60 }, (_, at) => (at + 1) * 60);
    const [one, two] = await Promise.all(players.map((player) => player.hashes(asked)));
    expect(one).toEqual(two);
    expect(new Set(one).size).toBe(asked.length);

    const files = [join(folder, `${creator}-creates.rpl`), join(folder, `${joiner}-joins.rpl`)];
    await Promise.all(players.map(async (player, at) => writeFile(files[at]!, await player.recording())));
    const checks = files.map((file) => new Command('verify', file, '--json').ended);
    for (const { code, stdout } of await Promise.all(checks)) {
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, ok: true, frames: FRAMES, truncated: false });
    }
    const { code, stdout } = await new Command('diff', ...files, '--json').ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, same: true, comparedFrames: FRAMES });
  }

  it('play a match that Chromium creates, with rollbacks, to equal hashes and recordings that stand', () =>
    expectEqualMatch('Chromium', 'Firefox'));

  // One direction is enough for every day: the other one takes another quarter of a minute.
  it.runIf(isThorough)('play one that Firefox creates to the same end', () => expectEqualMatch('Firefox', 'Chromium'));

  it('keep nobody out of a page that Firefox shows, on any screen', async () => {
    const widths = isExhaustive ? Object.values(WIDTHS) : [WIDTHS.phone];
    for (const path of ['', '?create=1', 'lab', 'inspect']) {
      const page = await firefox.page(`${stage.server.url}/${path}`);
      await page.waitForSelector('main h1, main h2');
      for (const width of widths) {
        await page.setViewport({ width, height: 800 });
        expect(await findings((script) => page.evaluate(script)), `/${path} at ${width} px`).toEqual([]);
      }
      await page.close();
    }
  });

  it('stop where a planted fault parts them, and each offers a report that leads to the field', async () => {
    const options = `desync=stop&${LINK}`;
    const first = await stage.player(`?create=1&bot=5&${options}`);
    const second = await open.Firefox(`?room=${await first.room()}&bot=6&fault=300&${options}`);
    const [here, there] = await Promise.all([first, second].map((player) => player.reach('ended', MATCH_MS)));
    expect(here!.reason).toBe('The match is void: the two machines parted at frame 300.');
    expect(there!.confirmedFrame).toBe(here!.confirmedFrame);

    const [report, other] = [join(folder, 'a.rpr'), join(folder, 'b.rpr')];
    await writeFile(report, await first.report());
    await writeFile(other, await second.report());
    const { desync } = await first.status();
    expect(desync).toMatchObject({ frame: 300, path: expect.any(String) });
    expect((await second.status()).desync).toEqual({ ...desync, here: desync!.there, there: desync!.here });
    const words = `${desync!.path} ${desync!.here} here, ${desync!.there} there, at frame 300.`;
    await first.page.getByRole('alert').filter({ hasText: words }).waitFor();
    await first.page.getByRole('heading', { name: 'The match is void' }).waitFor();

    for (const file of [report, other]) {
      const { code, stdout } = await new Command('diff', file, '--json').ended;
      const found = JSON.parse(stdout);
      expect({ code, ...found }).toMatchObject({ code: 1, kind: 'state', frame: 300, fieldsFrame: 301 });
      expect(found.fields).toEqual([expect.objectContaining({ path: desync!.path })]);
      expect(found.replayAgreesWith).toBe(file === report ? 'a' : 'b');
      expect(Object.keys(found.engines)).toEqual(['a', 'b']);
    }
    const page = await stage.inspector();
    await page.locator('input[type=file]').first().setInputFiles(report);
    await page.getByText(`${desync!.path}: ${desync!.here} in A, ${desync!.there} in B`).waitFor();
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'State before frame 301 ' }).waitFor();
  });

  it('complained of nothing in their consoles', () => {
    expect(stage.problems).toEqual([]);
    expect(firefox.problems).toEqual([]);
  });
});

import { duel } from '@riposte/shared/games';
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recorded } from '../../../client/testing/recorded.js';
import { findings, WIDTHS } from '../audit.js';
import { pictureOf } from '../picture.js';
import { Command, hasChromium, isExhaustive, STEP_MS, Stage } from '../stage.js';

/** The narrowest screen shows the most at fault. */
const widths = isExhaustive ? Object.values(WIDTHS) : [WIDTHS.phone];

describe.skipIf(!hasChromium)('in Chromium, on every screen, nothing keeps people out of', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  async function expectOpenToAll(page: Page): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await findings((script) => page.evaluate(script)), `${page.url()} at ${width} px`).toEqual([]);
    }
  }

  it('the lobby, and the room that waits for a friend, whose QR code is its link', async () => {
    const { page } = await stage.player('?name=Ada');
    await expectOpenToAll(page);
    await page.getByRole('button', { name: 'Create a match' }).click();
    const picture = page.getByRole('img', { name: /QR code/ });
    await picture.waitFor();
    await expectOpenToAll(page);
    const { data, width, height } = await pictureOf(picture);
    const read = jsQR.default(data, width, height);
    expect(read?.data).toBe(await page.getByLabel('Link').inputValue());
  });

  it('a match that runs, and one that is over', async () => {
    const [ada, bo] = await stage.pair('name=Ada&bot=5', 'name=Bo&bot=6');
    await ada.reachFrame(30);
    await ada.page.keyboard.press('F2');
    await expectOpenToAll(ada.page);
    await ada.page.getByRole('button', { name: 'Leave' }).click();
    await bo.reach('ended', STEP_MS);
    await expectOpenToAll(bo.page);
    for (const { page } of [ada, bo]) await page.context().close();
  });

  it.runIf(isExhaustive)('a match that stands still, and one that is watched', async () => {
    const [ada, bo] = await stage.pair('name=Ada&bot=5', 'name=Bo&bot=6');
    const watcher = await stage.player(`?watch=${await ada.room()}`);
    await watcher.reach('running');
    await expectOpenToAll(watcher.page);
    await ada.page.keyboard.press('p');
    await bo.page.getByText('Paused by Ada.').waitFor();
    await expectOpenToAll(bo.page);
    for (const { page } of [ada, bo, watcher]) await page.context().close();
  });

  it.runIf(isExhaustive)('the choice of keys, practice, and a race', async () => {
    const { page } = await stage.player('?name=Ada');
    await page.getByRole('button', { name: 'Change keys' }).click();
    await expectOpenToAll(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Training dummy' }).click();
    await page.getByRole('button', { name: 'Throw' }).waitFor();
    await expectOpenToAll(page);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('radio', { name: /^Race/ }).check();
    await expectOpenToAll(page);
    await page.getByRole('button', { name: 'Versus on one keyboard' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    await expectOpenToAll(page);
  });

  it('the lab, and the inspector with two recordings that part', async () => {
    const lab = await stage.page('lab');
    await lab.getByRole('heading', { name: 'Frame by frame' }).waitFor();
    await expectOpenToAll(lab);
    await lab.context().close();

    const inspector = await stage.page('inspect');
    await inspector.getByRole('heading', { name: /Drop one or two/ }).waitFor();
    if (isExhaustive) await expectOpenToAll(inspector);
    const files = [0, 1].map((recordedBy) => ({
      name: `${recordedBy}.rpl`,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(
        recorded(duel, {
          recordedBy,
          fault: (frame, state) => {
            if (recordedBy === 1 && frame === 300) state.fighters[1]!.health -= 7;
          },
        }),
      ),
    }));
    await inspector.locator('input[type=file]').setInputFiles(files);
    await inspector
      .getByText(/frame 300/)
      .first()
      .waitFor();
    await expectOpenToAll(inspector);
  });

  it.runIf(isExhaustive)('a match that an authority runs', async () => {
    const command = new Command('authority', '--server', stage.server.url, '--game', 'duel', '--json');
    const { room } = JSON.parse(await command.line());
    const players = [await stage.player(`?room=${room}&authority=1&bot=3`)];
    players.push(await stage.player(`?room=${room}&authority=1&bot=4`));
    await players[0]!.reachFrame(60);
    await expectOpenToAll(players[0]!.page);
    command.interrupt();
    await command.ended;
    for (const { page } of players) await page.context().close();
  });

  it('their consoles', () => {
    expect(stage.problems).toEqual([]);
  });
});

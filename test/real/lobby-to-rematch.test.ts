import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isExhaustive, STEP_MS, Stage } from './stage.js';

/** A round lasts 20 seconds at most, and as long again on a machine that is busy. */
const ROUND_MS = 45_000;
const BEAT_MS = 80;

/** What a player holds to come closer, by the side. */
const CLOSER = { left: 'ArrowRight', right: 'ArrowLeft' } as const;

/** Presses what a player presses who knows one blow, until something is to be read on the page. */
async function strikeUntil(page: Page, side: keyof typeof CLOSER, words: string | RegExp, waitMs: number) {
  let isRead = false;
  const read = page
    .getByText(words)
    .first()
    .waitFor({ state: 'attached', timeout: waitMs })
    .finally(() => {
      isRead = true;
    });
  await page.keyboard.down(CLOSER[side]);
  while (!isRead) await page.keyboard.press('KeyK', { delay: BEAT_MS });
  await page.keyboard.up(CLOSER[side]);
  await read;
}

/** Everything here is seen on the screen, or told to who cannot see it, and pressed there. */
describe.skipIf(!hasChromium)('two players who know the page by what it shows', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const step = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Steps to the match' }).getByRole('listitem').filter({ hasText: name });

  /** Ada has opened a room, from the lobby. */
  async function adaWaits(): Promise<Page> {
    const ada = await stage.page('', (context) => context.grantPermissions(['clipboard-read', 'clipboard-write']));
    await ada.getByLabel('Your name').fill('Ada');
    await button(ada, 'Create a match').click();
    await expect.poll(() => step(ada, 'Server').textContent()).toMatch(/done \d+ ms$/);
    expect(await step(ada, 'Other player').getAttribute('aria-current')).toBe('step');
    return ada;
  }

  it('meet by a code, see how they are connected, fight with keys, and read why it ended and what is next', async () => {
    const ada = await adaWaits();
    const bo = await stage.page('');
    await bo.getByLabel('Your name').fill('Bo');
    await bo.getByLabel(/with a code/).fill((await ada.locator('.room-code').textContent()) ?? '');
    await button(bo, 'Join').click();
    for (const page of [ada, bo]) {
      await page.getByRole('heading', { name: 'Ada against Bo' }).waitFor({ state: 'attached', timeout: STEP_MS });
      await page.getByText('Connected directly.').waitFor({ state: 'attached' });
    }
    await strikeUntil(ada, 'left', 'Ada takes the round: 1 to 0.', ROUND_MS);
    await bo.getByText('Ada takes the round: 1 to 0.').waitFor({ state: 'attached' });
    await button(bo, 'Leave').click();
    await ada.getByRole('heading', { name: 'The match is over' }).waitFor();
    await ada.getByText('The other player left.').waitFor();
    await button(ada, 'Create a new match').waitFor();
  });

  it.runIf(isExhaustive)(
    'meet by a copied link, play to the result, and play the rematch on changed sides',
    async () => {
      const ada = await adaWaits();
      await button(ada, 'Copy link').click();
      await ada.getByText('Copied.').waitFor();
      const link = new URL(await ada.evaluate(() => navigator.clipboard.readText()));
      const bo = await stage.page(`${link.search}&name=Bo`);
      await strikeUntil(ada, 'left', /^You win 3–\d$/, 4 * ROUND_MS);
      await bo.getByRole('heading', { name: /^You lose \d–3$/ }).waitFor();

      await button(ada, 'Rematch, sides changed').click();
      await bo.getByText('Ada wants a rematch.').waitFor();
      await button(bo, 'Rematch, sides changed').click();
      for (const page of [ada, bo]) {
        await page.getByRole('heading', { name: 'Bo against Ada' }).waitFor({ state: 'attached', timeout: STEP_MS });
      }
      await strikeUntil(ada, 'right', 'Ada takes the round: 1 to 0.', ROUND_MS);
      await button(ada, 'Leave').click();
      await bo.getByText('The other player left.').waitFor();
    },
  );

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

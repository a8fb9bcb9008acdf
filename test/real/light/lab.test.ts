import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isThorough, STEP_MS, Stage } from '../stage.js';

describe.skipIf(!hasChromium)('the lab page', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  async function visit(width = 1280): Promise<Page> {
    const page = await stage.view('lab', width);
    await page.getByRole('heading', { name: 'The rollback lab' }).waitFor();
    return page;
  }

  const frames = (page: Page): Promise<number[]> =>
    page.evaluate(() => [...document.querySelectorAll('b[data-side]')].map(({ textContent }) => Number(textContent)));

  async function reach(page: Page, frame: number): Promise<void> {
    const isReached = (wanted: number) =>
      [...document.querySelectorAll('b[data-side]')].every(({ textContent }) => Number(textContent) >= wanted);
    await page.waitForFunction(isReached, frame);
  }

  /** Waits until a row of the measures has at least so much as its greatest number, for the first player. */
  async function measured(page: Page, row: string, least: number): Promise<void> {
    await page.waitForFunction(
      ([title, wanted]) => {
        const found = [...document.querySelectorAll('.measures tr')].find(
          (each) => each.querySelector('th')?.textContent === title,
        );
        return Number(found?.querySelector('td')?.textContent?.split(' / ').at(-1)) >= wanted;
      },
      [row, least] as const,
    );
  }

  it('moves both pictures, and rolls back farther when the delay goes up', async () => {
    const page = await visit();
    const pictures = page.getByRole('img', { name: /^The match as Player [12] sees it$/ });
    const before = await Promise.all([0, 1].map((side) => pictures.nth(side).screenshot()));
    await page.keyboard.press('1');
    await reach(page, 60);
    // The frame counter runs ahead of what the canvas was last painted with.
    for (const side of [0, 1]) {
      await expect.poll(async () => (await pictures.nth(side).screenshot()).equals(before[side]!)).toBe(false);
    }

    await page.getByRole('slider', { name: 'Delay', exact: true }).fill('90');
    await measured(page, 'Rollback depth, frames', 4);
    await measured(page, 'Round trip, ms', 150);
    const points = await page.locator('[data-points]').evaluateAll((plots) => plots.map((plot) => plot.dataset));
    expect(points).toHaveLength(3);
    for (const { points: count } of points) expect(Number(count)).toBeGreaterThan(4);
  });

  it('shows each of its trials at the press of a button, and says what happens in it', async () => {
    const page = await visit();
    const trials = page.locator('.trials button');
    const sides = page.locator('.happenings');
    await expect.poll(() => trials.count()).toBe(8);
    const told: Readonly<Record<string, RegExp>> = {
      'See one guess go wrong': /went back \d+ frames?: in frame \d+ Player [12] pressed /,
      'Do without guesses': /times it had to wait/,
      'Ask an authority': /The authority steps each frame/,
    };
    for (const title of await trials.allTextContents()) {
      await trials.filter({ hasText: title }).click();
      expect(await page.evaluate(() => scrollY)).toBe(0);
      if (told[title] !== undefined)
        await expect.poll(() => sides.textContent(), { timeout: STEP_MS }).toMatch(told[title]);
      if (title === 'Make two machines part') await page.getByText('Desync at frame 60.').waitFor();
    }
  });

  it('stands, shows where the logic has things, goes on by single frames, and names a planted fault', async () => {
    const page = await visit();
    await reach(page, 60);
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    const picture = page.getByRole('img', { name: 'The match as Player 1 sees it' });
    let plain = await picture.screenshot();
    const stands = async () => {
      const before = plain;
      plain = await picture.screenshot();
      return before.equals(plain);
    };
    await expect.poll(stands, { timeout: STEP_MS }).toBe(true);
    const outlines = page.getByRole('button', { name: 'Outlines' });
    await outlines.click();
    await expect.poll(async () => plain.equals(await picture.screenshot()), { timeout: STEP_MS }).toBe(false);
    await outlines.click();
    const [before = 0] = await frames(page);
    for (let step = 0; step < 10; step++) await page.keyboard.press('n');
    await reach(page, before + 8);
    expect((await frames(page))[0]! - before).toBeLessThanOrEqual(12);
    await page.keyboard.press('p');
    await page.keyboard.press('x');
    await page.getByText(/^Desync at frame \d+\./).waitFor();
    await page.keyboard.press('r');
    await page.getByText(/^Desync/).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: /An authority/ }).check();
    await reach(page, 60);
    await page.keyboard.press('x');
    await page.getByText(/^Healed\./).waitFor();
  });

  it.runIf(isThorough)('is played by the keyboard, and works without a network once it is loaded', async () => {
    const page = await visit();
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await page.getByRole('combobox', { name: 'Game' }).selectOption('race');
    await page.getByRole('combobox', { name: 'Player 1' }).selectOption('keys');
    await page.getByText('Player 1: → or Space accelerates').waitFor();
    await page.keyboard.down('ArrowRight');
    await measured(page, 'Guessed frames', 1);
    await reach(page, 60);
  });

  it.runIf(isThorough).each([360, 1280, 1920])('fits a screen of %i pixels, and names every control', async (width) => {
    const page = await visit(width);
    await reach(page, 10);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    for (const role of ['button', 'slider', 'combobox', 'radio', 'img'] as const) {
      expect(await page.getByRole(role).count()).toBeGreaterThan(0);
      expect(await page.getByRole(role, { name: /^$/ }).count()).toBe(0);
    }
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

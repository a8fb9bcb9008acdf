import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, type Player, Stage } from './stage.js';

describe.skipIf(!hasChromium)('the overlay', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  /** How many colours its canvas has by now. */
  const colours = ({ page }: Player) =>
    page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.stats canvas');
      const context = canvas?.getContext('2d');
      if (canvas === null || context == null || canvas.width === 0) return 0;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });

  it('is shown and hidden by its key and its button, and stays over a rematch', async () => {
    const players = await stage.pair('bot=5&frames=300', 'bot=6&frames=300');
    const [one] = players;
    await one.reachFrame(30);
    expect(await one.page.locator('.stats canvas').count()).toBe(0);
    await one.page.keyboard.press('F2');
    await one.page.locator('.stats canvas').waitFor();
    await expect.poll(() => colours(one), { timeout: 10_000 }).toBeGreaterThan(5);
    const button = one.page.getByRole('button', { name: 'Figures' });
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    for (const player of players) await player.reach('ended', 60_000);
    for (const { page } of players) await page.getByRole('button', { name: /^Rematch/ }).click();
    for (const player of players) await player.reach('running');
    expect(await one.page.locator('.stats canvas').isVisible()).toBe(true);
    expect(await one.page.evaluate(() => globalThis.riposte.route())).toBe('direct');
    const status = await one.status();
    expect(status.sentBytes).toBeGreaterThan(status.sentPackets);
    expect(status.receivedPackets).toBeGreaterThan(100);
    await button.click();
    await one.page.locator('.stats canvas').waitFor({ state: 'hidden' });
    expect(stage.problems).toEqual([]);
  });
});

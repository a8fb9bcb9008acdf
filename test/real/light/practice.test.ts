import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isExhaustive, type Player, Stage } from '../stage.js';

/** A pad that the test presses: a browser without one on the machine shows none. */
function plugIn(): void {
  const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
  const pad = { index: 0, connected: true, mapping: 'standard', axes: [0, 0, 0, 0], buttons };
  Object.assign(globalThis, { pad });
  Object.defineProperty(navigator, 'getGamepads', { value: () => [pad] });
}

/** Waits until the fighter in front of the dummy does this. */
async function reachAction({ page }: Player, action: string): Promise<void> {
  const holds = (wanted: string): boolean => {
    const state: unknown = globalThis.riposte.stateAt(globalThis.riposte.status().frame + 1);
    return JSON.parse(JSON.stringify(state)).fighters[0].action === wanted;
  };
  await page.waitForFunction(holds, action, { polling: 'raf' });
}

describe.skipIf(!hasChromium || !isExhaustive)('the lobby in Chromium', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  it('lets one practise alone, with a key of one’s own and with a gamepad, and remembers the key', async () => {
    const player = await stage.player('', (context) => context.addInitScript(plugIn));
    const { page } = player;
    await page.getByRole('button', { name: 'Change keys' }).click();
    const light = page.getByRole('button', { name: 'Alone or online, Light attack' });
    const told = page.getByRole('dialog').getByRole('status');
    await light.click();
    await page.keyboard.press('KeyK');
    await expect.poll(() => told.textContent()).toMatch(/K is “Heavy attack” already/);
    await light.click();
    await page.keyboard.press('KeyQ');
    await expect.poll(() => told.textContent()).toBe('Light attack: Q.');
    await page.reload();

    await page.getByRole('button', { name: 'Training dummy' }).click();
    await player.reachFrame(130);
    await page.keyboard.down('KeyQ');
    await reachAction(player, 'light');
    await page.keyboard.up('KeyQ');
    await reachAction(player, 'stand');
    await page.evaluate(() => Object.assign(Reflect.get(globalThis, 'pad').buttons[3], { pressed: true }));
    await reachAction(player, 'heavy');
    await page.getByRole('button', { name: 'Throw' }).click();
    await reachAction(player, 'thrown');
    expect(stage.problems).toEqual([]);
  });

  it('lets one play a computer, and says who takes the round', async () => {
    const player = await stage.player('?bot=5&name=Ada');
    const { page } = player;
    await page.getByRole('button', { name: 'Hard computer' }).click();
    await page.getByText(/^(Ada|Hard computer) takes the round: 1 to 0\.$/).waitFor({ state: 'attached' });
    expect((await player.status()).players.map(({ name, me }) => [name, me])).toEqual([
      ['Ada', true],
      ['Hard computer', false],
    ]);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Easy computer' }).waitFor();
    expect(stage.problems).toEqual([]);
  });

  it('has the buttons for fingers on the screen, held upright or on its side, for either hand', async () => {
    const { page } = await stage.player('?name=Ada');
    const phone = await page.context().newCDPSession(page);
    await phone.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const hold = (width: number, height: number) =>
      phone.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: true });
    for (const hand of ['left', 'right']) {
      await page.getByRole('radio', { name: `${hand} hand` }).check();
      await page.getByRole('button', { name: 'Easy computer' }).click();
      for (const [width, height] of [
        [360, 740],
        [740, 360],
      ] as const) {
        await hold(width, height);
        const [moving, acting] = await Promise.all(
          ['Walk left', 'Heavy attack'].map((name) => page.getByRole('button', { name }).boundingBox()),
        );
        expect(Math.max(moving!.y + moving!.height, acting!.y + acting!.height)).toBeLessThanOrEqual(height);
        expect(Math.max(moving!.x + moving!.width, acting!.x + acting!.width)).toBeLessThanOrEqual(width);
        expect(moving!.x > acting!.x ? 'left' : 'right').toBe(hand);
      }
      await page.getByRole('button', { name: 'Leave' }).click();
    }
    expect(stage.problems).toEqual([]);
  });
});

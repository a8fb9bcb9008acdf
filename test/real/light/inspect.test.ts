import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineGame } from '@riposte/shared';
import { duel, race } from '@riposte/shared/games';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recorded } from '../../../client/testing/recorded.js';
import { Command, hasChromium, isThorough, Stage } from '../stage.js';

const HOUR_FRAMES = 216_000;
const FAULT = 1000;
const HOUR_FAULT = 200_123;

interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The recordings of both sides of one duel, whose states part at `fault`. */
function parted(frames: number, fault: number): [GivenFile, GivenFile] {
  const faulty = recorded(duel, {
    frames,
    recordedBy: 1,
    fault: (frame, state) => {
      if (frame === fault) state.fighters[1]!.health -= 7;
    },
  });
  return [
    { name: 'a.rpl', bytes: recorded(duel, { frames }) },
    { name: 'b.rpl', bytes: faulty },
  ];
}

describe.skipIf(!hasChromium)('the inspector page', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  async function visit(address = 'inspect', width = 1280): Promise<Page> {
    const page = await stage.view(address, width);
    await page.getByRole('heading', { name: 'Inspect a match' }).waitFor();
    return page;
  }

  /** Lets files fall on the page as from a folder. */
  async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
    const given = files.map(({ name, bytes }) => ({ name, bytes: [...bytes] }));
    await page.evaluate((dropped) => {
      const dataTransfer = new DataTransfer();
      for (const { name, bytes } of dropped) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, given);
  }

  async function choose(page: Page, files: readonly GivenFile[]): Promise<void> {
    const payloads = files.map(({ name, bytes }) => ({ name, mimeType: '', buffer: Buffer.from(bytes) }));
    await page.locator('input[type=file]').first().setInputFiles(payloads);
  }

  const frameShown = (page: Page, frame: number) =>
    page.getByRole('heading', { name: `State before frame ${frame} ` }).waitFor();

  it('names frame and field where two dropped recordings part, and shows both states there', async () => {
    const page = await visit();
    await drop(page, parted(1800, FAULT));
    const found = page.getByRole('region', { name: 'What was found' });
    await found.getByText(`The states part at frame ${FAULT}`, { exact: false }).waitFor();
    await found.getByText('fighters[1].health: 38 in A, 31 in B').waitFor();
    await found.getByText('running it again agrees with A').waitFor();

    await page.keyboard.press('d');
    await frameShown(page, FAULT + 1);
    expect(await page.locator('.differences tbody tr').allTextContents()).toEqual(['fighters[1].health3831']);
    await page.waitForURL(`**/inspect#frame=${FAULT + 1}`);
    const [inA, inB] = await Promise.all([0, 1].map((side) => page.locator('canvas.picture').nth(side).screenshot()));
    expect(inA!.equals(inB!)).toBe(false);

    await page.keyboard.press('ArrowLeft');
    await page.getByText('the same in A and B').waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    await frameShown(page, 60);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => Number(/\d+/.exec(document.querySelector('.where strong')!.textContent)) > 90);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  it('opens two recordings of an hour, finds where they part and goes anywhere in them', async () => {
    const page = await visit();
    await choose(page, parted(HOUR_FRAMES, HOUR_FAULT));
    await page.getByText('fighters[1].health: 52 in A, 45 in B').waitFor();
    await page.getByRole('button', { name: 'Go to the first difference' }).click();
    await frameShown(page, HOUR_FAULT + 1);
    await page.keyboard.press('End');
    await frameShown(page, HOUR_FRAMES);
    await page.getByRole('slider', { name: 'Frame' }).fill('123456');
    await frameShown(page, 123_456);
    await page.getByText('the same in A and B').waitFor();
    for (let zoom = 0; zoom < 12; zoom++) await page.keyboard.press('+');
    await page.getByText(/^Each player: A above, B below\. Frames 1234\d\d to 1234\d\d$/).waitFor();
  });

  it.runIf(isThorough)('works without a network once it is loaded', async () => {
    const page = await visit();
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await choose(page, [{ name: 'race.rpl', bytes: recorded(race) }]);
    await page.getByText(/^ok: 600 frames of race/).waitFor();
  });

  it('says in words why it refuses a file, and shows what it can of a game that it does not have', async () => {
    const page = await visit();
    await drop(page, [{ name: 'notes.txt', bytes: Uint8Array.of(1, 2, 3) }]);
    await page.getByRole('alert').filter({ hasText: 'notes.txt cannot be opened: not a Riposte recording' }).waitFor();
    const unheard = recorded(defineGame({ ...race, id: 'unheard' }));
    await drop(page, [{ name: 'unheard.rpl', bytes: unheard }]);
    await page
      .getByText(
        'The recording is of unheard 1, and this page has duel, race, and race4. Inputs and hashes are shown as they ' +
          'are written. To run and draw it: npx riposte inspect FILE --game GAME.ts',
        { exact: true },
      )
      .waitFor();
    await page.getByRole('img', { name: 'Inputs of Ada and Grace, frames 0 to 600' }).waitFor();
  });

  it.runIf(isThorough).each([360, 1280, 1920])('fits a screen of %i pixels, and names every control', async (width) => {
    const page = await visit(undefined, width);
    await choose(page, parted(1800, FAULT));
    await page.getByText('running it again agrees with A').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    for (const role of ['button', 'slider', 'img'] as const) {
      expect(await page.getByRole(role).count()).toBeGreaterThan(0);
      expect(await page.getByRole(role, { name: /^$/ }).count()).toBe(0);
    }
  });

  it("opens an author's own game from the command, which Ctrl-C ends with 0", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'riposte-inspect-'));
    const [game, file] = [join(folder, 'game.ts'), join(folder, 'a.rpl')];
    await writeFile(
      game,
      `import { race } from '@riposte/shared/games';
       import { defineGame } from '@riposte/shared';
       export default defineGame({ ...race, id: 'dash' });
       export const view = (canvas: HTMLCanvasElement) => {
         const pen = canvas.getContext('2d')!;
         return () => { pen.fillStyle = '#ff0000'; pen.fillRect(0, 0, canvas.width, canvas.height); };
       };`,
    );
    await writeFile(file, recorded(defineGame({ ...race, id: 'dash' })));
    const command = new Command('inspect', file, '--game', game);
    const page = await visit(`${await command.line()}#frame=77`);
    await page.getByText(/ok: 600 frames of dash 1/).waitFor();
    await page.getByRole('heading', { name: 'State before frame 77' }).waitFor();
    const pixel = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas.picture');
      return [...(canvas?.getContext('2d')?.getImageData(5, 5, 1, 1).data ?? [])];
    });
    expect(pixel).toEqual([255, 0, 0, 255]);
    await page.close();
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

import { readFile } from 'node:fs/promises';
import { readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, STEP_MS, Stage } from '../stage.js';

/** What a page that is killed may lose. */
const SECOND_FRAMES = 60;

describe.skipIf(!hasChromium)('the recordings that a browser keeps', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(async () => {
    await stage.close();
    expect(stage.problems).toEqual([]);
  });

  async function downloaded(page: Page): Promise<Uint8Array> {
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: STEP_MS }),
      page.getByRole('button', { name: 'Download', exact: true }).first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^riposte-duel-[\d-]+\.rpl$/);
    return readFile(await download.path());
  }

  it('hold a match up to the last second before its page is killed, and list it in the lobby', async () => {
    const [creator] = await stage.pair('bot=5&name=Ada', 'bot=6&name=Bo');
    await creator.reachFrame(200);
    const context = creator.page.context();
    const { confirmedFrame } = await creator.status();
    await creator.kill();

    const lobby = await context.newPage();
    await lobby.goto(stage.server.url);
    const list = lobby.getByRole('region', { name: 'Recent matches' });
    await list.getByText('duel: Ada and Bo').waitFor({ timeout: STEP_MS });
    await list.getByText('without its end').waitFor();
    const recording = readRecording(await downloaded(lobby));
    expect(recording.frames).toBeGreaterThanOrEqual(confirmedFrame - SECOND_FRAMES);
    expect(recording).toMatchObject({ truncated: true, header: { names: ['Ada', 'Bo'], recordedBy: 0 } });
    expect(verify(duel, recording)).toMatchObject({ ok: true });
    expect(recording.events.some(({ kind }) => kind === 'rollback')).toBe(true);

    const [inspector] = await Promise.all([
      context.waitForEvent('page', { timeout: STEP_MS }),
      list.getByRole('link', { name: 'Inspect' }).click(),
    ]);
    await inspector.getByText(/^ok: \d+ frames of duel/).waitFor({ timeout: STEP_MS });

    await list.getByRole('button', { name: 'Delete' }).click();
    await list.waitFor({ state: 'detached' });
    await lobby.reload();
    await lobby.getByRole('button', { name: 'Create a match' }).waitFor();
    expect(await list.count()).toBe(0);
    await context.close();
  });

  /** Plays a match of two seconds on one keyboard, to its end and back to the lobby. */
  async function playLocal(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Versus on one keyboard' }).click();
    await page.getByRole('button', { name: 'Back to the lobby' }).click({ timeout: STEP_MS });
  }

  it('are complete where the match ended, and a match is played where the browser keeps nothing', async () => {
    const { page } = await stage.player('?frames=120&bot=5');
    await playLocal(page);
    await page.getByRole('region', { name: 'Recent matches' }).waitFor({ timeout: STEP_MS });
    const recording = readRecording(await downloaded(page));
    expect(recording).toMatchObject({ frames: 120, complete: true, endReason: 'finished' });
    await page.context().close();

    const withheld = await stage.player('?frames=120&bot=5', (context) =>
      context.addInitScript(() => {
        Object.defineProperty(globalThis, 'indexedDB', {
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
      }),
    );
    await playLocal(withheld.page);
    await withheld.page.getByRole('button', { name: 'Create a match' }).waitFor();
    expect(await withheld.page.getByRole('region', { name: 'Recent matches' }).count()).toBe(0);
  });

  /** Puts recordings of earlier matches into what the browser keeps: the larger its number, the later was the match. */
  async function keepEarlier(page: Page, count: number, bytes: number): Promise<void> {
    await page.evaluate(
      async ([matches, size]) => {
        const opening = indexedDB.open('riposte.recordings');
        await new Promise((resolve) => opening.addEventListener('success', resolve));
        const transaction = opening.result.transaction(['matches', 'segments'], 'readwrite');
        for (let at = 0; at < matches; at++) {
          const common = { id: `earlier-${at}`, game: 'duel', names: ['Ada', 'Bo'], recordedBy: 0, tickRate: 60 };
          const times = { startedMs: 1e12 + at * 1000, savedMs: 1e12 + at * 1000, frames: 60, isEnded: true };
          transaction.objectStore('matches').put({ ...common, ...times, bytes: size });
          transaction.objectStore('segments').put(new Uint8Array(size), [common.id, 0]);
        }
        await new Promise((resolve) => transaction.addEventListener('complete', resolve));
        opening.result.close();
      },
      [count, bytes] as const,
    );
  }

  /** The recordings that the browser keeps, with what their parts take in all. */
  async function keptIn(page: Page): Promise<{ ids: string[]; bytes: number }> {
    return page.evaluate(async () => {
      const opening = indexedDB.open('riposte.recordings');
      await new Promise((resolve) => opening.addEventListener('success', resolve));
      const transaction = opening.result.transaction(['matches', 'segments']);
      const ids = transaction.objectStore('matches').getAllKeys();
      const parts = transaction.objectStore('segments').getAll();
      await new Promise((resolve) => transaction.addEventListener('complete', resolve));
      opening.result.close();
      return {
        ids: ids.result.map(String),
        bytes: parts.result.reduce((sum: number, part: Uint8Array) => sum + part.length, 0),
      };
    });
  }

  it.each([
    ['thirty', 40, 1000, 29],
    ['what fits 32 MiB', 20, 4 * 1024 * 1024, 8],
  ])('are at most %s with the one that is played, the newest of them', async (_, earlier, bytes, stay) => {
    const { page } = await stage.player('?frames=120&bot=5');
    await page.getByRole('button', { name: 'Create a match' }).waitFor();
    await keepEarlier(page, earlier, bytes);
    await playLocal(page);
    await page.getByRole('region', { name: 'Recent matches' }).waitFor({ timeout: STEP_MS });
    const kept = await keptIn(page);
    const old = kept.ids.filter((id) => id.startsWith('earlier-'));
    expect(old.sort()).toEqual(Array.from({ length: stay }, (_, at) => `earlier-${earlier - 1 - at}`).sort());
    expect(kept.ids).toHaveLength(stay + 1);
    expect(kept.bytes).toBeLessThan(stay * bytes + 20_000);
  });
});

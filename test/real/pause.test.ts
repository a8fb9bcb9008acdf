import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, Stage } from './stage.js';

/** Of a page that stands: it sends one at every tick. */
const PACKETS = 90;

describe.skipIf(!hasChromium)('a match that a player pauses by its key', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  it('stands on both pages, says by whom, and goes on to the same end', async () => {
    const players = await stage.pair('name=Ada&bot=5&frames=300&linkDelay=30', 'name=Bo&bot=6&frames=300&linkDelay=30');
    const [ada, bo] = players;
    await bo.reachFrame(60);
    await ada.page.keyboard.press('p');
    await bo.page.getByText('Paused by Ada.').waitFor();
    await ada.page.getByText('Paused. P goes on.').waitFor();
    expect(await bo.page.getByRole('button', { name: 'Go on' }).count()).toBe(0);
    const frames = async () => (await Promise.all(players.map((player) => player.status()))).map(({ frame }) => frame);
    let last = await frames();
    const isStill = async () => {
      const before = last;
      last = await frames();
      return last.every((frame, me) => frame === before[me]);
    };
    await expect.poll(isStill, { timeout: 10_000, interval: 200 }).toBe(true);
    const stood = await Promise.all(players.map((player) => player.status()));
    // As many as come in more than the silence after which a player counts as interrupted.
    const heard = stood[1]!.receivedPackets + PACKETS;
    await bo.page.waitForFunction((wanted) => globalThis.riposte.status().receivedPackets >= wanted, heard);
    const later = await Promise.all(players.map((player) => player.status()));
    for (const [me, { frame, stalledFrames, phase, pausedBy }] of later.entries()) {
      expect({ frame, stalledFrames }).toEqual({ frame: stood[me]!.frame, stalledFrames: stood[me]!.stalledFrames });
      expect({ phase, pausedBy }).toEqual({ phase: 'running', pausedBy: 0 });
    }
    await ada.page.getByRole('button', { name: 'Go on' }).click();
    await bo.page.getByRole('button', { name: 'Pause' }).waitFor();
    for (const status of await Promise.all(players.map((player) => player.reach('ended', 60_000)))) {
      expect(status).toMatchObject({ cause: 'finished', desync: null, confirmedFrame: 299 });
    }
    expect(await ada.hashes([300])).toEqual(await bo.hashes([300]));
    expect(stage.problems).toEqual([]);
  });
});

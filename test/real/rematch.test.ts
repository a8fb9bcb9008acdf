import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isExhaustive, type Player, STEP_MS, Stage } from './stage.js';

const FRAMES = 240;
const MATCH_MS = 60_000;

describe.skipIf(!hasChromium)('two bots at the visible controls', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  const button = ({ page }: Player, name: string | RegExp) => page.getByRole('button', { name });

  async function expectEnd(players: readonly Player[]): Promise<void> {
    const ends = await Promise.all(players.map((player) => player.reach('ended', MATCH_MS)));
    for (const status of ends) expect(status).toMatchObject({ cause: 'finished', desync: null });
    const hashes = (await Promise.all(players.map((player) => player.hashes([FRAMES])))).flat();
    expect(new Set(hashes).size).toBe(1);
  }

  const sides = async (player: Player) => (await player.status()).players.findIndex(({ me }) => me);

  it('meet in the lobby, play to the end, and play the rematch on changed sides', async () => {
    const ada = await stage.player(`?name=Ada&bot=5&frames=${FRAMES}`);
    await button(ada, 'Create a match').click();
    const link = new URL(await ada.page.getByLabel('Link').inputValue({ timeout: STEP_MS }));
    const code = link.searchParams.get('room') ?? '';
    const bo = await stage.player(`?name=Bo&bot=6&frames=${FRAMES}`);
    await bo.page.getByLabel(/with a code/).fill(code);
    await button(bo, 'Join').click();
    const players = [ada, bo];
    await ada.page.getByLabel('Input delay').selectOption('3 frames');
    await expectEnd(players);
    const recordings = [await ada.recording()];
    expect(await Promise.all(players.map(sides))).toEqual([0, 1]);

    await button(bo, /^Rematch/).click();
    await button(bo, 'Waiting for Ada…').waitFor();
    await ada.page.getByText('Bo wants a rematch.').waitFor();
    await button(ada, /^Rematch/).click();
    await Promise.all(players.map((player) => player.reach('running')));
    expect(await Promise.all(players.map(sides))).toEqual([1, 0]);
    await ada.page.getByRole('heading', { name: 'Bo against Ada' }).waitFor();
    await expect.poll(async () => (await ada.status()).inputDelay).toBe(3);
    await expectEnd(players);
    recordings.push(await ada.recording());
    expect(recordings[1]).not.toEqual(recordings[0]);

    await button(bo, 'Back to the lobby').click();
    await ada.page.getByText('Another player left.').waitFor();
    await button(ada, 'Create a new match').waitFor();
    expect(await button(ada, /^Rematch/).count()).toBe(0);
    await button(bo, 'Create a match').waitFor();
  });

  it.runIf(isExhaustive)('return to the rematch, and not to the match before it, when a page is reloaded', async () => {
    const players = await stage.pair('name=Ada&bot=5&frames=600', 'name=Bo&bot=6&frames=600');
    const [ada, bo] = players;
    await Promise.all(players.map((player) => player.reach('ended', MATCH_MS)));
    for (const player of players) await button(player, /^Rematch/).click();
    await Promise.all(players.map((player) => player.reachFrame(120)));
    await bo.page.reload();
    await bo.page.waitForFunction(() => 'riposte' in globalThis);
    await bo.reachFrame(200);
    expect(await sides(bo)).toBe(0);
    for (const status of await Promise.all(players.map((player) => player.reach('ended', MATCH_MS)))) {
      expect(status).toMatchObject({ cause: 'finished', desync: null, confirmedFrame: 599 });
    }
    expect(await ada.hashes([600])).toEqual(await bo.hashes([600]));
  });

  it.runIf(isExhaustive)('are watched in the rematch by who watches the room again', async () => {
    const players = await stage.pair('name=Ada&bot=5&frames=900', 'name=Bo&bot=6&frames=900');
    const room = await players[0].room();
    await players[0].reachFrame(60);
    const first = await stage.player(`?watch=${room}`);
    for (const player of [...players, first]) await player.reach('ended', MATCH_MS);
    for (const player of players) await button(player, /^Rematch/).click();
    await players[0].reachFrame(60);
    const again = await stage.player(`?watch=${room}`);
    await again.reach('running', MATCH_MS);
    expect((await again.status()).players.map(({ name }) => name)).toEqual(['Bo', 'Ada']);
    for (const player of [...players, again]) await player.reach('ended', MATCH_MS);
    expect(await again.hashes([900])).toEqual(await players[0].hashes([900]));
  });

  it('complained of nothing in the console', () => {
    expect(stage.problems).toEqual([]);
  });
});

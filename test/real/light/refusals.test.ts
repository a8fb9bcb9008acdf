import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, type Player, Stage } from '../stage.js';

/** Every refusal is a sentence on a page that can still be used. */
describe.skipIf(!hasChromium)('a page that cannot play', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  async function expectUsable(player: Player, words: RegExp): Promise<void> {
    await expect.poll(() => player.page.textContent('body'), { timeout: 20_000 }).toMatch(words);
    await player.page
      .getByRole('button', { name: /create/i })
      .first()
      .waitFor({ timeout: 10_000 });
  }

  it('says so for a room that nobody opened', async () => {
    await expectUsable(await stage.player('?room=ABCDEF'), /No open match with that code/i);
  });

  it('says the same for a room that is full, also in a second tab of the same player', async () => {
    const players = await stage.pair('bot=1', 'bot=2');
    const { room } = await players[1].reach('running');
    const third = await stage.player(`?room=${room}`);
    await expectUsable(third, /No open match with that code/i);
    for (const player of players) expect((await player.status()).phase).toBe('running');
  });

  it('says what is missing in a browser without WebRTC', async () => {
    const creator = await stage.player('?create=1');
    const without = await stage.player(`?room=${await creator.room()}`, (context) =>
      context.addInitScript(() => Reflect.deleteProperty(globalThis, 'RTCPeerConnection')),
    );
    await expectUsable(without, /WebRTC/);
  });

  it('names the part of its address that cannot be', async () => {
    await expectUsable(await stage.player('?create=1&delay=99'), /delay/);
    await expectUsable(await stage.player('?create=1&game=chess'), /game/);
  });

  it('says that the server is away, and works again when it is back', async () => {
    const own = await Stage.open();
    const player = await own.player('');
    const { port } = own.server;
    await own.server.close();
    await player.page
      .getByRole('button', { name: /create/i })
      .first()
      .click();
    await expectUsable(player, /No connection to the game server/);
    expect(port).toBeGreaterThan(0);
    await own.close().catch(() => undefined);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, isExhaustive, isThorough, type Player, Stage } from './stage.js';

const END_MS = 90_000;
const FROZEN_MS = 10_000;

describe.skipIf(!hasChromium || !isThorough)('a match in Chromium that is interrupted', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  async function expectSameEnd(players: readonly [Player, Player], frames: number): Promise<void> {
    for (const player of players) {
      const status = await player.reach('ended', END_MS);
      expect(status).toMatchObject({ cause: 'finished', desync: null, confirmedFrame: frames - 1 });
      expect(status.rollbacks).toBeGreaterThan(0);
    }
    const [one, two] = await Promise.all(players.map((player) => player.hashes([frames])));
    expect(one).toEqual(two);
  }

  it('goes on where it stood after nothing came through for eight seconds', async () => {
    const players = await stage.pair('bot=5&frames=600&linkDelay=40', 'bot=6&frames=600&linkDelay=40');
    await Promise.all(players.map((player) => player.reachFrame(200)));
    for (const player of players) {
      await player.page.evaluate(() => {
        const { send } = RTCDataChannel.prototype;
        RTCDataChannel.prototype.send = () => {};
        setTimeout(() => {
          RTCDataChannel.prototype.send = send;
        }, 8000);
      });
    }
    const interrupted = await Promise.all(players.map((player) => player.reach('interrupted')));
    for (const status of interrupted) expect(status.resumeLeftMs).toBeGreaterThan(25_000);
    await Promise.all(players.map((player) => player.reach('running', 25_000)));
    await expectSameEnd(players, 600);
    for (const player of players) expect((await player.status()).comparedFrames).toBe(600);
  });

  it.runIf(isExhaustive)('goes on over a new connection when the first one is closed under it', async () => {
    const watchConnections = (context: import('playwright-core').BrowserContext) =>
      context.addInitScript(() => {
        const made: RTCPeerConnection[] = [];
        Object.assign(globalThis, { madeConnections: made });
        globalThis.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(configuration?: RTCConfiguration) {
            super(configuration);
            made.push(this);
          }
        };
      });
    const creator = await stage.player('?create=1&bot=5&frames=900&linkDelay=40', watchConnections);
    const other = await stage.player(`?room=${await creator.room()}&bot=6&frames=900&linkDelay=40`, watchConnections);
    await other.reachFrame(200);
    await creator.page.evaluate(() => (Reflect.get(globalThis, 'madeConnections') as RTCPeerConnection[])[0]!.close());
    await other.reachFrame(400, 30_000);
    await expectSameEnd([creator, other], 900);
    const made = await other.page.evaluate(
      () => (Reflect.get(globalThis, 'madeConnections') as RTCPeerConnection[]).length,
    );
    expect(made).toBeGreaterThan(1);
  });

  it.runIf(isExhaustive)('hurts nobody when one page is covered by another tab for ten seconds', async () => {
    // Without a delayed link: it is made by the page's own timers, which a browser slows down where nobody looks.
    const [hidden, shown] = await stage.pair('bot=5&frames=1200&delay=0', 'bot=6&frames=1200&delay=0');
    await hidden.reachFrame(120);
    const cover = await hidden.page.context().newPage();
    await cover.bringToFront();
    await shown.reachFrame(720, 30_000);
    expect((await shown.status()).phase).toBe('running');
    await cover.close();
    await expectSameEnd([hidden, shown], 1200);
    for (const player of [hidden, shown]) expect((await player.status()).comparedFrames).toBe(1200);
  });

  it.runIf(isExhaustive)(
    'shows a page that the browser froze as inactive, and loses nothing when it thaws',
    async () => {
      const [frozen, shown] = await stage.pair('bot=5&frames=600&name=Ada', 'bot=6&frames=600&name=Bo');
      await frozen.reachFrame(120);
      // A headless browser neither hides a covered page nor freezes it: the page is told so, and its scripts are stopped.
      await frozen.page.evaluate(() => {
        Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      const session = await frozen.page.context().newCDPSession(frozen.page);
      await session.send('Debugger.enable');
      await session.send('Debugger.pause');
      await shown.reachPresence(0, 'inactive');
      await expect.poll(() => shown.page.textContent('main')).toContain('Ada’s page is in the background');
      await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
      expect((await shown.status()).phase).toBe('interrupted');
      await session.send('Debugger.resume');
      await shown.reachPresence(0, 'here', 30_000);
      await expectSameEnd([frozen, shown], 600);
      for (const player of [frozen, shown]) expect((await player.status()).comparedFrames).toBe(600);
    },
  );

  it('is announced with a countdown of 30 seconds when the other page is killed', async () => {
    const [killed, other] = await stage.pair('bot=5&name=Ada', 'bot=6');
    await other.reachFrame(60);
    await killed.kill();
    const { resumeLeftMs } = await other.reach('interrupted');
    expect(resumeLeftMs).toBeGreaterThan(25_000);
    const words = /Nothing is heard from Ada\..* within (30|2\d) seconds/;
    await expect.poll(() => other.page.textContent('main')).toMatch(words);
  });

  it('takes a reloaded page back, and a duplicated tab is told that the match is open already', async () => {
    const [creator, other] = await stage.pair('bot=5&frames=1500&linkDelay=40', 'bot=6&frames=1500&linkDelay=40');
    await creator.reachFrame(200);
    const room = await creator.room();
    await creator.page.reload();
    await creator.reachFrame(300, 30_000);
    expect(await creator.room()).toBe(room);
    expect((await other.status()).phase).toBe('running');
    const [duplicate] = await Promise.all([
      creator.page.context().waitForEvent('page'),
      // A tab that the page opens copies its sessionStorage, as duplicating a tab does.
      creator.page.evaluate(() => void window.open(location.href)),
    ]);
    await expect.poll(() => duplicate.textContent('body'), { timeout: 20_000 }).toMatch(/another tab/i);
    // It covers the page, whose delayed link is made by timers that a browser slows down where nobody looks.
    await duplicate.close();
    await expectSameEnd([creator, other], 1500);
  });

  it('is left behind by a page that asks for a new one', async () => {
    const [creator] = await stage.pair('bot=5', 'bot=6');
    await creator.reachFrame(60);
    const room = await creator.room();
    await creator.page.goto(`${stage.server.url}/?create=1`);
    await expect.poll(() => creator.page.evaluate(() => globalThis.riposte?.status().room ?? null)).not.toBeNull();
    expect(await creator.room()).not.toBe(room);
    expect(new URL(creator.page.url()).searchParams.get('room')).toBe(await creator.room());
  });
});

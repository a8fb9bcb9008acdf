import type { Game } from '@riposte/shared';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { Listeners } from '../../client/src/listeners.js';
import { playLocal } from '../../client/src/match/local.js';
import type { MatchOptions, Phase } from '../../client/src/match/match.js';
import { loadParts } from '../../client/src/match/parts.js';
import { PeerMatch } from '../../client/src/match/peer-match.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import { mixer, mixerInput } from '../../shared/testing/mixer.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;
type Page = PeerMatch<State, Input>;

const FRAMES = 120;
const LINK_MS = 30;

const isOver = (phase: Phase) => phase === 'ended' || phase === 'failed';

describe('what the code of a page does', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Two pages in one process; `own` are the options of each. */
  async function pages(
    own: readonly Partial<MatchOptions<State, Input>>[] = [],
    game: Game<State, Input> = mixer,
  ): Promise<[Page, Page]> {
    const parts = await loadParts(2, true);
    const [first, second] = loopbackPair((delayMs, run) => void setTimeout(run, delayMs + LINK_MS));
    const page = (me: number): Page => {
      const common = { me, room: null, names: ['Ada', 'Bo'], seed: 7, frames: FRAMES, ...parts };
      return new PeerMatch(game, { ...common, input: seededBot(mixerInput, me + 1), ...own[me] });
    };
    const [one, two] = [page(0), page(1)];
    one.attach(1, first);
    two.attach(0, second);
    return [one, two];
  }

  const run = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const toEnd = () => run(10_000);

  it('is reported when a listener throws, and the match is played and left as if it had not', async () => {
    const [one, two] = await pages();
    const bug = new TypeError('a bug of the page');
    const phases: Phase[] = [];
    const closed = vi.fn();
    for (const event of ['phase', 'link', 'presence', 'closed'] as const) {
      one.on(event, () => {
        throw bug;
      });
    }
    one.on('phase', (phase) => phases.push(phase));
    one.on('closed', closed);
    await toEnd();
    expect(phases).toEqual(['running', 'ended']);
    for (const page of [one, two]) expect(page.status()).toMatchObject({ cause: 'finished', comparedFrames: FRAMES });
    one.leave();
    await run(3000);
    expect(closed).toHaveBeenCalledOnce();
    expect(console.error).toHaveBeenCalledWith(bug);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['both ask', (page: Page) => void page.rematch().catch(() => undefined), 2],
    ['the second asks', (page: Page) => void page.rematch().catch(() => undefined), 1],
  ])('asks for a rematch as soon as the match has ended: %s in the listener', async (_who, ask, askers) => {
    const all = await pages();
    const settled: unknown[] = [];
    for (const [at, page] of all.entries()) {
      page.on('closed', (reason) => settled.push(reason));
      const stop = page.on('phase', (phase) => {
        if (phase !== 'ended') return;
        stop();
        if (at < askers)
          page.rematch().then(
            () => settled.push('again'),
            (error) => settled.push(error),
          );
        else setTimeout(() => ask(page));
      });
    }
    await run(4000);
    expect(all.map((page) => page.me)).toEqual([1, 0]);
    expect(all.map((page) => page.status().phase)).toEqual(['running', 'running']);
    expect(settled).toEqual(Array.from({ length: askers }, () => 'again'));
  });

  it('may take listeners off and put others on while one is told', () => {
    const listeners = new Listeners<{ news: (text: string) => void }>();
    const told: string[] = [];
    const again = (text: string): void => {
      told.push(`again ${text}`);
      stopAgain();
      stopAgain = listeners.add('news', again);
    };
    let stopAgain = listeners.add('news', again);
    listeners.add('news', () => stopOther());
    const stopOther = listeners.add('news', (text) => told.push(`other ${text}`));
    listeners.emit('news', 'a');
    listeners.emit('news', 'b');
    expect(told).toEqual(['again a', 'again b']);
  });

  it('chooses an input delay that holds from the first frame on, and in the next match', async () => {
    const [one, two] = await pages([{ inputDelay: 2 }, { inputDelay: 2 }]);
    one.setInputDelay(5);
    await run(1000);
    expect(one.status()).toMatchObject({ phase: 'running', inputDelay: 5 });
    one.setInputDelay(7);
    await toEnd();
    void one.rematch();
    void two.rematch();
    await run(1000);
    expect([one, two].map((page) => page.status())).toMatchObject([
      { phase: 'running', inputDelay: 7, peerInputDelay: 2 },
      { phase: 'running', inputDelay: 2, peerInputDelay: 7 },
    ]);
    expect(() => one.setInputDelay(16)).toThrow('inputDelay is 16');
  });

  it.each([
    ['before anything is heard', 0],
    ['in the handshake', LINK_MS + 1],
    ['before the first frame', 2 * LINK_MS + 1],
    ['in the match', 1000],
    ['after the match', 6000],
  ])('leaves %s: nothing of it is left, and the other page is told', async (_when, ms) => {
    const [one, two] = await pages();
    const closed = vi.fn();
    one.on('closed', closed);
    await run(ms);
    one.leave();
    one.leave();
    expect(isOver(one.status().phase)).toBe(true);
    await toEnd();
    expect(isOver(two.status().phase)).toBe(true);
    expect(two.status().rematch).toBeNull();
    expect(closed).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves a match that is paused: it is not paused any more, on either side', async () => {
    const [one, two] = await pages();
    const told: (number | null)[] = [];
    two.on('pause', (by) => told.push(by));
    await run(500);
    one.pause();
    await run(500);
    expect(two.status().pausedBy).toBe(0);
    one.leave();
    await run(500);
    expect([one, two].map((page) => page.status().pausedBy)).toEqual([null, null]);
    expect(told).toEqual([0, null]);
  });

  it.each([
    ['settings', { settings: { speed: Number.NaN } }],
    ['frames', { frames: 0.5 }],
  ])('gives %s that the other page cannot read: neither waits for ever', async (_what, options) => {
    const all = await pages([options]);
    await run(15_000);
    for (const page of all) expect(page.status()).toMatchObject({ phase: 'failed', cause: 'lost' });
    expect(vi.getTimerCount()).toBe(0);
  });

  describe('on one machine', () => {
    const inputs = [() => ({}), () => ({})];

    it('is told on the console of what a step throws, with where it did', async () => {
      const bug = new TypeError('no such fighter');
      const broken: Game<State, Input> = {
        ...mixer,
        step(state, all, ctx) {
          if (ctx.frame === 50) throw bug;
          mixer.step(state, all, ctx);
        },
      };
      const match = playLocal(broken, { inputs });
      await run(2000);
      expect(match.status()).toMatchObject({ phase: 'failed', cause: 'game-fault' });
      expect(match.status().reason).toContain('no such fighter');
      expect(console.error).toHaveBeenCalledWith(bug);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('gives a name too few: it is told what was expected', () => {
      expect(() => playLocal(mixer, { inputs, names: ['Ada'] })).toThrow('1 names; expected 2');
    });

    it('ends the match at its end though every picture throws', async () => {
      const draw = (): void => {
        throw new TypeError('no canvas');
      };
      const match = playLocal(mixer, { inputs, draw, frames: 10 });
      for (let pictures = 0; pictures < 100 && vi.getTimerCount() > 0; pictures++) await run(8).catch(() => undefined);
      expect(match.status()).toMatchObject({ phase: 'ended', cause: 'finished', confirmedFrame: 9 });
    });
  });
});

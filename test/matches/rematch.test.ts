import { type Game, readRecording, verify } from '@riposte/shared';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { playLocal } from '../../client/src/match/local.js';
import type { Phase } from '../../client/src/match/match.js';
import { loadParts } from '../../client/src/match/parts.js';
import { PeerMatch } from '../../client/src/match/peer-match.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import { mixer, mixerInput } from '../../shared/testing/mixer.js';
import { partyGame } from '../simulation/party-game.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;
type Page = PeerMatch<State, Input>;

const NAMES = ['Ada', 'Bo', 'Cy', 'Di'];
const FRAMES = 120;
const LINK_MS = 30;

const nameOfMe = (page: Page) => page.status().players[page.me]?.name;

describe('a rematch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Pages in one process, each connected with each, and for each the ends of its connections. */
  async function pages(players: number, game: Game<State, Input> = players === 2 ? mixer : partyGame): Promise<Page[]> {
    const parts = await loadParts(players, true);
    const all = Array.from({ length: players }, (_, me) => {
      const names = NAMES.slice(0, players);
      const input = seededBot(mixerInput, me + 1);
      return new PeerMatch<State, Input>(game, { me, room: null, names, seed: 7, frames: FRAMES, input, ...parts });
    });
    for (const [one, page] of all.entries()) {
      for (const [other, peer] of all.entries()) {
        if (other <= one) continue;
        // Of three links each has its own delay: what one has heard, another has not yet.
        const ends = loopbackPair((delayMs, run) => void setTimeout(run, delayMs + LINK_MS * (one + other)));
        page.attach(other, ends[0]);
        peer.attach(one, ends[1]);
      }
    }
    return all;
  }

  const toEnd = () => vi.advanceTimersByTimeAsync(10_000);

  function expectFinished(all: readonly Page[]): void {
    for (const page of all) {
      expect(page.status()).toMatchObject({ phase: 'ended', cause: 'finished', desync: null, rematch: [] });
      expect(page.status().comparedFrames).toBe(FRAMES);
      expect(page.hashAt(FRAMES)).toBe(all[0]!.hashAt(FRAMES));
    }
  }

  it('is played by two who want it, with the sides changed, another seed and a recording of its own', async () => {
    const [one, two] = (await pages(2)) as [Page, Page];
    await toEnd();
    expectFinished([one, two]);
    const first = readRecording(await one.recording());
    const phases: Phase[] = [];
    one.on('phase', (phase) => phases.push(phase));
    const wants = vi.fn();
    one.on('rematch', wants);

    const theirs = two.rematch();
    await vi.advanceTimersByTimeAsync(100);
    expect(wants.mock.calls).toEqual([[1]]);
    expect(one.status().rematch).toEqual([1]);
    expect(two.status()).toMatchObject({ phase: 'ended', rematch: [1] });
    const ours = one.rematch();
    expect(one.status()).toMatchObject({ phase: 'syncing', cause: null, frame: -1, rematch: null });
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all([theirs, ours]);
    expect([one.me, two.me]).toEqual([1, 0]);
    expect([nameOfMe(one), nameOfMe(two)]).toEqual(['Ada', 'Bo']);

    await toEnd();
    expectFinished([one, two]);
    expect(phases).toEqual(['syncing', 'running', 'ended']);
    expect(one.status().droppedPackets + two.status().droppedPackets).toBe(0);
    const second = readRecording(await one.recording());
    expect(second.header.seed).not.toBe(first.header.seed);
    expect(second.header.names).toEqual(['Bo', 'Ada']);
    expect(verify(mixer, second)).toMatchObject({ ok: true, frames: FRAMES });
  });

  it('follows a rematch, as often as is wished', async () => {
    const all = await pages(2);
    const seeds = new Set<number>();
    for (let match = 0; match < 5; match++) {
      await toEnd();
      expectFinished(all);
      expect(all.map(({ me }) => me)).toEqual(match % 2 === 0 ? [0, 1] : [1, 0]);
      seeds.add(readRecording(await all[0]!.recording()).header.seed);
      for (const page of all) void page.rematch();
    }
    expect(seeds.size).toBe(5);
  });

  it.each([3, 4])('is played by %i once all of them want it, each with the next number', async (players) => {
    const all = await pages(players);
    await toEnd();
    expectFinished(all);
    const asked = all.slice(1).map((page) => page.rematch());
    await vi.advanceTimersByTimeAsync(5000);
    expect(all[0]!.status().rematch).toEqual(all.slice(1).map(({ me }) => me));
    expect(all.every((page) => page.status().phase === 'ended')).toBe(true);
    asked.push(all[0]!.rematch());
    await vi.advanceTimersByTimeAsync(3000);
    await Promise.all(asked);
    expect(all.map(({ me }) => me)).toEqual(all.map((_, seat) => (seat + 1) % players));
    await toEnd();
    expectFinished(all);
    expect(all.map(nameOfMe)).toEqual(NAMES.slice(0, players));
  });

  it('is refused in words when another player leaves, and all connections end', async () => {
    const [one, two] = (await pages(2)) as [Page, Page];
    await toEnd();
    const closed = vi.fn();
    one.on('closed', closed);
    const asked = expect(one.rematch()).rejects.toMatchObject({ code: 'no-rematch', message: 'Another player left.' });
    two.leave();
    await vi.advanceTimersByTimeAsync(2000);
    await asked;
    expect(closed).toHaveBeenCalledOnce();
    expect(one.status()).toMatchObject({ phase: 'ended', cause: 'finished', rematch: null });
    await expect(one.rematch()).rejects.toMatchObject({ code: 'no-rematch' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up when not all want it within a minute', async () => {
    const [one] = (await pages(2)) as [Page, Page];
    await toEnd();
    const asked = expect(one.rematch()).rejects.toMatchObject({ code: 'no-rematch' });
    await vi.advanceTimersByTimeAsync(61_000);
    await asked;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cannot be asked for while the match runs, nor after one that was cut short', async () => {
    const [one, two] = (await pages(2)) as [Page, Page];
    await vi.advanceTimersByTimeAsync(1000);
    await expect(one.rematch()).rejects.toMatchObject({ code: 'no-rematch' });
    expect(one.status()).toMatchObject({ phase: 'running', rematch: null });
    two.leave();
    await vi.advanceTimersByTimeAsync(1000);
    expect(one.status()).toMatchObject({ cause: 'peer-left', rematch: null });
    await expect(one.rematch()).rejects.toMatchObject({ code: 'no-rematch' });
  });

  it('finds a counter outside the state that survived the match before, at frame 0', async () => {
    // Each page has its own module, as in a browser; only the first frame reads what the match before has left there.
    const forgetful = (): Game<State, Input> => {
      let steps = 0;
      let left = 0;
      return {
        ...mixer,
        init: () => {
          left = Math.max(left, steps);
        },
        step: (state, inputs, ctx) => {
          if (ctx.frame === 0) state.hash ^= left;
          steps++;
          mixer.step(state, inputs, ctx);
        },
      };
    };
    const games = [forgetful(), forgetful()];
    const ends = loopbackPair((delayMs, run) => void setTimeout(run, delayMs + LINK_MS));
    const parts = await loadParts(2, false);
    const all = games.map((game, me) => {
      // Only one side is ever wrong about the other's input: it steps more often.
      const input = me === 0 ? () => ({}) : seededBot(mixerInput, 3);
      const options = { me, room: null, names: ['Ada', 'Bo'], seed: 7, frames: FRAMES, input, inputDelay: 0, ...parts };
      const match = new PeerMatch<State, Input>(game, options);
      match.attach(1 - me, ends[me]!);
      return match;
    });
    await toEnd();
    expectFinished(all);
    for (const page of all) void page.rematch();
    await toEnd();
    for (const page of all) expect(page.status().desync).toEqual({ frame: 0 });
  });

  it('begins at once on one machine, with nobody changing sides', async () => {
    const inputs = [seededBot(mixerInput, 1), seededBot(mixerInput, 2)];
    const match = playLocal(mixer, { inputs, frames: FRAMES, seed: 7, names: ['Ada', 'Bo'] });
    await toEnd();
    expect(match.status()).toMatchObject({ phase: 'ended', rematch: [] });
    const first = readRecording(await match.recording());
    await match.rematch();
    expect(match.status()).toMatchObject({ phase: 'running', frame: -1, rematch: null });
    await expect(match.rematch()).rejects.toMatchObject({ code: 'no-rematch' });
    await toEnd();
    expect(match.status()).toMatchObject({ phase: 'ended', confirmedFrame: FRAMES - 1 });
    const second = readRecording(await match.recording());
    expect(second.header.seed).toBe(first.header.seed + 1);
    expect(verify(mixer, second)).toMatchObject({ ok: true, frames: FRAMES });
  });
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  defineGame,
  type EffectEvent,
  type Fact,
  type Game,
  RollbackSim,
  readRecording,
  replay,
  struct,
  u8,
} from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { playLocal } from '../../client/src/match/local.js';
import type { EffectListeners, Match } from '../../client/src/match/match.js';
import { PeerMatch } from '../../client/src/match/peer-match.js';
import { loopbackPair } from '../../client/src/transport/loopback.js';
import { mixerInput } from '../../shared/testing/mixer.js';
import { named, sparks, Witness } from '../../shared/testing/sparks.js';
import { duelPair } from '../simulation/duel-pair.js';
import { Pair, type PairOptions } from '../simulation/pair.js';

type State = ReturnType<typeof sparks.state.create>;
type Input = ReturnType<typeof mixerInput.create>;

const FRAMES = 600;
const ROUGH = { delayMs: 60, jitterMs: 10, lossRate: 0.05 };

function roughPair(options: Partial<PairOptions<State, Input>> = {}): Pair<State, Input> {
  const inputs = [seededBot(mixerInput, 11), seededBot(mixerInput, 22)] as const;
  return new Pair<State, Input>({ game: sparks, link: ROUGH, frames: FRAMES, inputs, ...options });
}

/** Plays to the end with a page on each side, which polls between any two ticks. */
function watchToEnd<S, I>(pair: Pair<S, I>, pages = [new Witness(), new Witness()], meanwhile = (_ms: number) => {}) {
  for (let ms = 0; pair.peers.some(({ ended }) => ended === undefined); ms += 5) {
    if (ms > 60_000) throw new Error('the match did not end');
    pair.run(5);
    meanwhile(ms);
    for (const [me, { session }] of pair.peers.entries()) {
      const queue = session.driver?.collectEffects();
      if (queue !== undefined) pages[me]!.poll(queue);
    }
  }
  return pages;
}

/** What the match's inputs give without any prediction. */
function truthOf<S, I>(pair: Pair<S, I>, game: Game<S, I>, frames = FRAMES) {
  const sim = pair.peers[0].session.sim!;
  const recording = readRecording(pair.recordings[0]!.bytes());
  const finals: Witness['finals'] = [];
  const facts: Fact[] = [];
  const words = new Int32Array(2);
  const inputs = Array.from({ length: frames }, (_, frame) =>
    [0, 1].map((player) => {
      const input = game.input.create();
      recording.inputs[player]!.read(frame, words, 0);
      game.input.decode(words, 0, input);
      return input;
    }),
  );
  replay(game, inputs, {
    seed: sim.seed,
    onEffect: (effect) => finals.push(named(effect)),
    onFact: (fact) => facts.push(fact),
  });
  return { finals, facts };
}

describe('two sessions over a rough link', () => {
  it('tell both pages the same facts and final effects, in the same order: those of replay', () => {
    const pair = roughPair();
    const [one, two] = watchToEnd(pair);
    const truth = truthOf(pair, sparks);
    expect(truth.facts.length).toBeGreaterThan(100);
    for (const page of [one!, two!]) {
      expect(page.facts).toEqual(truth.facts);
      expect(page.finals).toEqual(truth.finals);
      expect(page.cancels).toBeGreaterThan(30);
      expect(page.starts).toBe(page.cancels + page.finals.length);
    }
  });

  it('tell of a duel what replay tells of it: every blow once, every round for good', () => {
    for (const link of [ROUGH, { delayMs: 100, jitterMs: 40, lossRate: 0.1 }]) {
      const frames = 2400;
      const pair = duelPair({ link, frames });
      const [one, two] = watchToEnd(pair);
      const truth = truthOf(pair, duel, frames);
      expect(truth.facts.filter(({ kind }) => kind === 'round-won').length).toBeGreaterThan(0);
      const kinds = new Set(truth.finals.map(({ kind }) => kind));
      for (const kind of ['hit', 'heavy-hit', 'whiff', 'dash', 'swing', 'round']) expect(kinds).toContain(kind);
      for (const page of [one!, two!]) {
        expect(page.facts).toEqual(truth.facts);
        expect(page.finals).toEqual(truth.finals);
        expect(page.cancels).toBeGreaterThan(0);
        expect(page.starts).toBe(page.cancels + page.finals.length);
      }
    }
  });

  it('tell a page that was reloaded the facts from then on, and the other one all', () => {
    const pair = roughPair();
    const pages = [new Witness(), new Witness()];
    const again = new Witness();
    watchToEnd(pair, pages, (ms) => {
      if (ms !== 4000) return;
      pair.reload(1);
      pages[1] = again;
    });
    const { facts } = truthOf(pair, sparks);
    expect(pages[0]!.facts).toEqual(facts);
    const first = pair.peers[1].session.driver!.firstFrame;
    expect(first).toBeGreaterThan(30);
    expect(again.facts).toEqual(facts.filter(({ frame }) => frame > first));
    expect(again.starts).toBe(again.cancels + again.finals.length);
  });

  it('end on the frame that decides, with what was predicted beyond it cancelled', () => {
    const short = defineGame({ ...sparks, over: (state) => (state.counts[0]! >= 40 ? 'full' : undefined) });
    const pair = roughPair({ game: short });
    const [one, two] = watchToEnd(pair);
    const frames = pair.peers[0].session.driver!.endFrame;
    expect(frames).toBeLessThan(FRAMES);
    const truth = truthOf(pair, sparks, frames);
    for (const page of [one!, two!]) {
      expect(page.facts).toEqual(truth.facts);
      expect(page.finals).toEqual(truth.finals);
      expect(page.playing.size).toBe(0);
    }
  });
});

describe('a page', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Two pages in one process, connected 40 ms apart. */
  function twoPages(game: Game<State, Input>, listeners: readonly EffectListeners[], frames?: number) {
    const ends = loopbackPair((delayMs, run) => void setTimeout(run, delayMs + 40));
    return ends.map((end, me) => {
      const match = new PeerMatch<State, Input>(game, {
        ...{ me, room: null, names: ['Ada', 'Bo'], seed: 7, inputDelay: 0, input: seededBot(mixerInput, me + 1) },
        ...(frames !== undefined && { frames }),
        ...listeners[me],
      });
      match.attach(1 - me, end);
      return match;
    });
  }

  function listen(): { page: Witness; listeners: Required<EffectListeners> } {
    const page = new Witness();
    return { page, listeners: { onEffect: page.hear, onFact: (fact) => void page.facts.push(fact) } };
  }

  it('hears the same facts as the other page, with its effects ended before the match has', async () => {
    const sides = [listen(), listen()];
    const playing: number[] = [];
    const matches = twoPages(
      sparks,
      sides.map(({ listeners }) => listeners),
      300,
    );
    for (const [me, match] of matches.entries()) {
      match.on('phase', (phase) => phase === 'ended' && playing.push(sides[me]!.page.playing.size));
    }
    await vi.advanceTimersByTimeAsync(20_000);
    expect(matches.map((match) => match.status().cause)).toEqual(['finished', 'finished']);
    const [one, two] = sides.map(({ page }) => page);
    expect(one!.facts.length).toBeGreaterThan(40);
    expect(two!.facts).toEqual(one!.facts);
    expect(two!.finals).toEqual(one!.finals);
    expect(one!.cancels + two!.cancels).toBeGreaterThan(0);
    expect(playing).toEqual([0, 0]);
  });

  it('may throw in a listener: the match plays on, and every event is told', async () => {
    const calm = listen();
    const { page, listeners } = listen();
    const fail = (): never => {
      throw new Error('of the page');
    };
    const matches = twoPages(
      sparks,
      [
        calm.listeners,
        {
          onEffect: (effect) => {
            listeners.onEffect(effect);
            fail();
          },
          onFact: (fact) => {
            listeners.onFact(fact);
            fail();
          },
        },
      ],
      120,
    );
    await vi.advanceTimersByTimeAsync(15_000);
    expect(matches.map((match) => match.status().cause)).toEqual(['finished', 'finished']);
    expect(page.facts).toEqual(calm.page.facts);
    expect(page.finals).toEqual(calm.page.finals);
    expect(console.error).toHaveBeenCalledTimes(page.facts.length + page.starts + page.cancels + page.finals.length);
  });

  it('may leave in a listener: what plays is cancelled, and nothing is told after', async () => {
    const { page, listeners } = listen();
    const told: EffectEvent[] = [];
    const matches: Match<State, Input>[] = twoPages(sparks, [
      {
        ...listeners,
        onEffect: (effect) => {
          told.push(effect);
          listeners.onEffect(effect);
          if (effect.frame === 50) matches[0]!.leave();
        },
      },
    ]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(matches[0]!.status().cause).toBe('left');
    expect(page.playing.size).toBe(0);
    expect(told.at(-1)!.frame).toBeLessThan(60);
  });

  it('with all players on one machine hears each effect start and become final in one tick', async () => {
    const { page, listeners } = listen();
    const inputs = [seededBot(mixerInput, 1), seededBot(mixerInput, 2)];
    const match = playLocal(sparks, { ...listeners, inputs, frames: 100, seed: 3 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(match.status().cause).toBe('finished');
    expect(page.finals.length).toBeGreaterThan(100);
    expect(page.facts.filter(({ kind }) => kind === 'lap').map(({ frame }) => frame)).toEqual(
      Array.from({ length: 12 }, (_, lap) => lap * 9),
    );
    expect(page).toMatchObject({ cancels: 0, starts: page.finals.length });
  });

  it('that leaves a game on one machine in a listener hears no more', async () => {
    const { page, listeners } = listen();
    const onFact = (fact: Fact): void => {
      listeners.onFact(fact);
      if (fact.frame >= 18) match.leave();
    };
    const match: Match<State, Input> = playLocal(sparks, { ...listeners, onFact, inputs: [() => ({}), () => ({})] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(match.status()).toMatchObject({ cause: 'left', frame: 18 });
    expect(page.playing.size).toBe(0);
  });
});

describe('a frame that emits nothing', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  const FRAMES_EACH = 4000;

  /** A game whose own step allocates nothing, and which emits in frames before `end`. */
  function beatUntil(end: number) {
    return defineGame({
      ...{ id: 'beat', version: '1', tickRate: 60, players: 2, input: mixerInput, state: struct({ sum: u8 }) },
      step(state, inputs, ctx) {
        for (const { a } of inputs) state.sum = (state.sum + (a ? 1 : 0)) & 255;
        if (ctx.frame < end) ctx.effect('beat', state.sum);
      },
    });
  }

  /** Bytes a frame, with a rollback every few frames. */
  function bytesEach(game: ReturnType<typeof beatUntil>, isPolled: boolean): number {
    const sim = new RollbackSim(game);
    const words = new Int32Array(1);
    const run = (count: number): void => {
      for (let done = 0; done < count; done++) {
        const frame = sim.lastFrame() + 1;
        words[0] = (frame >> 2) & 1;
        sim.putInput(0, frame, words, 0);
        if (frame >= 6) sim.putInput(1, frame - 6, words, 0);
        sim.advance();
        if (!isPolled) continue;
        const queue = sim.collectEffects();
        while (queue.pollEffect() !== undefined);
        while (queue.pollFact() !== undefined);
      }
    };
    run(20_000);
    const growths = Array.from({ length: 8 }, () => {
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      run(FRAMES_EACH);
      return (process.memoryUsage().heapUsed - before) / FRAMES_EACH;
    });
    return Math.min(...growths);
  }

  it('allocates nothing, whether the game never emits or only did before', () => {
    const without = bytesEach(beatUntil(0), false);
    // The smallest object takes 12 bytes; what the runtime does meanwhile takes some too.
    expect(bytesEach(beatUntil(0), true) - without).toBeLessThan(8);
    expect(bytesEach(beatUntil(200), true) - without).toBeLessThan(8);
    // The measure would show it.
    expect(bytesEach(beatUntil(Number.POSITIVE_INFINITY), true) - without).toBeGreaterThan(50);
  });
});

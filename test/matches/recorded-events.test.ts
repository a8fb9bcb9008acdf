import {
  type EffectEvent,
  type Fact,
  type Game,
  type RecordedEvent,
  type Recording,
  readRecording,
  verify,
} from '@riposte/shared';
import { Resimulation, SeenRun } from '@riposte/shared/debugging';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { tellEffects } from '../../client/src/match/tell-effects.js';
import { correctionsOf } from '../../client/src/recorder/recording-figures.js';
import { mixer, mixerInput } from '../../shared/testing/mixer.js';
import { sparks } from '../../shared/testing/sparks.js';
import { AuthorityWorld } from '../simulation/authority-world.js';
import { Pair, type PairOptions } from '../simulation/pair.js';

type State = ReturnType<typeof mixer.state.create>;
type Input = ReturnType<typeof mixer.input.create>;

const ROUGH = { delayMs: 60, jitterMs: 10, lossRate: 0.05 };

function mixerPair(options: Partial<PairOptions<State, Input>> = {}): Pair<State, Input> {
  return new Pair<State, Input>({
    game: mixer,
    inputs: [seededBot(mixerInput, 3), seededBot(mixerInput, 4)],
    inputDelay: 2,
    link: ROUGH,
    ...options,
  });
}

const recordingOf = (pair: Pair<State, Input>, me: 0 | 1): Recording => readRecording(pair.recordings[me]!.bytes());

function of<K extends RecordedEvent['kind']>({ events }: Recording, kind: K) {
  return events.filter((event): event is Extract<RecordedEvent, { kind: K }> => event.kind === kind);
}

/** The game, with the hash of what its first run of each frame made: what the page showed. */
function watched(seen: Map<number, number>): Game<State, Input> {
  return {
    ...mixer,
    step(state, inputs, ctx) {
      mixer.step(state, inputs, ctx);
      if (!seen.has(ctx.frame + 1)) seen.set(ctx.frame + 1, mixer.state.hash(state));
    },
  };
}

describe('what a recording tells of its match', () => {
  it.each([0, 1] as const)('is every state as page %i showed it, with its wrong predictions', (me) => {
    const seen = new Map<number, number>();
    const games = me === 0 ? ([watched(seen), mixer] as const) : ([mixer, watched(seen)] as const);
    const pair = mixerPair({ frames: 900, games });
    pair.runToEnd(30_000);
    const recording = recordingOf(pair, me);
    const right = new Resimulation(mixer, recording);
    const shown = new SeenRun(mixer, recording);
    let predicted = 0;
    for (let frame = 1; frame <= 900; frame++) {
      const base = shown.baseOf(frame);
      while (right.frame < base) right.advance();
      expect(right.frame).toBe(base);
      expect(mixer.state.hash(shown.show(frame, right.state))).toBe(seen.get(frame));
      if (seen.get(frame) !== recording.hashes[frame - 1]) predicted++;
    }
    expect(predicted).toBeGreaterThan(200);
  });

  it('has every rollback, with its depth and whose input it was for', () => {
    const pair = mixerPair({ frames: 600 });
    pair.runToEnd(30_000);
    for (const me of [0, 1] as const) {
      const recording = recordingOf(pair, me);
      const rollbacks = of(recording, 'rollback');
      const { stats } = pair.peers[me].session.sim!;
      expect(rollbacks).toHaveLength(stats.rollbacks);
      expect(Math.max(...rollbacks.map(({ frame, first }) => frame - first + 1))).toBe(stats.maxRollbackFrames);
      expect(new Set(rollbacks.map(({ player }) => player))).toEqual(new Set([1 - me]));
      // What was predicted is what was pressed before: a rollback is for a frame in which that changed.
      const track = recording.inputs[1 - me]!;
      for (const { first } of rollbacks) expect(track.startOf(track.runAt(first))).toBe(first);
    }
  });

  it('has how large corrections were, how old inputs were when they came, and what running again cost', () => {
    let clockMs = 0;
    const timed: typeof mixer = {
      ...mixer,
      step(state, inputs, ctx) {
        mixer.step(state, inputs, ctx);
        clockMs += 0.01;
      },
    };
    const pair = mixerPair({ games: [timed, mixer], session: { clock: () => clockMs } });
    pair.run(9000);
    const recording = recordingOf(pair, 0);
    const { sim, running } = pair.peers[0].session;
    const { meter } = running!;

    const corrections = of(recording, 'correction');
    // The last block is not recorded yet; what is measured is a sample of all rollbacks.
    expect(corrections.length).toBeGreaterThan(20);
    expect(corrections.length).toBeGreaterThanOrEqual(meter.corrections.count - 4);
    expect(corrections.length).toBeLessThan(of(recording, 'rollback').length);
    for (const { frame, of: at, distance } of corrections) {
      expect(at).toBe(frame + 1);
      expect(distance).toBeGreaterThan(0);
    }
    const work = of(recording, 'work');
    expect(work.length).toBeGreaterThanOrEqual(8);
    const resimulated = work.reduce((sum, { resimulatedFrames }) => sum + resimulatedFrames, 0);
    expect(resimulated).toBeGreaterThan(100);
    expect(resimulated).toBeLessThanOrEqual(sim!.stats.resimulatedFrames);
    const workMs = work.reduce((sum, { resimulationMs }) => sum + resimulationMs, 0);
    expect(workMs).toBeCloseTo(resimulated * 0.01, 1);
    // 60 ms each way, an input delay of 2 frames.
    for (const { inputAge, predictedFrames, window } of work) {
      expect(inputAge).toBeGreaterThan(0.5);
      expect(predictedFrames).toBeGreaterThan(0);
      expect(predictedFrames).toBeLessThanOrEqual(window);
      expect(window).toBe(8);
    }
  });

  it('has stalls, changes of delay, silence and return of the other, and the pace of each second', () => {
    const pair = mixerPair({ link: { delayMs: 60, jitterMs: 0, lossRate: 0 } });
    pair.run(3000);
    pair.peers[0].session.setInputDelay(5);
    pair.run(2000);
    pair.peers[1].sleep(2000);
    pair.run(4000);
    const recording = recordingOf(pair, 0);
    expect(of(recording, 'delay')).toEqual([{ kind: 'delay', frame: expect.any(Number), inputDelay: 5 }]);
    const stalled = of(recording, 'stall').reduce((sum, { ticks }) => sum + ticks, 0);
    expect(stalled).toBe(pair.peers[0].session.driver!.stalledFrames);
    expect(stalled).toBeGreaterThan(60);
    expect(of(recording, 'presence').map(({ player, presence }) => [player, presence])).toEqual([
      [1, 'here'],
      [1, 'interrupted'],
      [1, 'here'],
    ]);
    expect(of(recording, 'link').map(({ player, isUp }) => [player, isUp])).toEqual([
      [1, false],
      [1, true],
    ]);
    const samples = of(recording, 'sample');
    expect(samples.length).toBeGreaterThan(6);
    for (const { player, rttMs, speed } of samples) {
      expect(player).toBe(1);
      expect(rttMs).toBeGreaterThan(100);
      expect(speed).toBeGreaterThan(0.5);
    }
  });

  it('has effects with what was cancelled, and facts, by their frames', () => {
    const pair = mixerPair({ game: sparks, frames: 600 });
    const told: string[] = [];
    const listeners = {
      onEffect: ({ phase, kind, frame }: EffectEvent) => told.push(`${phase} ${kind} ${frame}`),
      onFact: ({ kind, frame }: Fact) => told.push(`fact ${kind} ${frame}`),
    };
    while (pair.peers[0].ended === undefined) {
      pair.run(16);
      tellEffects(pair.peers[0].session.driver, listeners);
    }
    const recording = recordingOf(pair, 0);
    const kept = recording.events.flatMap((event) => {
      if (event.kind === 'effect') return [`${event.phase} ${event.name} ${event.of}`];
      return event.kind === 'fact' ? [`fact ${event.name} ${event.of}`] : [];
    });
    expect(kept).toEqual(told.filter((text) => !text.startsWith('final ')));
    for (const kind of ['start spark', 'cancel spark', 'fact lap']) {
      expect(kept.filter((text) => text.startsWith(kind)).length).toBeGreaterThan(20);
    }
    expect(verify(sparks, recording)).toMatchObject({ ok: true, frames: 600 });
  });
});

describe('what a recording of a client tells of its match against an authority', () => {
  it('is every rollback and correction with its size, how old inputs were and what it cost, silence and effects', () => {
    let clockMs = 0;
    let stepped = 0;
    const game: typeof sparks = {
      ...sparks,
      step(state, inputs, ctx) {
        sparks.step(state, inputs, ctx);
        stepped++;
        clockMs += 0.01;
      },
    };
    const world = new AuthorityWorld({
      game: sparks,
      games: [game, sparks],
      inputs: [seededBot(sparks.input, 3), seededBot(sparks.input, 4)],
      links: [{ delayMs: 60, jitterMs: 8, lossRate: 0.05 }],
      client: { clock: () => clockMs },
    });
    world.run(9000);
    const client = world.clients[0]!;
    const { session, page } = client;
    const recording = readRecording(client.recording!.bytes());
    const { meter, sim } = session;
    expect(verify(sparks, recording)).toMatchObject({ ok: true });

    const corrections = of(recording, 'correction');
    expect(corrections).toHaveLength(meter!.corrections.count);
    expect(corrections.length).toBeGreaterThan(50);
    const largest = meter!.corrections.percentile(world.clock.nowMs, 1)!;
    expect(Math.max(...corrections.map(({ distance }) => distance))).toBeCloseTo(
      Math.min(largest, 0xffffffff / 100),
      1,
    );
    for (const { frame, of: at } of corrections) expect(at).toBeLessThanOrEqual(frame + 1);

    expect(correctionsOf(recording)).toHaveLength(sim!.stats.rollbacks);
    const work = of(recording, 'work');
    expect(work.length).toBeGreaterThanOrEqual(8);
    const resimulated = work.reduce((sum, { resimulatedFrames }) => sum + resimulatedFrames, 0);
    expect(resimulated).toBeGreaterThan(stepped / 4);
    expect(work.reduce((sum, { resimulationMs }) => sum + resimulationMs, 0)).toBeCloseTo(resimulated * 0.01, 1);
    for (const { inputAge, predictedFrames, window } of work) {
      expect(inputAge).toBeGreaterThan(5);
      expect(predictedFrames).toBeGreaterThan(5);
      expect(predictedFrames).toBeLessThanOrEqual(window);
    }
    for (const { player, rttMs, lead } of of(recording, 'sample')) {
      expect(player).toBe(0);
      expect(rttMs).toBeGreaterThan(100);
      expect(lead).toBeGreaterThan(5);
    }
    expect(of(recording, 'effect').filter(({ phase }) => phase === 'cancel')).toHaveLength(page.cancels);
    expect(of(recording, 'fact')).toHaveLength(page.facts.length);

    world.setLink(0, { delayMs: 60, jitterMs: 0, lossRate: 1 });
    world.run(900);
    world.setLink(0, { delayMs: 60, jitterMs: 0, lossRate: 0 });
    const silent = readRecording(client.recording!.bytes());
    expect(of(silent, 'link').map(({ player, isUp }) => [player, isUp])).toEqual([[0, false]]);
    expect(of(silent, 'stall').length).toBeGreaterThan(0);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixer, press } from '../../testing/mixer.js';
import { named, sparks, Witness } from '../../testing/sparks.js';
import { replay } from './replay.js';
import { RollbackSim } from './sim.js';

describe('a simulation that may run only so many frames again', () => {
  it('is right up to an earlier frame at once, keeps nothing that ran before beyond it, and goes on from there', () => {
    const sim = new RollbackSim(mixer, { maxPrediction: 20 });
    for (let frame = 0; frame < 12; frame++) sim.predictStep({ 0: press(frame % 8) });
    const predicted = sim.hashAt(9);
    sim.replayLeft = 4;
    sim.applyRemote(1, 3, press(5));
    for (const frame of [0, 1, 2]) sim.applyRemote(1, frame, press(0));
    for (let frame = 4; frame < 12; frame++) sim.applyRemote(1, frame, press(1));
    sim.settle();
    expect([sim.lastFrame(), sim.replayLeft, sim.stats.resimulatedFrames]).toEqual([6, 0, 4]);
    expect(() => sim.hashAt(9)).toThrow('the state at frame 9 is not kept');
    expect(() => sim.stateAt(9)).toThrow('the state at frame 9 is not kept');
    while (sim.lastFrame() < 11) sim.advance();
    const row = (frame: number) => [press(frame % 8), press(frame < 3 ? 0 : frame === 3 ? 5 : 1)];
    const right = replay(
      mixer,
      Array.from({ length: 12 }, (_, frame) => row(frame)),
    );
    expect(mixer.state.diff(sim.stateAt(12), right)).toEqual([]);
    expect(sim.hashAt(9)).not.toBe(predicted);
  });

  it('without any left stands at the first wrong frame', () => {
    const sim = new RollbackSim(mixer);
    for (let frame = 0; frame < 6; frame++) sim.predictStep({ 0: press(1) });
    sim.replayLeft = 0;
    sim.applyRemote(1, 2, press(7));
    expect(sim.hashAt(2)).toBe(mixer.state.hash(sim.state));
    expect(sim.lastFrame()).toBe(1);
  });

  it('advances from where the correction left it, also when the correction is made by the advance itself', () => {
    const sim = new RollbackSim(mixer);
    for (let frame = 0; frame < 6; frame++) sim.predictStep({ 0: press(1) });
    for (const frame of [6, 7]) sim.applyRemote(0, frame, press(1));
    for (let frame = 0; frame < 8; frame++) sim.applyRemote(1, frame, press(7));
    sim.replayLeft = 2;
    expect(sim.advance()).toBe(true);
    expect([sim.lastFrame(), sim.stats.resimulatedFrames]).toEqual([2, 2]);
    while (sim.lastFrame() < 7) sim.advance();
    const right = replay(
      mixer,
      Array.from({ length: 8 }, () => [press(1), press(7)]),
    );
    expect(mixer.state.diff(sim.stateAt(8), right)).toEqual([]);
  });

  const tick = fc.record({
    left: fc.nat(4),
    steps: fc.nat(3),
    /** How many of the other player's inputs arrive, and which of them first. */
    arrivals: fc.nat(4),
    isTurned: fc.boolean(),
  });

  it('tells in the end the effects and facts of replay, each once, whatever is left in each tick', () => {
    fc.assert(
      fc.property(fc.array(tick, { minLength: 20, maxLength: 80 }), fc.nat(1000), (ticks, seed) => {
        const theirs = (frame: number) => press(((frame * 7 + seed) >> 2) & 7);
        const sim = new RollbackSim(sparks, { maxPrediction: 60, seed });
        const page = new Witness();
        let arrived = 0;
        for (const { left, steps, arrivals, isTurned } of ticks) {
          sim.replayLeft = left;
          const frames = Array.from({ length: arrivals }, (_, at) => arrived + at);
          for (const frame of isTurned ? frames.reverse() : frames) sim.applyRemote(1, frame, theirs(frame));
          arrived += arrivals;
          sim.settle();
          for (let step = 0; step < steps; step++) {
            sim.applyRemote(0, sim.lastFrame() + 1, press((sim.lastFrame() + 1) & 7));
            sim.advance();
          }
          page.poll(sim.collectEffects());
        }
        const length = Math.max(arrived, sim.lastFrame() + 1, 1);
        sim.replayLeft = Number.POSITIVE_INFINITY;
        for (; arrived < length; arrived++) sim.applyRemote(1, arrived, theirs(arrived));
        while (sim.lastFrame() < length - 1) {
          sim.applyRemote(0, sim.lastFrame() + 1, press((sim.lastFrame() + 1) & 7));
          sim.advance();
        }
        page.poll(sim.collectEffects(length - 1, true));
        const finals: Witness['finals'] = [];
        const facts: Witness['facts'] = [];
        const rows = Array.from({ length }, (_, frame) => [press(frame & 7), theirs(frame)]);
        const right = replay(sparks, rows, {
          seed,
          onEffect: (effect) => finals.push(named(effect)),
          onFact: (fact) => facts.push(fact),
        });
        expect(sparks.state.diff(sim.stateAt(length), right)).toEqual([]);
        expect(page.finals).toEqual(finals);
        expect(page.facts).toEqual(facts);
        expect(page.playing.size).toBe(0);
      }),
    );
  });
});

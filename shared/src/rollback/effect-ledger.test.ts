import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixer, press } from '../../testing/mixer.js';
import { named, sparks, Witness } from '../../testing/sparks.js';
import { guardDeterminism } from '../desync/guard.js';
import { RiposteError } from '../errors.js';
import { defineGame } from '../game/define-game.js';
import type { EffectData } from '../game/effect-data.js';
import type { StepContext } from '../game/game.js';
import { buttons } from '../input/controls.js';
import { u32 } from '../state/struct/fields.js';
import { struct } from '../state/struct/struct.js';
import { EffectLedger, type Fact } from './effect-ledger.js';
import { replay } from './replay.js';
import { RollbackSim } from './sim.js';
import { syncTest } from './sync-test.js';

type Emit = (ctx: StepContext, pressed: boolean) => void;

/** Player 0 presses nothing; what player 1 does decides what `emit` emits. */
function gameOf(emit: Emit, slackFrames = 0) {
  return defineGame({
    id: 'emitter',
    version: '1',
    tickRate: 60,
    players: 2,
    input: buttons('on'),
    state: struct({ sum: u32 }),
    slackFrames,
    step(state, inputs, ctx) {
      state.sum += ctx.frame + (inputs[1]!.on ? 1 : 0);
      emit(ctx, inputs[1]!.on);
    },
  });
}

/** A sim and its page. */
function watch(emit: Emit, slackFrames = 0) {
  const sim = new RollbackSim(gameOf(emit, slackFrames));
  const page = new Witness();
  return {
    sim,
    page,
    /** Runs so many frames on predictions, polling each tick; returns the events of the last one. */
    run(frames: number): string[] {
      for (let frame = 0; frame < frames; frame++) {
        sim.predictStep({ 0: {} });
        page.poll(sim.collectEffects());
      }
      return page.last;
    },
    /** Player 1's real inputs from `first` on. */
    learn(first: number, ...pressed: boolean[]): string[] {
      for (const [index, on] of pressed.entries()) sim.applyRemote(1, first + index, { on });
      page.poll(sim.collectEffects());
      return page.last;
    },
  };
}

function code(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof RiposteError ? error.code : String(error);
  }
  return undefined;
}

const pair = fc.tuple(fc.nat(7), fc.nat(7));

describe('effects and facts', () => {
  it('end as replay tells them over 1,000 random schedules, each once, none both cancelled and final', () => {
    const schedule = fc.record({
      seed: fc.nat(),
      slackFrames: fc.constantFrom(0, 0, 1, 4),
      maxPrediction: fc.integer({ min: 0, max: 12 }),
      saving: fc.constantFrom('every' as const, 'sparse' as const),
      inputs: fc.array(pair, { minLength: 5, maxLength: 50 }),
      delays: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
      ticksPerPoll: fc.integer({ min: 1, max: 3 }),
    });
    let [cancels, facts, finals] = [0, 0, 0];
    fc.assert(
      fc.property(schedule, ({ inputs, delays, ticksPerPoll, ...options }) => {
        const sim = new RollbackSim(sparks, { ...options, history: 16 });
        const page = new Witness();
        const waiting = inputs.map((_, frame) => ({ frame, tick: frame + delays[frame % delays.length]! }));
        for (let tick = 0; sim.confirmedFrame < inputs.length - 1; tick++) {
          if (tick > 1000) throw new Error('did not settle');
          for (const item of waiting) {
            if (item.tick !== tick) continue;
            const known = code(() => sim.applyRemote(1, item.frame, press(inputs[item.frame]![1])));
            if (known === 'input-too-far') item.tick++;
            else expect(known).toBeUndefined();
          }
          const next = sim.lastFrame() + 1;
          if (next < inputs.length) sim.predictStep({ 0: press(inputs[next]![0]) });
          if (tick % ticksPerPoll === 0) page.poll(sim.collectEffects());
        }
        page.poll(sim.collectEffects(undefined, true));
        const truth: Witness['finals'] = [];
        const trueFacts: Fact[] = [];
        replay(
          sparks,
          inputs.map((row) => row.map(press)),
          {
            seed: options.seed,
            onEffect: (effect) => truth.push(named(effect)),
            onFact: (fact) => trueFacts.push(fact),
          },
        );
        expect(page.finals).toEqual(truth);
        expect(page.facts).toEqual(trueFacts);
        expect(page.playing.size).toBe(0);
        expect(page.starts).toBe(page.cancels + page.finals.length);
        cancels += page.cancels;
        facts += page.facts.length;
        finals += page.finals.length;
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(cancels, facts, finals)).toBeGreaterThan(2000);
  });

  it('start at once, are told no second time by a re-simulation that gives the same, and are final when confirmed', () => {
    const { run, learn, page } = watch((ctx) => ctx.frame === 1 && ctx.effect('hit', { at: [1, 2] }));
    expect(run(1)).toEqual([]);
    expect(run(1)).toEqual(['start hit@1']);
    expect(run(2)).toEqual([]);
    expect(learn(0, true)).toEqual([]);
    expect(learn(1, false)).toEqual(['final hit@1']);
    expect(page.finals).toEqual([{ kind: 'hit', key: 0, data: { at: [1, 2] }, frame: 1 }]);
  });

  it('are cancelled when a rollback makes them un-happen, and told never when they un-happen before a poll', () => {
    const { sim, run, learn, page } = watch((ctx, on) => ctx.frame >= 1 && !on && ctx.effect('hit'));
    expect(run(2)).toEqual(['start hit@1']);
    sim.predictStep({ 0: {} });
    expect(learn(0, false, true)).toEqual(['cancel hit@1']);
    expect(page.starts).toBe(1);
  });

  it('keep the others when a re-simulation emits fewer, more or others', () => {
    const emit: Emit = (ctx, on) => {
      if (ctx.frame !== 0) return;
      if (!on) ctx.effect('first');
      ctx.effect('both');
      if (!on) ctx.effect('both', 'second');
      if (on) ctx.effect('new', 1);
      ctx.effect('keyed', null, on ? 'a' : 'b');
    };
    const { run, learn } = watch(emit);
    expect(run(1)).toEqual(['start first@0', 'start both@0', 'start both@0', 'start keyed@0']);
    expect(learn(0, true)).toEqual([
      ...['cancel first@0', 'cancel both@0', 'cancel keyed@0'],
      ...['start new@0', 'start keyed@0'],
      ...['final both@0', 'final new@0', 'final keyed@0'],
    ]);
  });

  it('count those without a key by kind, apart from those with one, and take one key twice as one', () => {
    const seen: unknown[] = [];
    replay(
      gameOf((ctx) => {
        ctx.effect('a', 'x', 0);
        ctx.effect('a');
        ctx.effect('b');
        ctx.effect('a');
        ctx.effect('a', 'y', 0);
        ctx.effect('a', 'z', '0');
      }),
      [[{}, {}]],
      { onEffect: ({ kind, key, data }) => seen.push([kind, key, data]) },
    );
    expect(seen).toEqual([
      ['a', 0, 'x'],
      ['a', 0, undefined],
      ['b', 0, undefined],
      ['a', 1, undefined],
      ['a', '0', 'z'],
    ]);
  });

  it('are cancelled and played when their data changes, compared by value and whatever the order of fields', () => {
    const emit: Emit = (ctx, on) => {
      if (ctx.frame !== 0) return;
      ctx.effect('same', on ? { a: 0, b: [{ c: 'x' }] } : { b: [{ c: 'x' }], a: -0 });
      ctx.effect('other', { at: [1, on ? 2 : 3] });
      ctx.effect('longer', on ? { a: null, b: null } : { a: null });
      ctx.effect('typed', on ? [] : {});
    };
    const { run, learn } = watch(emit);
    run(1);
    const others = ['other@0', 'longer@0', 'typed@0'];
    expect(learn(0, true)).toEqual([
      ...others.map((name) => `cancel ${name}`),
      ...others.map((name) => `start ${name}`),
      ...['same@0', ...others].map((name) => `final ${name}`),
    ]);
  });

  it('take a copy of their data, which nobody can change', () => {
    const kept = { at: [1] };
    const { run, page } = watch((ctx) => ctx.frame === 0 && ctx.effect('hit', kept));
    run(1);
    kept.at[0] = 2;
    const [event] = page.playing.values();
    expect(event!.data).toEqual({ at: [1] });
    expect([event!.data, ...Object.values(event!.data ?? {})].every(Object.isFrozen)).toBe(true);
  });

  it('play on when a rollback moves them by at most slackFrames, with the data they had', () => {
    // Pressed in frame 1, the blow lands in frame 3 instead of 1.
    const moved = (data: (on: boolean) => EffectData): Emit => {
      let pressed = false;
      return (ctx, on) => {
        if (ctx.frame <= 1) pressed = on;
        if (ctx.frame === (pressed ? 3 : 1)) ctx.effect('blow', data(pressed));
      };
    };
    const tight = watch(
      moved(() => 'hard'),
      1,
    );
    expect(tight.run(5)).toEqual([]);
    expect(tight.learn(0, false, true)).toEqual(['cancel blow@1', 'start blow@3']);

    const loose = watch(
      moved(() => 'hard'),
      2,
    );
    loose.run(5);
    expect(loose.learn(0, false, true)).toEqual([]);
    expect(loose.learn(2, true, true)).toEqual(['final blow@3']);
    expect(loose.page).toMatchObject({ starts: 1, cancels: 0 });

    const changed = watch(
      moved((on) => on),
      2,
    );
    changed.run(5);
    expect(changed.learn(0, false, true)).toEqual(['cancel blow@1', 'start blow@3']);

    // Frame 3 has not run yet when the correction arrives.
    const early = watch(
      moved(() => 'hard'),
      2,
    );
    early.run(2);
    expect(early.learn(0, false, true)).toEqual([]);
    expect(early.run(1)).toEqual([]);
    expect(early.run(1)).toEqual([]);
    expect(early.learn(2, true, true)).toEqual(['final blow@3']);
    expect(early.page).toMatchObject({ starts: 1, cancels: 0 });

    // It never comes: cancelled as soon as that is certain, or the match ends.
    const never: Emit = (ctx, on) => ctx.frame === 1 && !on && ctx.effect('blow');
    const gone = watch(never, 2);
    gone.run(2);
    expect(gone.learn(0, false, true)).toEqual([]);
    expect(gone.run(1)).toEqual([]);
    expect(gone.run(1)).toEqual(['cancel blow@1']);
    const ended = watch(never, 2);
    ended.run(2);
    ended.learn(0, false, true);
    ended.page.poll(ended.sim.collectEffects(undefined, true));
    expect(ended.page.last).toEqual(['cancel blow@1']);
  });

  it('tell facts of confirmed frames only, and no other after a change', () => {
    const { run, learn, page } = watch((ctx, on) => ctx.fact(on ? 'on' : 'off', ctx.frame));
    expect(run(3)).toEqual([]);
    expect(learn(1, true)).toEqual([]);
    expect(learn(0, false)).toEqual(['fact off@0', 'fact on@1']);
    expect(learn(2, false)).toEqual(['fact off@2']);
    expect(page.facts.map(({ data }) => data)).toEqual([0, 1, 2]);
  });

  it('deliver no fact at or before the frame of a state from elsewhere, and finish no effect that was only predicted', () => {
    const { sim, run, learn, page } = watch((ctx) => {
      ctx.effect('beat');
      ctx.fact('beat');
    });
    run(6);
    expect(learn(0, false)).toEqual(['final beat@0', 'fact beat@0']);
    sim.reconcile(4, sim.stateAt(4));
    page.poll(sim.collectEffects());
    expect(page.last).toEqual(['cancel beat@1', 'cancel beat@2', 'cancel beat@3']);
    expect(learn(4, false, false)).toEqual(['final beat@4', 'final beat@5', 'fact beat@5']);
    sim.reconcile(1000, sim.state);
    expect(run(2)).toEqual(['start beat@1001']);
    expect(learn(1000, false, false)).toEqual(['final beat@1000', 'final beat@1001', 'fact beat@1001']);
    // Back to a frame that is final: what was told stays told.
    sim.reconcile(1000, sim.stateAt(1000));
    page.poll(sim.collectEffects());
    expect(page.last).toEqual([]);
  });

  it('cancel at the end what lies after the last confirmed frame, and then say no more', () => {
    const { sim, run, learn, page } = watch((ctx) => ctx.effect('beat'));
    run(4);
    learn(0, false, false);
    page.poll(sim.collectEffects(0, true));
    expect(page.last).toEqual(['cancel beat@2', 'cancel beat@3']);
    expect(run(2)).toEqual([]);
  });

  it('forget what a step that threw had emitted', () => {
    let isBroken = false;
    const { sim, run, learn, page } = watch((ctx, on) => {
      ctx.effect('beat', on);
      if (isBroken) throw new Error('of the game');
      ctx.effect('end');
    });
    run(1);
    isBroken = true;
    expect(() => run(1)).toThrow('of the game');
    expect(() => learn(0, true)).toThrow('of the game');
    isBroken = false;
    page.poll(sim.collectEffects());
    expect(page.last).toEqual([]);
    expect(run(1)).toEqual(['cancel beat@0', 'start beat@0', 'final beat@0', 'final end@0']);
  });

  it.each<[string, unknown]>([
    ['a number that is none', Number.NaN],
    ['an infinite one', { deep: [Number.POSITIVE_INFINITY] }],
    ['a function', () => {}],
    ['a missing value', { x: undefined }],
    ['an instance of a class', new Map()],
    ['a big integer', 1n],
    ['a long text', 'x'.repeat(257)],
    ['many values', Array.from({ length: 64 }, () => 0)],
  ])('refuse %s as data, and leave the sim as it was', (_name, data) => {
    const emit = (ctx: StepContext): void => {
      // The compiler refuses most of these.
      if (ctx.frame === 1) Reflect.apply(ctx.effect, undefined, ['hit', data]);
    };
    const sim = new RollbackSim(gameOf(emit));
    sim.predictStep({ 0: {} });
    const hash = sim.hashAt(1);
    expect(code(() => sim.predictStep({ 0: {} }))).toBe('bad-effect');
    expect([sim.lastFrame(), sim.hashAt(1)]).toEqual([0, hash]);
  });

  it('refuse data that contains itself, empty kinds, endless keys, and a step without end', () => {
    const cyclic: { [name: string]: unknown } = {};
    cyclic['self'] = cyclic;
    const ledger = () => new EffectLedger(4);
    expect(code(() => Reflect.apply(ledger().fact, ledger(), [0, 'x', cyclic]))).toBe('bad-effect');
    expect(code(() => ledger().effect(0, ''))).toBe('bad-effect');
    expect(code(() => ledger().effect(0, 'x', 1, Number.NaN))).toBe('bad-effect');
    expect(code(() => ledger().effect(0, 'x', 1, 'k'.repeat(300)))).toBe('bad-effect');
    const full = ledger();
    for (let count = 0; count < 255; count++) full.effect(0, 'x');
    full.fact(0, 'x');
    expect(code(() => full.effect(0, 'x'))).toBe('bad-effect');
    expect(code(() => full.fact(0, 'x'))).toBe('bad-effect');
    expect(code(() => new RollbackSim(mixer, { slackFrames: 61 }))).toBe('bad-argument');
  });

  it('leave states, sync test and determinism guard as they are', () => {
    const result = syncTest(guardDeterminism(sparks), { frames: 200, distance: 5 });
    expect(result).toMatchObject({ ok: true, frames: 200 });
    const inputs = Array.from({ length: 100 }, (_, frame) => [press(frame % 8), press((frame * 3) % 8)]);
    expect(sparks.state.hash(replay(sparks, inputs))).toBe(mixer.state.hash(replay(mixer, inputs)));
  });
});

import { type Game, initialState } from '@riposte/shared';
import { type DuelInput, type DuelState, duel, duelAttacks } from '@riposte/shared/games';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../input/bot.js';
import { type DuelBrain, duelCpu, duelSkills } from './duel-cpu.js';
import { duelDummy, duelTraining, dummyHabits } from './duel-training.js';

const SKILLS = ['easy', 'medium', 'hard'] as const;
/** Five rounds to the end of the time, with all that is between them. */
const FRAMES_MAX = 5 * 1700;

/** Plays `frames` frames, or to the end of the match. */
function play(
  seed: number,
  brains: readonly [DuelBrain, DuelBrain],
  frames = FRAMES_MAX,
  game: Game<DuelState, DuelInput> = duel,
) {
  const state = initialState(game, { seed, settings: {}, players: 2 });
  const words = new Int32Array(1);
  const effects: string[] = [];
  const context = {
    frame: 0,
    players: [{ connected: true }, { connected: true }],
    effect: (kind: string, _data?: unknown, key?: string | number) => void effects.push(`${kind} ${key}`),
    fact: () => {},
  };
  const inputs = [game.input.create(), game.input.create()];
  for (let frame = 0; frame < frames && game.over?.(state) === undefined; frame++) {
    for (const [player, brain] of brains.entries()) {
      game.input.encode(brain(state, player), words, 0);
      game.input.decode(words, 0, inputs[player]!);
    }
    game.step(state, inputs, context);
  }
  const result = game.over?.(state);
  return {
    state,
    effects,
    winner: typeof result === 'object' && result !== null && 'winner' in result ? result.winner : undefined,
  };
}

function bot(seed: number): DuelBrain {
  return seededBot(duel.input, seed);
}

describe('a computer opponent', { timeout: 20_000 }, () => {
  it('only looks: it changes no state, and presses the same for the same state', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(2000), fc.constantFrom(...SKILLS), (seed, frames, skill) => {
        const { state } = play(seed, [bot(seed + 1), duelCpu(skill)], frames);
        const before = duel.state.hash(state);
        for (const player of [0, 1]) {
          const pressed = duelCpu(skill)(state, player);
          expect(duelCpu(skill)(state, player)).toEqual(pressed);
        }
        expect(duel.state.hash(state)).toBe(before);
      }),
      { numRuns: 25 },
    );
  });

  it.each(SKILLS)('of %s strength wins against a dummy, from either side', (skill) => {
    // One that does nothing but heavy attacks is too much for the easy one at times.
    for (const habit of dummyHabits.filter((each) => skill !== 'easy' || each !== 'heavy')) {
      expect(play(5, [duelDummy(habit), duelCpu(skill)]).winner, habit).toBe(1);
      expect(play(6, [duelCpu(skill), duelDummy(habit)]).winner, habit).toBe(0);
    }
  });

  it('is the better the stronger it is said to be', () => {
    for (const [weaker, stronger] of [
      ['easy', 'medium'],
      ['medium', 'hard'],
    ] as const) {
      let wins = 0;
      for (let seed = 0; seed < 12; seed++) {
        const isFirst = seed % 2 === 0;
        const brains = [duelCpu(isFirst ? stronger : weaker), duelCpu(isFirst ? weaker : stronger)] as const;
        if (play(seed, brains).winner === (isFirst ? 0 : 1)) wins++;
      }
      expect(wins, `${stronger} against ${weaker}`).toBeGreaterThanOrEqual(8);
    }
  });

  it('uses all that the game has', () => {
    const effects = new Set<string>();
    for (let seed = 0; seed < 6; seed++) {
      for (const effect of play(seed, [duelCpu('hard'), duelCpu('medium')]).effects) effects.add(effect);
    }
    for (const effect of ['hit 0', 'heavy-hit 0', 'throw 0', 'block 0', 'dash 1', 'whiff 1'])
      expect(effects).toContain(effect);
  });

  it('does not see a blow before its time to react', () => {
    for (const { reactionFrames } of Object.values(duelSkills)) {
      expect(reactionFrames).toBeGreaterThan(duelAttacks.light.windup);
      expect(reactionFrames).toBeLessThan(duelAttacks.heavy.windup);
    }
  });
});

describe('training', { timeout: 20_000 }, () => {
  it('has a dummy for each habit, which does that and nothing else', () => {
    for (const habit of dummyHabits) {
      const { state, effects } = play(3, [duelDummy('stand'), duelDummy(habit)], 900, duelTraining);
      const own = new Set(effects.filter((effect) => effect.endsWith(' 1')));
      own.delete('step 1');
      expect([...own].sort(), habit).toEqual(
        habit === 'stand' || habit === 'guard' ? [] : habit === 'dash' ? ['dash 1'] : ['swing 1'],
      );
      expect(state.phase).toBe('fight');
    }
  });

  it('goes on for ever: time stands, and wounds heal', () => {
    const { state, effects } = play(4, [duelDummy('throw'), duelDummy('guard')], 20_000, duelTraining);
    expect(effects.filter((effect) => effect === 'throw 1' || effect === 'heavy-hit 1').length).toBeGreaterThan(20);
    expect(state.round).toBe(1);
    expect(state.phase).toBe('fight');
  });
});

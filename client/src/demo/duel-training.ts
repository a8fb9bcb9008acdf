import { defineGame, type Game } from '@riposte/shared';
import { type DuelInput, type DuelState, duel, duelAttacks, duelRules, type Fighter } from '@riposte/shared/games';
import { type DuelBrain, press, walk } from './duel-cpu.js';

/** The duel for practice: the time stands, and who is free again is well again. */
export const duelTraining: Game<DuelState, DuelInput> = defineGame({
  ...duel,
  id: 'duel-training',
  step(state, inputs, ctx) {
    duel.step(state, inputs, ctx);
    if (state.phase !== 'fight') return;
    state.clock = duelRules.roundFrames;
    for (const fighter of state.fighters) if (isFree(fighter)) fighter.health = duelRules.health;
  },
});

function isFree({ action, hitstun, blockstun }: Fighter): boolean {
  return hitstun === 0 && blockstun === 0 && (action === 'stand' || action === 'guard' || action === 'advance');
}

/** What a dummy does, again and again. */
export const dummyHabits = ['stand', 'guard', 'light', 'heavy', 'throw', 'dash'] as const;
export type DummyHabit = (typeof dummyHabits)[number];

/** How long a dummy stands before it does it again. */
const PAUSE_FRAMES = 40;

export function duelDummy(habit: DummyHabit): DuelBrain {
  return (state, player) => {
    const me = state.fighters[player]!;
    if (state.phase !== 'fight' || habit === 'stand') return {};
    if (habit === 'guard') return { block: true };
    if (habit !== 'dash' && gapOf(state) > duelAttacks[habit].reach - 60) return walk(player, true);
    if (me.action !== 'stand' || me.actionFrame < PAUSE_FRAMES) return {};
    return press(me, habit, player);
  };
}

function gapOf({ fighters }: DuelState): number {
  return fighters[1]!.x - fighters[0]!.x;
}

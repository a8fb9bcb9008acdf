import { defineGame } from '../../game/define-game.js';
import type { StepContext } from '../../game/game.js';
import { resolveContacts } from './contact.js';
import type { RoundWon } from './effects.js';
import { act, begin, readButtons, reset, strideOf } from './fighter.js';
import { duelRules as rules } from './rules.js';
import { type DuelInput, type DuelState, duelInput, duelModel, type Fighter } from './state.js';

/** How a duel ended: the winner's player number, or null when both won their last round together. */
export interface DuelResult {
  readonly winner: 0 | 1 | null;
  readonly rounds: readonly [number, number];
}

/**
 * Two fencers, best of five rounds. Guard beats the light attack, the throw beats the guard, attacks beat the throw;
 * a guard raised at the last moment parries and opens the attacker to the riposte. Its effects are `FighterEffect` and
 * `StageEffect`, its facts `round-won` (`RoundWon`) and `match-won` (`DuelResult`).
 */
export const duel = defineGame({
  id: 'duel',
  version: '2',
  tickRate: 60,
  players: 2,
  input: duelInput,
  state: duelModel,
  slackFrames: 2,
  init(state) {
    beginRound(state);
  },
  step(state, inputs, ctx) {
    for (let player = 0; player < 2; player++) readButtons(state.fighters[player]!, inputs[player]!);
    switch (state.phase) {
      case 'intro':
        if (state.phaseFrame === 0) ctx.effect('round', { round: state.round });
        state.phaseFrame++;
        if (state.phaseFrame < state.introFrames) break;
        enter(state, 'fight');
        ctx.effect('fence');
        break;
      case 'fight':
        fight(state, inputs, ctx);
        break;
      case 'roundOver':
        // The living may still move and swing: nothing hits any more.
        state.phaseFrame++;
        if (state.freeze > 0) state.freeze--;
        else move(state, inputs[0]!, inputs[1]!, ctx);
        if (state.phaseFrame >= rules.roundOverFrames) endRound(state, ctx);
        break;
      case 'matchOver':
        break;
    }
  },
  over(state): DuelResult | undefined {
    return state.phase === 'matchOver' ? resultOf(state) : undefined;
  },
});

function enter(state: DuelState, phase: DuelState['phase']): void {
  state.phase = phase;
  state.phaseFrame = 0;
}

function beginRound(state: DuelState): void {
  enter(state, 'intro');
  state.round++;
  state.introFrames = rules.introFramesMin + state.random.below(rules.introFramesSpread);
  state.clock = rules.roundFrames;
  state.freeze = 0;
  reset(state.fighters[0]!, -rules.startX);
  reset(state.fighters[1]!, rules.startX);
}

/** One frame of a round. The clock also runs while a contact holds both still, so that a round's length is bounded. */
function fight(state: DuelState, inputs: readonly DuelInput[], ctx: StepContext): void {
  state.phaseFrame++;
  state.clock--;
  if (state.freeze > 0) {
    state.freeze--;
  } else {
    move(state, inputs[0]!, inputs[1]!, ctx);
    resolveContacts(state, ctx);
  }
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  if (first.health === 0 || second.health === 0) decide(state, 'knockout', ctx);
  else if (state.clock === 0) decide(state, 'time', ctx);
}

/** The one with more health wins the round; with equal health both do, so that no match lasts for ever. */
function decide(state: DuelState, ending: RoundWon['ending'], ctx: StepContext): void {
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  if (first.health >= second.health) first.roundsWon++;
  if (second.health >= first.health) second.roundsWon++;
  state.ending = ending;
  state.lastWinner = first.health === second.health ? 'both' : first.health > second.health ? 'first' : 'second';
  enter(state, 'roundOver');
  const winner = state.lastWinner === 'both' ? null : state.lastWinner === 'first' ? 0 : 1;
  ctx.fact('round-won', { winner, ending, rounds: roundsOf(state) });
}

function roundsOf(state: DuelState): DuelResult['rounds'] {
  return [state.fighters[0]!.roundsWon, state.fighters[1]!.roundsWon];
}

function resultOf(state: DuelState): DuelResult {
  const rounds = roundsOf(state);
  return { winner: rounds[0] === rounds[1] ? null : rounds[0] > rounds[1] ? 0 : 1, rounds };
}

function endRound(state: DuelState, ctx: StepContext): void {
  const won = Math.max(state.fighters[0]!.roundsWon, state.fighters[1]!.roundsWon);
  if (won < rules.roundsToWin) {
    beginRound(state);
    return;
  }
  enter(state, 'matchOver');
  const { winner, rounds } = resultOf(state);
  ctx.fact('match-won', { winner, rounds });
  for (const fighter of state.fighters) if (fighter.action !== 'down') begin(fighter, 'stand');
}

function move(state: DuelState, firstInput: DuelInput, secondInput: DuelInput, ctx: StepContext): void {
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  act(first, 0, firstInput, ctx);
  act(second, 1, secondInput, ctx);
  first.x += strideOf(first);
  second.x -= strideOf(second);
  slide(first, second);
  separate(first, second);
}

/** Slides both apart. What a wall takes from the struck fighter's slide goes to the striker: no endless corner. */
function slide(first: Fighter, second: Fighter): void {
  const firstFree = first.x + rules.stageHalf;
  const secondFree = rules.stageHalf - second.x;
  const firstSlide = Math.min(first.slide, Math.max(0, firstFree));
  const secondSlide = Math.min(second.slide, Math.max(0, secondFree));
  first.x -= firstSlide + (second.slide - secondSlide);
  second.x += secondSlide + (first.slide - firstSlide);
  first.slide = (first.slide * 3) >> 2;
  second.slide = (second.slide * 3) >> 2;
}

/** Keeps the fighters apart and on the stage. */
function separate(first: Fighter, second: Fighter): void {
  const overlap = rules.bodyGap - (second.x - first.x);
  if (overlap > 0) {
    const half = (overlap + 1) >> 1;
    first.x -= half;
    second.x += half;
  }
  first.x = Math.max(first.x, -rules.stageHalf);
  second.x = Math.min(second.x, rules.stageHalf);
  first.x = Math.min(first.x, rules.stageHalf - rules.bodyGap);
  second.x = Math.max(second.x, rules.bodyGap - rules.stageHalf);
  if (second.x - first.x >= rules.bodyGap) return;
  // Only a wall can have pushed them together again: the one at the wall stands, the other makes room.
  if (first.x === -rules.stageHalf) second.x = first.x + rules.bodyGap;
  else first.x = second.x - rules.bodyGap;
}

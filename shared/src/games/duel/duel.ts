import { defineGame } from '../../game/game.js';
import { resolveContacts } from './contact.js';
import { act, begin, readButtons, reset, strideOf } from './fighter.js';
import { duelRules as rules } from './rules.js';
import { type DuelInput, type DuelState, duelInput, duelModel, type Fighter, facingOf } from './state.js';

/** How a duel ended: the winner's player number, or null when both won their last round together. */
export interface DuelResult {
  readonly winner: 0 | 1 | null;
  readonly rounds: readonly [number, number];
}

/**
 * Two fencers, best of five rounds. Guard beats the light attack, the throw beats the guard, attacks beat the throw;
 * a guard raised at the last moment parries and opens the attacker to the riposte.
 */
export const duel = defineGame({
  id: 'duel',
  version: '1',
  tickRate: 60,
  players: 2,
  input: duelInput,
  state: duelModel,
  init(state) {
    beginRound(state);
  },
  step(state, inputs) {
    for (let player = 0; player < 2; player++) readButtons(state.fighters[player]!, inputs[player]!);
    switch (state.phase) {
      case 'intro':
        state.phaseFrame++;
        if (state.phaseFrame >= state.introFrames) enter(state, 'fight');
        break;
      case 'fight':
        fight(state, inputs);
        break;
      case 'roundOver':
        // The living may still move and swing: nothing hits any more.
        state.phaseFrame++;
        if (state.freeze > 0) state.freeze--;
        else move(state, inputs[0]!, inputs[1]!);
        if (state.phaseFrame >= rules.roundOverFrames) endRound(state);
        break;
      case 'matchOver':
        break;
    }
  },
  over(state): DuelResult | undefined {
    if (state.phase !== 'matchOver') return undefined;
    const first = state.fighters[0]!.roundsWon;
    const second = state.fighters[1]!.roundsWon;
    return { winner: first === second ? null : first > second ? 0 : 1, rounds: [first, second] };
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
function fight(state: DuelState, inputs: readonly DuelInput[]): void {
  state.phaseFrame++;
  state.clock--;
  if (state.freeze > 0) {
    state.freeze--;
  } else {
    move(state, inputs[0]!, inputs[1]!);
    resolveContacts(state);
  }
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  if (first.health === 0 || second.health === 0) decide(state, 'knockout');
  else if (state.clock === 0) decide(state, 'time');
}

/** The one with more health wins the round; with equal health both do, so that no match lasts for ever. */
function decide(state: DuelState, ending: DuelState['ending']): void {
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  if (first.health >= second.health) first.roundsWon++;
  if (second.health >= first.health) second.roundsWon++;
  state.ending = ending;
  state.lastWinner = first.health === second.health ? 'both' : first.health > second.health ? 'first' : 'second';
  enter(state, 'roundOver');
}

function endRound(state: DuelState): void {
  const won = Math.max(state.fighters[0]!.roundsWon, state.fighters[1]!.roundsWon);
  if (won < rules.roundsToWin) {
    beginRound(state);
    return;
  }
  enter(state, 'matchOver');
  for (const fighter of state.fighters) if (fighter.action !== 'down') begin(fighter, 'stand');
}

function move(state: DuelState, firstInput: DuelInput, secondInput: DuelInput): void {
  const first = state.fighters[0]!;
  const second = state.fighters[1]!;
  act(first, facingOf(0), firstInput);
  act(second, facingOf(1), secondInput);
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

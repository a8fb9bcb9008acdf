export { type DuelResult, duel } from './duel/duel.js';
export type { FighterEffect, RoundWon, StageEffect } from './duel/effects.js';
export { type Attack, attackFrames, duelAttacks, duelRules } from './duel/rules.js';
export { attackOf, type DuelInput, type DuelState, type Fighter } from './duel/state.js';
export { race, race4 } from './race.js';

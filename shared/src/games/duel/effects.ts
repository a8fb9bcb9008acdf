import type { StepContext } from '../../game/game.js';
import type { DuelResult } from './duel.js';

/**
 * What can be seen and heard of a fighter. Of the struck one: `hit`, `heavy-hit`, `throw`, `block`, `parry` (it parried),
 * `clash`, `knock-out`. Of the one who moves: `swing` as an attack begins, `whiff` when it met nothing, `dash`, `step`.
 */
export type FighterEffect =
  | 'hit'
  | 'heavy-hit'
  | 'throw'
  | 'block'
  | 'parry'
  | 'clash'
  | 'knock-out'
  | 'swing'
  | 'whiff'
  | 'dash'
  | 'step';

/** What can be seen and heard of the whole duel: a round's intro, and its signal to fight. */
export type StageEffect = 'round' | 'fence';

/** A round is decided: who won it, null when it counts for both, and the score with it. */
export interface RoundWon extends DuelResult {
  readonly ending: 'knockout' | 'time';
}

/** An effect of one fighter. Its number is the key, so that neither of two is taken for the other's. */
export function show(ctx: StepContext, kind: FighterEffect, player: number, attack?: string): void {
  ctx.effect(kind, attack === undefined ? { player } : { player, attack }, player);
}

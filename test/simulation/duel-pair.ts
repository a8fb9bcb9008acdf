import { duel } from '@riposte/shared/games';
import { seededBot } from '../../client/src/input/bot.js';
import { Pair, type PairOptions } from './pair.js';

export type DuelState = ReturnType<typeof duel.state.create>;
export type DuelInput = ReturnType<typeof duel.input.create>;

/** A duel of two seeded bots at an input delay of two frames, over a perfect link unless another is asked for. */
export function duelPair(options: Partial<PairOptions<DuelState, DuelInput>> = {}): Pair<DuelState, DuelInput> {
  return new Pair<DuelState, DuelInput>({
    game: duel,
    inputs: [seededBot(duel.input, 3), seededBot(duel.input, 4)],
    inputDelay: 2,
    ...options,
  });
}

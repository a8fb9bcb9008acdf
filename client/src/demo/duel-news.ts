import type { Fact } from '@riposte/shared';
import type { MatchStatus } from '../match/match.js';
import { nameOf } from './player-names.js';

/** What counts in a duel, in words: a round's winner with the score, and the match's. */
export function duelNews({ kind, data }: Fact, status: MatchStatus): string | undefined {
  if (typeof data !== 'object' || data === null || !('rounds' in data) || !('winner' in data)) return undefined;
  const { rounds, winner } = data;
  if (!Array.isArray(rounds)) return undefined;
  const side = winner === 1 ? 1 : 0;
  const score = `${rounds[side]} to ${rounds[1 - side]}`;
  if (kind === 'round-won') {
    return winner === null
      ? `The round counts for both: ${score}.`
      : `${nameOf(status, side)} takes the round: ${score}.`;
  }
  return winner === null ? `A draw, ${score}.` : `${nameOf(status, side)} wins the match, ${score}.`;
}

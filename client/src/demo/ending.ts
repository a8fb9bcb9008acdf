import type { MatchStatus } from '../match/match.js';
import type { LiveMatch } from './demo-game.js';

/** The players of a match, for its title. */
export function titleOf({ players }: MatchStatus): string {
  const [first, second] = players;
  return `${first?.name || 'Player 1'} against ${second?.name || 'Player 2'}`;
}

/** What happened in a match that is over, and what to do next. */
export function endingOf(match: LiveMatch): { readonly title: string; readonly text: string } {
  const status = match.status();
  const decided = decisionOf(match);
  const reason = status.reason ?? 'The match is over.';
  if (decided !== undefined) return { title: decided, text: reason };
  return { title: status.phase === 'failed' ? 'The match was broken off' : 'The match is over', text: reason };
}

function decisionOf(match: LiveMatch): string | undefined {
  const result = resultOf(match);
  // A game's result is its own affair; the page reads the shape that its own games use.
  if (typeof result !== 'object' || result === null || !('winner' in result)) return undefined;
  if (result.winner !== 0 && result.winner !== 1) return 'A draw';
  const score = 'rounds' in result && Array.isArray(result.rounds) ? ` ${scoreOf(result.rounds, result.winner)}` : '';
  if (match.me === -1) return `${match.status().players[result.winner]?.name ?? 'Player'} wins${score}`;
  return `${result.winner === match.me ? 'You win' : 'You lose'}${score}`;
}

function scoreOf(rounds: readonly unknown[], winner: 0 | 1): string {
  return `${rounds[winner]}–${rounds[1 - winner]}`;
}

function resultOf(match: LiveMatch): unknown {
  try {
    return match.result();
  } catch {
    // The deciding frame is no longer kept: the reason alone is shown.
    return undefined;
  }
}

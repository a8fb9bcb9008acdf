import type { MatchStatus } from '../match/match.js';
import type { LiveMatch } from './demo-game.js';
import { clockText } from './inspect/controls.js';
import { listed, nameOf } from './player-names.js';

/** The players of a match, for its title. */
export function titleOf(status: MatchStatus): string {
  if (status.players.length <= 2) return `${nameOf(status, 0)} against ${nameOf(status, 1)}`;
  return listed(status.players.map((_, player) => nameOf(status, player)));
}

/** What happened in a match that is over, and what to do next. */
export function endingOf(match: LiveMatch): { readonly title: string; readonly text: string } {
  const status = match.status();
  if (status.desync !== null) return { title: 'The match is void', text: status.reason ?? '' };
  const decided = decisionOf(match);
  const reason = textOf(status, match.game.tickRate);
  if (decided !== undefined) return { title: decided, text: reason };
  return { title: status.phase === 'failed' ? 'The match was broken off' : 'The match is over', text: reason };
}

function textOf({ cause, reason, confirmedFrame }: MatchStatus, tickRate: number): string {
  // "The match is over" is what the title says.
  if (cause === 'finished') return `It lasted ${clockText(confirmedFrame + 1, tickRate).slice(0, -3)}.`;
  return reason ?? '';
}

function decisionOf(match: LiveMatch): string | undefined {
  const result = resultOf(match);
  // A game's result is its own affair; the page reads the shape that its own games use.
  if (typeof result !== 'object' || result === null || !('winner' in result)) return undefined;
  if (result.winner !== 0 && result.winner !== 1) return 'A draw';
  // Told from one side: the player's own, or the winner's where both sit here.
  const side = match.me === -1 ? result.winner : match.me;
  const score = 'rounds' in result && Array.isArray(result.rounds) ? ` ${scoreOf(result.rounds, side)}` : '';
  if (match.me === -1) return `${match.status().players[result.winner]?.name ?? 'Player'} wins${score}`;
  return `${result.winner === match.me ? 'You win' : 'You lose'}${score}`;
}

function scoreOf(rounds: readonly unknown[], side: number): string {
  return `${rounds[side]}–${rounds[1 - side]}`;
}

function resultOf(match: LiveMatch): unknown {
  try {
    return match.result();
  } catch {
    // The deciding frame is no longer kept: the reason alone is shown.
    return undefined;
  }
}

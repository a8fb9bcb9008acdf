import type { MatchStatus } from '../match/match.js';

/** How the page calls a player. */
export function nameOf({ players }: Pick<MatchStatus, 'players'>, player: number): string {
  return players[player]?.name || `Player ${player + 1}`;
}

/** `Ada, Bo and Cy`. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

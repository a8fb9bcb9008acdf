import { describe, expect, it } from 'vitest';
import { blankStatus } from '../match/status.js';
import { duelNews } from './duel-news.js';

const status = {
  ...blankStatus,
  players: ['Ada', 'Bo'].map((name) => ({ name, me: false, presence: 'here' as const })),
};

const news = (kind: string, data: Parameters<typeof duelNews>[0]['data']) => duelNews({ kind, data, frame: 1 }, status);

describe('the news of a duel', () => {
  it('name who won, with the score from that side', () => {
    expect(news('round-won', { winner: 0, ending: 'knockout', rounds: [2, 1] })).toBe('Ada takes the round: 2 to 1.');
    expect(news('round-won', { winner: 1, ending: 'time', rounds: [2, 3] })).toBe('Bo takes the round: 3 to 2.');
    expect(news('round-won', { winner: null, ending: 'time', rounds: [1, 1] })).toBe(
      'The round counts for both: 1 to 1.',
    );
    expect(news('match-won', { winner: 1, rounds: [1, 3] })).toBe('Bo wins the match, 3 to 1.');
    expect(news('match-won', { winner: null, rounds: [3, 3] })).toBe('A draw, 3 to 3.');
  });

  it('are nothing where the fact is none of the duel', () => {
    expect(news('point', undefined)).toBeUndefined();
    expect(news('point', { winner: 1 })).toBeUndefined();
  });
});

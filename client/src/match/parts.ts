import { loadPart } from '../load-part.js';

/** Parts of a match that not every page needs. */
export interface MatchParts {
  /** For more than two players. */
  readonly party?: typeof import('../session/party.js') | undefined;
  /** Without it there is no recording. */
  readonly recorder?: typeof import('../recorder/match-recorder.js') | undefined;
}

/** Loads what this match needs. Rejects with `not-loaded`. */
export async function loadParts(players: number, record: boolean): Promise<MatchParts> {
  const [party, recorder] = await Promise.all([
    players > 2 ? loadPart(() => import('../session/party.js')) : undefined,
    record ? loadPart(() => import('../recorder/match-recorder.js')) : undefined,
  ]);
  return { party, recorder };
}

/** Parts of a match that not every page needs. */
export interface MatchParts {
  /** For more than two players. */
  readonly party?: typeof import('../session/party.js') | undefined;
  /** Without it there is no recording. */
  readonly recorder?: typeof import('../recorder/match-recorder.js') | undefined;
}

/** Loads what this match needs. Rejects with the loader's error. */
export async function loadParts(players: number, record: boolean): Promise<MatchParts> {
  const [party, recorder] = await Promise.all([
    players > 2 ? import('../session/party.js') : undefined,
    record ? import('../recorder/match-recorder.js') : undefined,
  ]);
  return { party, recorder };
}

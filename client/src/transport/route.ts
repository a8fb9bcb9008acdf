import type { Route } from './transport.js';

/** Whether the path that a connection has chosen goes by a relay; null while it has none, or does not say. */
export async function routeOf(connection: RTCPeerConnection): Promise<Route | null> {
  const reports = new Map<string, Readonly<Record<string, unknown>>>();
  (await connection.getStats()).forEach((report: Readonly<Record<string, unknown>>, id: string) => {
    reports.set(id, report);
  });
  const all = [...reports.values()];
  const chosen = all.find(({ type }) => type === 'transport')?.['selectedCandidatePairId'];
  const pair =
    reports.get(String(chosen)) ??
    all.find(({ type, nominated, state }) => type === 'candidate-pair' && nominated === true && state === 'succeeded');
  if (pair === undefined) return null;
  const ends = [pair['localCandidateId'], pair['remoteCandidateId']].map((id) => reports.get(String(id)));
  return ends.some((end) => end?.['candidateType'] === 'relay') ? 'relayed' : 'direct';
}

/** People in rooms, for tests of several of them. Tests only. */
import type { ClientRequest, SeatGrant } from '@riposte/shared/protocol';
import type { Harness, TestPeer } from './harness.js';

export const duel = { game: 'duel', version: '1' };

export interface Member {
  peer: TestPeer;
  grant: SeatGrant;
}

export const refusal = (code: string) => ({ ok: false, error: { code } });

export function granted(reply: { ok: boolean }): SeatGrant {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
  return reply as unknown as SeatGrant; // the harness parsed it as this reply
}

export async function create(harness: Harness, options: Partial<ClientRequest<'create-room'>> = {}): Promise<Member> {
  const peer = harness.peer();
  return { peer, grant: granted(await peer.request('create-room', { ...duel, ...options })) };
}

export async function join(harness: Harness, code: string, name?: string): Promise<Member> {
  const peer = harness.peer();
  const named = name === undefined ? {} : { name };
  return { peer, grant: granted(await peer.request('join-room', { code, game: 'duel', ...named })) };
}

export async function watch(harness: Harness, code: string): Promise<Member> {
  const peer = harness.peer();
  return { peer, grant: granted(await peer.request('watch-room', { code, game: 'duel' })) };
}

/** The pairings that somebody is told of next, by the seat of the other. */
export async function pairings(
  { peer }: Member,
  count: number,
): Promise<Map<string, { pairing: number; initiator: boolean }>> {
  const told = new Map<string, { pairing: number; initiator: boolean }>();
  for (let index = 0; index < count; index++) {
    const { peer: other, pairing, initiator } = await peer.next('paired');
    told.set(other.seat, { pairing, initiator });
  }
  return told;
}

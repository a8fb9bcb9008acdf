import { randomBytes } from 'node:crypto';
import { ROOM_CODE_ALPHABET } from '@riposte/shared/protocol';
import { describe, expect, it } from 'vitest';
import { hashSecret, Rooms } from './rooms.js';
import { createMemoryStore } from './store/memory.js';
import type { RoomKind } from './store/room.js';

const duel: RoomKind = {
  game: 'duel',
  version: '1',
  size: 2,
  access: 'code',
  listed: false,
  data: {},
  spectators: true,
  relayOnly: false,
};

function make(random: (count: number) => Uint8Array = randomBytes) {
  const store = createMemoryStore();
  return { store, rooms: new Rooms({ store, now: () => 0, randomBytes: random, ttlMs: 1000, seatAwayMs: 1000 }) };
}

describe('rooms', () => {
  it('have codes of six letters that nobody confuses, each letter as likely as any other', async () => {
    const { rooms } = make();
    const counts = new Map<string, number>();
    for (let index = 0; index < 1000; index++) {
      const outcome = await rooms.open(duel, undefined);
      if (!outcome.ok) throw new Error(outcome.error.message);
      expect(outcome.value.grant.room).toHaveLength(6);
      for (const letter of outcome.value.grant.room) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect([...counts.keys()].sort().join('')).toBe(ROOM_CODE_ALPHABET);
    // 6000 letters over 32: 187 each, standard deviation 13.5; six of these either way.
    expect(Math.min(...counts.values())).toBeGreaterThan(106);
    expect(Math.max(...counts.values())).toBeLessThan(268);
  });

  it('give every seat an id and a secret of 128 bits, and keep only the hash of the secret', async () => {
    const { rooms, store } = make();
    const outcome = await rooms.open(duel, 'Ann');
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { grant } = outcome.value;
    expect(Buffer.from(grant.secret, 'base64url')).toHaveLength(16);
    expect(grant.seat).not.toBe(grant.secret);
    const kept = await store.find(grant.room);
    expect(kept?.seats[0]).toMatchObject({ id: grant.seat, secretHash: hashSecret(grant.secret), name: 'Ann' });
    expect(JSON.stringify(kept)).not.toContain(grant.secret);
  });

  it('draw another code when one is taken, and say so when there is none', async () => {
    let codes = [0, 0, 1];
    const { rooms } = make((count) => new Uint8Array(count).fill(count === 6 ? (codes.shift() ?? 0) : 9));
    expect(await rooms.open(duel, undefined)).toMatchObject({ value: { grant: { room: '222222' } } });
    expect(await rooms.open(duel, undefined)).toMatchObject({ value: { grant: { room: '333333' } } });
    codes = [];
    expect(await rooms.open(duel, undefined)).toMatchObject({ ok: false, error: { code: 'internal-error' } });
  });
});

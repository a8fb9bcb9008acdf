import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  duel,
  failure,
  interrupt,
  LobbyWorld,
  offer,
  otherSeat,
  PATIENCE_MS,
  presenceOfOther,
  received,
  retry,
  until,
  untilOther,
  watch,
} from '../../testing/lobby-world.js';

vi.setConfig({ testTimeout: PATIENCE_MS });

let world: LobbyWorld;
beforeEach(async () => {
  world = await LobbyWorld.open();
});
afterEach(() => world.close());

describe('a lobby whose connection ends', () => {
  it('takes its seat back with a new key, and the match hears nothing of it', async () => {
    const [ann, bob] = await world.pair();
    const before = bob.room.seat;
    await interrupt(bob, ann);
    expect(bob.room.seat).toMatchObject({ room: before.room, seat: before.seat });
    expect(bob.room.seat.secret).not.toBe(before.secret);
    expect([ann.pairings.length, bob.pairings.length, ann.ends, bob.ends]).toEqual([1, 1, [], []]);
    expect(ann.peer).toEqual(['none', 'here', 'away', 'here']);
    expect(presenceOfOther(bob.room)).toBe('here');
    bob.pairings[0].signals.send(offer);
    expect(await received(ann.pairings[0], 1)).toEqual([offer]);
    await interrupt(bob, ann);
    await until(() => bob.clock.waits.length === 0);
  });

  it('keeps what was to be signalled meanwhile, on both sides', async () => {
    const [ann, bob] = await world.pair();
    const seat = new Promise((resolve) => bob.room.onSeat(resolve));
    bob.network.cut();
    await untilOther(ann.room, 'away');
    ann.pairings[0].signals.send(offer);
    bob.pairings[0].signals.send({ type: 'answer', sdp: 'v=1' });
    bob.pairings[0].signals.send({ type: 'answer', sdp: 'v=2' });
    // Refused, not lost: the next request on the same connection is answered after it.
    await ann.room.iceServers(otherSeat(ann.room));
    await retry(bob);
    await seat;
    expect(await received(bob.pairings[0], 1)).toEqual([offer]);
    expect(await received(ann.pairings[0], 2)).toEqual([
      { type: 'answer', sdp: 'v=1' },
      { type: 'answer', sdp: 'v=2' },
    ]);
  });

  it('tries again at growing intervals, and gives up when its seat is gone', async () => {
    const [, bob] = await world.pair();
    bob.network.closed = true;
    bob.network.cut();
    const waits: number[] = [];
    // Connecting is timed as well, by the limit of an answer.
    const pauses = () => bob.clock.waits.filter((ms) => ms !== 10_000);
    for (;;) {
      await until(() => pauses().length + bob.ends.length === 1);
      if (bob.ends.length > 0) break;
      const [ms] = pauses();
      waits.push(ms);
      bob.clock.advance(ms);
    }
    expect(waits.slice(0, 7)).toEqual([125, 250, 500, 1000, 1500, 1500, 1500]);
    const total = waits.reduce((sum, ms) => sum + ms, 0);
    expect(total).toBeGreaterThanOrEqual(60_000);
    expect(total).toBeLessThan(62_000);
    expect(bob.ends).toEqual(['server-lost']);
    expect(await failure(bob.room.pairAgain(otherSeat(bob.room)))).toBe('server-lost');
    expect(await bob.room.paired).toEqual([bob.pairings[0]]);
  });

  it('gives up at once when the server knows its seat no more', async () => {
    const [ann, bob] = await world.pair();
    bob.network.cut();
    await untilOther(ann.room, 'away');
    world.serverClock.advance(60_001);
    await retry(bob);
    await until(() => bob.ends.length > 0);
    expect(bob.ends).toEqual(['seat-not-found']);
  });

  it('keeps waiting in a room where nobody is yet', async () => {
    const ann = await world.connect();
    const waiting = watch(ann, await ann.lobby.create(duel));
    const seat = new Promise((resolve) => waiting.room.onSeat(resolve));
    ann.network.cut();
    await retry(ann);
    await seat;
    const bob = await world.connect();
    await bob.lobby.join(waiting.room.code, duel);
    expect((await waiting.room.paired)[0].number).toBe(1);
  });
});

describe('leaving', () => {
  it('while the connection is away ends the lobby; the seat goes when its time is up', async () => {
    const [ann, bob] = await world.pair();
    bob.network.cut();
    await untilOther(ann.room, 'away');
    await bob.lobby.leave();
    expect([bob.ends, bob.clock.waits]).toEqual([['left'], []]);
    world.serverClock.advance(60_001);
    await world.server.expireSeats();
    await untilOther(ann.room, 'none');
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  duel,
  failure,
  LobbyWorld,
  offer,
  otherSeat,
  PATIENCE_MS,
  presenceOfOther,
  received,
  retry,
  until,
  untilOther,
} from '../../testing/lobby-world.js';

vi.setConfig({ testTimeout: PATIENCE_MS });

let world: LobbyWorld;
beforeEach(async () => {
  world = await LobbyWorld.open();
});
afterEach(() => world.close());

/** In which the server gives a seat away whose connection does not answer. */
const STILL_THERE_MS = 2_000;

describe('pairing again', () => {
  it('gives both one new pairing with one initiator, and the old one is dead', async () => {
    const [ann, bob] = await world.pair();
    const [toAnn, toBob] = await Promise.all([
      ann.room.pairAgain(otherSeat(ann.room)),
      bob.room.pairAgain(otherSeat(bob.room)),
    ]);
    expect([toAnn.number, toBob.number]).toEqual([2, 2]);
    expect(toAnn.initiator).not.toBe(toBob.initiator);
    expect([ann.pairings, bob.pairings]).toEqual([
      [expect.objectContaining({ number: 1 }), toAnn],
      [expect.objectContaining({ number: 1 }), toBob],
    ]);
    ann.pairings[0].signals.send({ type: 'offer', sdp: 'old' });
    toAnn.signals.send(offer);
    expect(await received(toBob, 1)).toEqual([offer]);
  });

  it('waits for a player who is away', async () => {
    const [ann, bob] = await world.pair();
    bob.network.cut();
    await untilOther(ann.room, 'away');
    const next = ann.room.pairAgain(otherSeat(ann.room));
    await retry(bob);
    expect((await next).number).toBe(2);
    await until(() => bob.pairings.length === 2);
    expect(bob.pairings.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('finds a way when the network died without a word', async () => {
    const [ann, bob] = await world.pair();
    bob.network.freeze();
    const [toAnn, toBob] = [ann.room.pairAgain(otherSeat(ann.room)), bob.room.pairAgain(otherSeat(bob.room))];
    await toAnn;
    await until(() => bob.clock.waits.includes(3_000));
    bob.clock.advance(3_000);
    await retry(bob);
    // The server asks the dead connection before it gives the seat away.
    await until(() => world.serverClock.waits.includes(STILL_THERE_MS));
    world.serverClock.advance(STILL_THERE_MS);
    const number = (await toBob).number;
    await until(() => ann.pairings.at(-1)?.number === number);
    expect(ann.pairings.at(-1)?.initiator).not.toBe((await toBob).initiator);
  });

  it('is refused in words when the other player left', async () => {
    const [ann, bob] = await world.pair();
    const seat = otherSeat(ann.room);
    const left = new Promise((resolve) => ann.pairings[0].onPeerLeft(resolve));
    bob.lobby.close();
    expect(await left).toBe('left');
    expect([presenceOfOther(ann.room), ann.ends]).toEqual(['none', ['peer-gone']]);
    expect(await failure(ann.room.pairAgain(seat))).toBe('peer-gone');
    expect(await failure(ann.room.iceServers(seat))).toBe('peer-gone');
  });
});

describe('a page that was loaded again', () => {
  it('takes its seat back, is paired anew, and the key it came with is void', async () => {
    const [ann, bob] = await world.pair();
    const key = bob.room.seat;
    bob.network.closed = true;
    bob.network.cut();
    await untilOther(ann.room, 'away');
    const page = await world.connect();
    const room = await page.lobby.resume(key);
    expect(room).toMatchObject({ code: key.room, me: 1, seat: { seat: key.seat } });
    expect(room.seat.secret).not.toBe(key.secret);
    const [pairing] = await room.paired;
    expect(pairing).toMatchObject({ number: 2, peer: { player: 0 } });
    await until(() => ann.pairings.length === 2);
    expect(ann.pairings.map(({ number }) => number)).toEqual([1, 2]);
    expect(ann.pairings[1].initiator).not.toBe(pairing.initiator);
    const other = await world.connect();
    const refusal = other.lobby.resume(key);
    expect(await failure(refusal)).toBe('seat-not-found');
    await expect(refusal).rejects.toThrow('Start a new match');
    expect((await other.lobby.create(duel)).me).toBe(0);
  });

  it('is told that the other player is gone', async () => {
    const [ann, bob] = await world.pair();
    const key = bob.room.seat;
    bob.network.closed = true;
    bob.network.cut();
    await untilOther(ann.room, 'away');
    await ann.lobby.leave();
    const page = await world.connect();
    const room = await page.lobby.resume(key);
    expect(presenceOfOther(room)).toBe('none');
    expect(await failure(room.paired)).toBe('peer-gone');
  });
});

describe('a second tab', () => {
  it('is refused in words while the first is there, which notices nothing', async () => {
    const [ann, bob] = await world.pair();
    const tab = await world.connect();
    const refusal = tab.lobby.resume(bob.room.seat);
    await expect(refusal).rejects.toThrow('open in another tab');
    expect(await failure(refusal)).toBe('seat-in-use');
    bob.pairings[0].signals.send(offer);
    expect(await received(ann.pairings[0], 1)).toEqual([offer]);
    expect([presenceOfOther(ann.room), bob.ends]).toEqual(['here', []]);
    expect(ann.peer).not.toContain('away');
  });

  it('takes over from one that does not answer; that one ends and does not come back', async () => {
    const [ann, bob] = await world.pair();
    const thaw = bob.network.freeze();
    const tab = await world.connect();
    const resumed = tab.lobby.resume(bob.room.seat);
    await until(() => world.serverClock.waits.includes(STILL_THERE_MS));
    world.serverClock.advance(STILL_THERE_MS);
    const room = await resumed;
    thaw();
    await until(() => bob.ends.length > 0);
    expect(bob.ends).toEqual(['seat-taken']);
    expect(bob.clock.waits).toEqual([]);
    expect((await room.paired)[0].number).toBe(2);
    expect(ann.ends).toEqual([]);
  });
});

import { array, defineGame, i32, struct } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { type DuelInput, type DuelState, duelPair } from '../simulation/duel-pair.js';
import { Pair } from '../simulation/pair.js';

const roughPair: typeof duelPair = (options = {}) =>
  duelPair({ link: { delayMs: 40, jitterMs: 10, lossRate: 0.05 }, ...options });

/** Both ended as asked, agree on everything, and have the same last state. */
function expectSameEnd(pair: Pair<DuelState, DuelInput>, frames: number): void {
  for (const { session, ended } of pair.peers) {
    expect(ended?.cause).toBe('finished');
    expect(session.desync).toBeNull();
    expect(session.driver!.checker.newest).toBe(frames - 1);
    expect(session.sim!.stats.rollbacks).toBeGreaterThan(0);
  }
  const hashes = pair.peers.map(({ session }) => session.driver!.hashAt(frames));
  expect(hashes[0]).toBe(hashes[1]);
}

describe('a match whose link is lost', () => {
  it('says so within 600 ms, counts down, and goes on over a new connection at the frame where it stood', () => {
    const pair = roughPair({ frames: 1200 });
    pair.run(5000);
    pair.cut();
    pair.run(100);
    const stood = pair.peers.map(({ session }) => session.sim!.lastFrame());
    for (const { events, session } of pair.peers) {
      expect(events.some(({ type }) => type === 'interrupted')).toBe(true);
      expect(session.resumeLeftMs(pair.clock.nowMs)).toBeGreaterThan(29_000);
    }
    pair.run(8000);
    for (const [me, { session }] of pair.peers.entries()) {
      expect(session.sim!.lastFrame() - stood[me]!).toBeLessThanOrEqual(10);
      expect(session.resumeLeftMs(pair.clock.nowMs)).toBeLessThan(22_500);
    }
    pair.reconnect();
    pair.run(1000);
    for (const { events, session } of pair.peers) {
      expect(events.filter(({ type }) => type === 'interrupted' || type === 'running').at(-1)).toEqual({
        type: 'running',
      });
      expect(session.resumeLeftMs(pair.clock.nowMs)).toBeNull();
    }
    pair.runToEnd(60_000);
    expectSameEnd(pair, 1200);
    for (const { session } of pair.peers) expect(session.comparedFrames).toBe(1200);
  });

  it('survives one cut after another, also while it is resuming', () => {
    const pair = roughPair({ frames: 1500 });
    for (const ms of [3000, 40, 700, 90, 2500]) {
      pair.run(ms);
      pair.cut();
      pair.run(ms % 7 === 0 ? 50 : 900);
      pair.reconnect();
    }
    pair.runToEnd(60_000);
    expectSameEnd(pair, 1500);
  });

  it('is given up after 30 seconds, with words on both sides', () => {
    const pair = roughPair();
    pair.run(3000);
    pair.cut();
    pair.run(29_000);
    for (const { ended } of pair.peers) expect(ended).toBeUndefined();
    pair.run(1500);
    for (const { ended } of pair.peers)
      expect(ended).toMatchObject({ cause: 'lost', message: expect.stringContaining('30 seconds') });
  });

  it('drops packets of the connection before', () => {
    const pair = roughPair({ link: { delayMs: 900, jitterMs: 0, lossRate: 0 }, frames: 600 });
    pair.run(6000);
    const late = pair.peers[1].lastPacket.slice();
    const { session } = pair.peers[0];
    const dropped = session.droppedPackets;
    pair.reconnect();
    session.receive(pair.clock.nowMs, 1, 'unreliable', late);
    expect(session.droppedPackets).toBe(dropped + 1);
    pair.runToEnd(120_000);
    expect(pair.peers[0].session.desync).toBeNull();
    expect(pair.peers[0].session.comparedFrames).toBe(600);
  });
});

describe('a page that is reloaded in a match', () => {
  it.each([0, 1] as const)('takes the seat of player %i back and plays on to the same end', (me) => {
    const pair = roughPair({ frames: 1200 });
    pair.run(6000);
    const before = pair.peers[me].session.sim!.confirmedFrame;
    pair.reload(me);
    pair.run(1500);
    const returned = pair.peers[me].session;
    expect(pair.peers[me].events.at(-1)).toEqual({ type: 'running' });
    expect(returned.driver!.firstFrame).toBeGreaterThan(before - 15);
    expect(returned.sim!.lastFrame()).toBeGreaterThan(before + 30);
    expect(pair.peers[1 - me]!.events.map(({ type }) => type)).not.toContain('ended');
    pair.runToEnd(60_000);
    expectSameEnd(pair, 1200);
    expect(pair.peers[1 - me]!.session.comparedFrames).toBe(1200);
    expect(returned.comparedFrames).toBe(1200 - returned.driver!.firstFrame);
  });

  it('brings a state of many messages across', () => {
    const large = defineGame({
      id: 'large',
      version: '1',
      tickRate: 60,
      players: 2,
      input: duel.input,
      state: struct({ at: i32, cells: array(60_000, i32) }),
      step(state, inputs, ctx) {
        for (let player = 0; player < 2; player++) {
          state.at = (Math.imul(state.at + player, 1664525) + ctx.frame + (inputs[player]!.light ? 1 : 0)) | 0;
          state.cells[(state.at >>> 0) % 60_000] = state.at;
        }
      },
    });
    const pair = new Pair({
      game: large,
      link: { delayMs: 30, jitterMs: 5, lossRate: 0.02 },
      inputs: [seededBot(duel.input, 3), seededBot(duel.input, 4)],
      frames: 400,
      session: { maxPrediction: 6 },
    });
    pair.run(3000);
    pair.reload(1);
    pair.runToEnd(60_000);
    const [one, two] = pair.peers.map(({ session }) => session.driver!.hashAt(400));
    expect(one).toBe(two);
    expect(pair.peers[1].session.sim!.stats.rollbacks).toBeGreaterThan(0);
  });

  it('ends the match in words when both are reloaded', () => {
    const pair = roughPair();
    pair.run(3000);
    pair.peers[0].close();
    pair.reload(1);
    pair.run(50);
    pair.reload(0);
    pair.run(2000);
    const { ended } = pair.peers[0];
    expect(ended).toMatchObject({ cause: 'lost' });
    expect(ended?.message).toContain('Both players lost the match');
  });
});

import { readRecording, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { playLocal } from '../../client/src/match/local.js';
import { mixer, mixerInput } from '../../shared/testing/mixer.js';
import { Pair } from '../simulation/pair.js';
import { Party } from '../simulation/party.js';
import { partyGame } from '../simulation/party-game.js';

const ROUGH = { delayMs: 50, jitterMs: 8, lossRate: 0.05 };
const MINUTE_MS = 60_000;

function pairOf(frames: number) {
  const inputs = [seededBot(duel.input, 11), seededBot(duel.input, 22)] as const;
  return new Pair({ game: duel, link: ROUGH, frames, inputs, inputDelay: 2 });
}

type DuelPair = ReturnType<typeof pairOf>;

const framesOf = ({ peers }: DuelPair) => peers.map(({ session }) => session.sim!.lastFrame());
const stallsOf = ({ peers }: DuelPair) => peers.map(({ session }) => session.driver!.stalledFrames);

function expectCleanEnd({ peers, recordings }: DuelPair, frames: number): void {
  for (const { ended, session } of peers) {
    expect(ended?.cause).toBe('finished');
    expect(session.desync).toBeNull();
    expect(session.comparedFrames).toBe(frames);
  }
  for (const writer of recordings) {
    expect(verify(duel, readRecording(writer!.bytes()))).toMatchObject({ ok: true, frames });
  }
}

describe('a paused match', () => {
  it('stands for both, at frames of the same time, for as long as one wants', () => {
    const pair = pairOf(900);
    pair.run(4000);
    const [one, two] = pair.peers;
    one.session.pause(pair.clock.nowMs);
    expect(one.session.pausedBy).toBe(0);
    pair.run(500);
    expect(two.session.pausedBy).toBe(0);
    const stood = framesOf(pair);
    expect(Math.abs(stood[0]! - stood[1]!)).toBeLessThanOrEqual(4);
    const stalls = stallsOf(pair);
    const resets = pair.peers.map(({ events }) => events.length);

    pair.run(MINUTE_MS);
    expect(framesOf(pair)).toEqual(stood);
    expect(stallsOf(pair)).toEqual(stalls);
    // Nobody counts as silent: packets go on.
    expect(pair.peers.map(({ events }) => events.length)).toEqual(resets);

    one.session.resume(pair.clock.nowMs);
    pair.run(1000);
    expect(pair.peers.map(({ session }) => session.pausedBy)).toEqual([null, null]);
    expect(framesOf(pair).every((frame, me) => frame - stood[me]! > 45)).toBe(true);
    // Both went on together: neither had to wait for the other.
    for (const [me, stalled] of stallsOf(pair).entries()) expect(stalled - stalls[me]!).toBeLessThanOrEqual(3);
    pair.runToEnd(30_000);
    expectCleanEnd(pair, 900);
  });

  it('goes on when nobody has it paused any more, and only who paused ends the own pause', () => {
    const pair = pairOf(900);
    pair.run(4000);
    const [one, two] = pair.peers;
    one.session.pause(pair.clock.nowMs);
    pair.run(300);
    two.session.resume(pair.clock.nowMs);
    pair.run(300);
    expect(one.session.pausedBy).toBe(0);
    two.session.pause(pair.clock.nowMs);
    pair.run(300);
    one.session.resume(pair.clock.nowMs);
    pair.run(300);
    expect(pair.peers.map(({ session }) => session.pausedBy)).toEqual([1, 1]);
    two.session.resume(pair.clock.nowMs);
    pair.runToEnd(30_000);
    expectCleanEnd(pair, 900);
  });

  it('goes on by itself when five minutes of one player are used up, and is not paused by that player again', () => {
    const pair = pairOf(900);
    pair.run(2000);
    const [one, two] = pair.peers;
    one.session.pause(pair.clock.nowMs);
    pair.run(2 * MINUTE_MS);
    one.session.resume(pair.clock.nowMs);
    pair.run(1000);
    one.session.pause(pair.clock.nowMs);
    pair.run(3 * MINUTE_MS - 2000);
    expect(two.session.pausedBy).toBe(0);
    pair.run(3000);
    expect(pair.peers.map(({ session }) => session.pausedBy)).toEqual([null, null]);
    one.session.pause(pair.clock.nowMs);
    expect(one.session.pausedBy).toBeNull();
    two.session.pause(pair.clock.nowMs);
    expect(two.session.pausedBy).toBe(1);
    two.session.resume(pair.clock.nowMs);
    pair.runToEnd(30_000);
    expectCleanEnd(pair, 900);
  });

  it('is still paused for a page that is loaded again, and goes on when the one who paused is', () => {
    const pair = pairOf(900);
    pair.run(4000);
    pair.peers[0].session.pause(pair.clock.nowMs);
    pair.run(500);
    const stood = Math.max(...framesOf(pair));
    pair.reload(1);
    pair.run(3000);
    expect(pair.peers.map(({ session }) => session.pausedBy)).toEqual([0, 0]);
    expect(Math.max(...framesOf(pair))).toBe(stood);
    pair.reload(0);
    pair.run(3000);
    expect(pair.peers.map(({ session }) => session.pausedBy)).toEqual([null, null]);
    pair.runToEnd(30_000);
    for (const { ended, session } of pair.peers) {
      expect(ended?.cause).toBe('finished');
      expect(session.desync).toBeNull();
    }
  });

  it('keeps its pause over a connection that is lost, and its end too', () => {
    const pair = pairOf(900);
    pair.run(4000);
    const [one, two] = pair.peers;
    one.session.pause(pair.clock.nowMs);
    pair.run(500);
    pair.cut();
    pair.run(2000);
    one.session.resume(pair.clock.nowMs);
    pair.run(1000);
    expect(two.session.pausedBy).toBe(0);
    pair.setLink(ROUGH);
    pair.reconnect();
    pair.runToEnd(60_000);
    expectCleanEnd(pair, 900);
  });

  it('of four stands for all, and goes on without the one who paused when it is gone', () => {
    const party = new Party({
      game: partyGame,
      players: 4,
      link: ROUGH,
      frames: 900,
      input: (player) => seededBot(mixerInput, player + 1),
    });
    party.run(4000);
    party.peers[2]!.session.pause(party.clock.nowMs);
    party.run(1000);
    const stood = party.peers.map(({ session }) => session.sim!.lastFrame());
    party.run(20_000);
    expect(party.peers.map(({ session }) => session.sim!.lastFrame())).toEqual(stood);
    expect(party.peers.map(({ session }) => session.pausedBy)).toEqual([2, 2, 2, 2]);
    party.kill(2);
    party.runToEnd(60_000);
    for (const player of [0, 1, 3]) {
      const { ended, session } = party.peers[player]!;
      expect(ended?.cause).toBe('finished');
      expect(session.desync).toBeNull();
      expect(session.driver!.hashAt(900)).toBe(party.peers[0]!.session.driver!.hashAt(900));
    }
  });
});

describe('a paused match on one machine', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('stands, and goes on without catching up', async () => {
    const inputs = [seededBot(mixerInput, 1), seededBot(mixerInput, 2)];
    const match = playLocal(mixer, { inputs, frames: 600 });
    const heard: (number | null)[] = [];
    match.on('pause', (by) => heard.push(by));
    await vi.advanceTimersByTimeAsync(1000);
    match.pause();
    const { frame, pausedBy } = match.status();
    expect(pausedBy).toBe(0);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(match.status().frame).toBe(frame);
    match.resume();
    await vi.advanceTimersByTimeAsync(500);
    expect(match.status().frame - frame).toBeGreaterThan(25);
    expect(match.status().frame - frame).toBeLessThan(35);
    expect(heard).toEqual([0, null]);
    match.leave();
  });
});

import { defineGame, readRecording, replay, verify } from '@riposte/shared';
import { duel } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { withFault } from '../../client/src/match/fault.js';
import { Pair, type PairOptions } from '../simulation/pair.js';

type Duel = typeof duel;
type State = ReturnType<Duel['state']['create']>;
type Input = ReturnType<Duel['input']['create']>;

const ROUGH = { delayMs: 60, jitterMs: 10, lossRate: 0.05 };

const nothing = () => ({});

function duelPair(options: Partial<PairOptions<State, Input>> = {}): Pair<State, Input> {
  return new Pair<State, Input>({
    game: duel,
    link: ROUGH,
    inputs: [seededBot(duel.input, 11), seededBot(duel.input, 22)],
    ...options,
  });
}

describe('two sessions over a rough link', () => {
  it('play 1,800 frames of duel to the same end, with rollbacks, and every frame compared', () => {
    const pair = duelPair({ frames: 1800 });
    pair.runToEnd(60_000);
    const [one, two] = pair.peers;
    for (const { session, ended } of pair.peers) {
      expect(ended?.cause).toBe('finished');
      expect(session.desync).toBeNull();
      expect(session.comparedFrames).toBe(1800);
      expect(session.driver!.checker.newest).toBe(1799);
      const { rollbacks } = session.sim!.stats;
      expect(rollbacks).toBeGreaterThan(30);
      expect(rollbacks).toBeLessThanOrEqual(session.driver!.remoteInputChanges);
    }
    const hashes = new Set<number>();
    for (let frame = 60; frame <= 1800; frame += 60) {
      const hash = one.session.driver!.hashAt(frame);
      expect(two.session.driver!.hashAt(frame)).toBe(hash);
      hashes.add(hash!);
    }
    expect(hashes.size).toBe(30);
    for (const writer of pair.recordings) {
      const recording = readRecording(writer!.bytes());
      expect(verify(duel, recording)).toMatchObject({ ok: true, frames: 1800 });
    }
  });

  it('never roll back for a player who presses nothing', () => {
    const pair = duelPair({ frames: 600, inputs: [seededBot(duel.input, 11), nothing] });
    pair.runToEnd(30_000);
    expect(pair.peers[0].session.sim!.stats.rollbacks).toBe(0);
    expect(pair.peers[1].session.sim!.stats.rollbacks).toBeGreaterThan(10);
    expect(pair.peers[0].session.comparedFrames).toBe(600);
  });

  it.each([0, 1])('name the very frame when the state of player %i is altered in it', (faulty) => {
    const bad = withFault(duel, 600);
    const pair = duelPair({ frames: 900, games: faulty === 0 ? [bad, duel] : [duel, bad] });
    pair.runToEnd(60_000);
    for (const { session, ended } of pair.peers) {
      expect(session.desync).toEqual({ frame: 600 });
      expect(ended?.message).toContain('frame 600');
    }
    const [one, two] = pair.peers.map(({ session }) => session.driver!);
    expect(one!.hashAt(600)).toBe(two!.hashAt(600));
    expect(one!.hashAt(601)).not.toBe(two!.hashAt(601));
  });

  it('are level again within seconds after one machine slept for two', () => {
    const pair = duelPair({ frames: 1200 });
    pair.run(5000);
    pair.peers[0].sleep(2000);
    pair.run(2000);
    expect(pair.peers[1].events.map(({ type }) => type)).toContain('interrupted');
    const stalledBefore = pair.peers[1].session.driver!.stalledFrames;
    expect(stalledBefore).toBeGreaterThan(60);
    pair.run(3000);
    const [one, two] = pair.peers;
    expect(Math.abs(one.session.sim!.lastFrame() - two.session.sim!.lastFrame())).toBeLessThanOrEqual(2);
    expect(one.maxTicksPerDraw).toBeLessThanOrEqual(3);
    pair.runToEnd(60_000);
    expect(one.session.desync).toBeNull();
    expect(one.session.comparedFrames).toBe(1200);
  });

  it('end on both sides when the game is decided, at the same frame', () => {
    const decided = defineGame({
      ...duel,
      id: 'short',
      over: (state) => (state.fighters[0]!.hitsLanded + state.fighters[1]!.hitsLanded >= 3 ? 'enough' : undefined),
    });
    const pair = duelPair({ game: decided });
    pair.runToEnd(60_000);
    const ends = pair.peers.map(({ session }) => session.driver!.endFrame);
    expect(ends[0]).toBe(ends[1]);
    expect(ends[0]).toBeLessThan(1800);
    for (const { session } of pair.peers) expect(session.comparedFrames).toBe(ends[0]);
    const recording = readRecording(pair.recordings[0]!.bytes());
    expect(recording.frames).toBe(ends[0]);
  });

  it('reach the state that a replay of the recording reaches', () => {
    const pair = duelPair({ frames: 300 });
    pair.runToEnd(30_000);
    const recording = readRecording(pair.recordings[1]!.bytes());
    const words = new Int32Array(1);
    const inputs = Array.from({ length: 300 }, (_, frame) =>
      [0, 1].map((player) => {
        recording.inputs[player]!.read(frame, words, 0);
        const input = duel.input.create();
        duel.input.decode(words, 0, input);
        return input;
      }),
    );
    const truth = replay(duel, inputs, { seed: 7 });
    expect(duel.state.hash(truth)).toBe(pair.peers[0].session.driver!.hashAt(300));
  });
});

describe('the handshake', () => {
  it('starts both at the same moment with the same automatic delay, in two round trips, however late one opened', () => {
    const pair = duelPair({ inputDelay: 'auto', link: { delayMs: 50, jitterMs: 0, lossRate: 0 }, secondOpensMs: 300 });
    pair.run(499);
    const frames = pair.peers.map(({ session }) => session.sim?.lastFrame());
    expect(Math.abs(frames[0]! - frames[1]!)).toBeLessThanOrEqual(1);
    expect(frames[0]).toBeGreaterThan(0);
    expect(pair.peers.map(({ session }) => session.driver!.local.inputDelay)).toEqual([2, 2]);
    for (const { session } of pair.peers) expect(session.rttMs).toBeCloseTo(100, -1.5);
  });
});

describe('a handshake of which messages get lost', () => {
  it.each([1, 2, 3, 4, 5, 6])('is repeated until it is whole, when message %i never arrives', (lost) => {
    const pair = duelPair({ frames: 120, link: { delayMs: 20, jitterMs: 0, lossRate: 0 }, losesReliable: lost });
    pair.runToEnd(20_000);
    for (const { session, ended } of pair.peers) {
      expect(ended?.cause).toBe('finished');
      expect(session.comparedFrames).toBe(120);
    }
  });
});

describe('two sessions that do not fit', () => {
  const refusals: [string, Duel, Partial<Duel>, string][] = [
    ['another game', duel, { id: 'chess' }, 'different games'],
    ['another version of the game', duel, { version: 'old' }, 'different versions'],
  ];
  it.each(refusals)('refuse %s with the same words on both sides', (_name, game, other, words) => {
    const pair = duelPair({ games: [game, { ...game, ...other }] });
    pair.runToEnd(5000);
    for (const { ended } of pair.peers) {
      expect(ended?.cause).toBe('refused');
      expect(ended?.message).toContain(words);
    }
  });

  it('tell the one who stays when the other leaves, and when it falls silent', () => {
    const left = duelPair();
    left.run(3000);
    left.peers[0].session.leave();
    left.run(500);
    expect(left.peers[1].ended).toMatchObject({ cause: 'peer-left' });
    const silent = duelPair();
    silent.run(3000);
    silent.peers[0].sleep(60_000);
    silent.run(700);
    expect(silent.peers[1].events.at(-1)).toEqual({ type: 'interrupted' });
    silent.run(29_000);
    expect(silent.peers[1].ended).toBeUndefined();
    silent.run(1000);
    expect(silent.peers[1].ended).toMatchObject({ cause: 'lost' });
  });
});

describe('a session under attack', () => {
  it('drops malformed packets and messages without a change', () => {
    const pair = duelPair({ link: { delayMs: 0, jitterMs: 0, lossRate: 0 } });
    pair.run(2000);
    const { session } = pair.peers[0];
    const before = session.driver!.checker.chainOf(session.driver!.checker.newest);
    const frame = session.driver!.checker.newest;
    for (let size = 0; size < 300; size++) {
      const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 37 + size * 101) & 255);
      if (size > 0) bytes[0] = 0x20;
      session.receive(pair.clock.nowMs, 1, 'unreliable', bytes);
      session.receive(pair.clock.nowMs, 1, 'reliable', bytes);
    }
    expect(session.droppedPackets).toBeGreaterThan(500);
    expect(session.driver!.checker.chainOf(frame)).toBe(before);
    pair.run(1000);
    expect(session.desync).toBeNull();
    expect(session.comparedFrames).toBeGreaterThan(frame);
  });
});

import { describe, expect, it } from 'vitest';
import { duelPair } from '../simulation/duel-pair.js';

const steady = (delayMs: number) => ({ delayMs, jitterMs: 0, lossRate: 0 });

describe('time sync', () => {
  it('is within a frame of balance two seconds after a pause of ten frames, at 50 ms one way', () => {
    const pair = duelPair({ link: steady(50) });
    pair.run(4000);
    pair.peers[0].sleep(167);
    pair.run(167 + 2000);
    const [one, two] = pair.peers.map(({ session }) => session.sim!.lastFrame());
    expect(Math.abs(one! - two!)).toBeLessThanOrEqual(1);
    expect(pair.peers[1].session.driver!.stalledFrames).toBeLessThan(10);
  });

  it('shares the rollbacks evenly when one way takes 20 ms and the other 80', () => {
    const pair = duelPair({ links: [steady(20), steady(80)] });
    pair.run(5000);
    const start = pair.peers.map(({ session }) => session.sim!.stats);
    pair.run(60_000);
    const depths = pair.peers.map(({ session }, player) => {
      const { rollbacks, resimulatedFrames } = session.sim!.stats;
      expect(rollbacks - start[player]!.rollbacks).toBeGreaterThan(300);
      return (resimulatedFrames - start[player]!.resimulatedFrames) / (rollbacks - start[player]!.rollbacks);
    });
    expect(Math.abs(depths[0]! - depths[1]!)).toBeLessThan(0.5);
  });

  it('does not share out a player’s own input delay', () => {
    const pair = duelPair({ link: steady(40), inputDelays: [0, 6] });
    pair.run(10_000);
    const [one, two] = pair.peers.map(({ session }) => session.sim!.lastFrame());
    expect(Math.abs(one! - two!)).toBeLessThanOrEqual(1);
  });

  it.each([0, 1])(
    'follows player %i’s machine, which makes only 55 frames a second, without stalls after three seconds',
    (slow) => {
      const pair = duelPair({ link: steady(50), ticksPerSecond: slow === 0 ? [55, 60] : [60, 55] });
      pair.run(3000);
      const stalled = pair.peers.map(({ session }) => session.driver!.stalledFrames);
      const frames = pair.peers.map(({ session }) => session.sim!.lastFrame());
      pair.run(20_000);
      for (const [player, { session }] of pair.peers.entries()) {
        expect(session.driver!.stalledFrames).toBe(stalled[player]);
        expect((session.sim!.lastFrame() - frames[player]!) / 20).toBeCloseTo(55, -0.5);
        expect(session.running!.slowMachine).toBe(player === slow ? 'own' : 'peer');
      }
    },
  );

  it('calls no machine slow, and plays sixty frames a second, on a screen that draws 55', () => {
    const pair = duelPair({ link: steady(50), drawsPerSecond: [55, 60] });
    pair.run(3000);
    const frame = pair.peers[0].session.sim!.lastFrame();
    pair.run(20_000);
    expect((pair.peers[0].session.sim!.lastFrame() - frame) / 20).toBeCloseTo(60, -0.3);
    for (const { session } of pair.peers) expect(session.running!.slowMachine).toBeNull();
  });

  it('forgets that a machine was slow once it keeps up again', () => {
    const pair = duelPair({ link: steady(30), ticksPerSecond: [50, 60] });
    pair.run(6000);
    expect(pair.peers.map(({ session }) => session.running!.slowMachine)).toEqual(['own', 'peer']);
    pair.peers[0].ticksPerSecondMax = Number.POSITIVE_INFINITY;
    pair.run(6000);
    expect(pair.peers.map(({ session }) => session.running!.slowMachine)).toEqual([null, null]);
    const frame = pair.peers[0].session.sim!.lastFrame();
    pair.run(10_000);
    expect((pair.peers[0].session.sim!.lastFrame() - frame) / 10).toBeCloseTo(60, -0.3);
  });
});

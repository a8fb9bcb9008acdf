import { type PeerComparison, RollbackSim, readRecording, verify } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { seededBot } from '../../client/src/input/bot.js';
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import { PeerEndpoint } from '../../client/src/session/peer-endpoint.js';
import { RollbackDriver } from '../../client/src/session/rollback-driver.js';
import { mixer, mixerInput } from '../../shared/testing/mixer.js';
import { AuthorityWorld } from '../simulation/authority-world.js';
import { Luck } from '../simulation/luck.js';

/** A week at 60 Hz has 36,288,000 frames: a little later, where the frames' sixteen bits on the wire come round again. */
const WEEK = 554 * 65_536 - 500;

/** The state that a week of play might have led to. */
function weekOld(): ReturnType<typeof mixer.state.create> {
  const state = mixer.state.create();
  state.hash = 0x9e3779b1;
  state.counts[1] = 60_000;
  return state;
}

describe('a match that is a week old', () => {
  it('goes on between two peers over a rough link, with every frame compared', () => {
    const luck = new Luck(3, 0);
    const agreed = {
      seed: 7,
      settings: {},
      names: ['Ada', 'Bo'],
      inputDelays: [1, 1],
      frames: Number.POSITIVE_INFINITY,
    };
    const recording = matchRecording(mixer, 0, { ...agreed, firstFrame: WEEK }, undefined, 'simulation');
    const underWay: { readonly tick: number; readonly to: number; readonly packet: Uint8Array }[] = [];
    const sides = [0, 1].map((me) => {
      const sim = new RollbackSim(mixer, { maxPrediction: 10 });
      sim.reconcile(WEEK, weekOld(), new Int32Array(2));
      const driver = new RollbackDriver(sim, { me, inputDelay: 1, ...(me === 0 && { recording }) });
      const comparison: PeerComparison = driver.checker.against();
      const endpoint = new PeerEndpoint(1 - me, driver, comparison, new Int32Array(2).fill(2 ** 31 - 1));
      endpoint.acknowledgedThrough(WEEK - 1);
      return { sim, driver, comparison, endpoint, bot: seededBot(mixerInput, 40 + me) };
    });
    const words = new Int32Array(1);
    for (let tick = 0; tick < 1500; tick++) {
      const nowMs = (tick * 1000) / 60;
      for (const { to, packet } of underWay.filter((each) => each.tick === tick)) {
        expect(sides[to]!.endpoint.receive(nowMs, packet, 0)).toBe('taken');
      }
      for (const [me, { driver, endpoint, bot }] of sides.entries()) {
        mixerInput.encode(bot(), words, 0);
        driver.tick(words);
        const packet = endpoint.encode(nowMs, 1, 0).slice();
        if (!luck.chance(0.1)) underWay.push({ tick: tick + 3 + luck.below(4), to: 1 - me, packet });
      }
    }
    for (const { sim, comparison, endpoint } of sides) {
      expect(sim.confirmedFrame).toBeGreaterThan(WEEK + 1400);
      expect(comparison.comparedThrough).toBeGreaterThan(WEEK + 1350);
      expect(sim.stats.rollbacks).toBeGreaterThan(100);
      expect(endpoint.rtt.percentile(0.5)).toBeGreaterThan(90);
    }
    const frame = Math.min(...sides.map(({ sim }) => sim.confirmedFrame));
    expect(sides[0]!.sim.hashAt(frame)).toBe(sides[1]!.sim.hashAt(frame));
    recording.end('over');
    expect(verify(mixer, readRecording(recording.bytes()))).toMatchObject({ ok: true, firstFrame: WEEK });
  });

  it('goes on against an authority, and takes players in', () => {
    const world = new AuthorityWorld({
      game: mixer,
      inputs: [seededBot(mixerInput, 3), seededBot(mixerInput, 4)],
      links: [{ delayMs: 60, jitterMs: 10, lossRate: 0.1 }],
      authority: { record: undefined },
    });
    world.authority.sim.reconcile(WEEK, weekOld());
    world.run(20_000);
    expect(world.authority.frame).toBeGreaterThan(WEEK + 1000);
    for (const { session, recording } of world.clients) {
      expect(session.sim!.lastFrame()).toBeGreaterThan(world.authority.frame);
      expect(session.sim!.hashAt(session.authorityFrame)).toBe(world.authority.sim.hashAt(session.authorityFrame));
      expect(session.figures).toMatchObject({ divergences: 0, statesTaken: 1 });
      expect(session.meter!.corrections.count).toBeGreaterThan(100);
      const recorded = readRecording(recording!.bytes());
      expect(verify(mixer, recorded)).toMatchObject({ ok: true });
      expect(recorded.firstFrame).toBeGreaterThanOrEqual(WEEK);
    }
  });
});

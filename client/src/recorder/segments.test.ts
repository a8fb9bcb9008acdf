import { RollbackSim, readRecording } from '@riposte/shared';
import { race } from '@riposte/shared/games';
import { describe, expect, it } from 'vitest';
import { matchRecording } from './match-recording.js';
import { Segments } from './segments.js';

const agreed = { seed: 1, settings: {}, names: ['Ada', 'Bo'], inputDelays: [0, 0], frames: Number.POSITIVE_INFINITY };

/** Keeps segments as a store does: the last one with a number stays. */
function store() {
  const kept = new Map<number, Uint8Array>();
  return {
    put: (segments: Segments): number => {
      const changed = segments.take();
      for (const { index, bytes } of changed) kept.set(index, bytes);
      return changed.reduce((sum, { bytes }) => sum + bytes.length, 0);
    },
    bytes: () => Buffer.concat([...kept].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)),
    count: () => kept.size,
  };
}

describe('a recording in segments', () => {
  it('is the whole file at any time, up to the last frame, and complete at its end', () => {
    const writer = matchRecording(race, 0, agreed, undefined, 'test');
    const segments = new Segments(writer);
    const kept = store();
    const words = new Int32Array(2);
    let written = 0;
    for (let frame = 0; frame < 20_000; frame++) {
      words[0] = (frame >> 3) & 1;
      if (frame % 7 === 0) writer.events.rollback(frame, 1, frame);
      writer.frame(words, frame);
      if (frame % 24 !== 5) continue;
      written += kept.put(segments);
      if (frame % 999 < 24) expect(readRecording(kept.bytes())).toMatchObject({ frames: frame + 1, truncated: true });
    }
    writer.end('finished');
    kept.put(segments);
    expect(segments.isDone).toBe(true);
    expect(kept.bytes().equals(writer.bytes())).toBe(true);
    expect(segments.length).toBe(writer.bytes().length);
    expect(readRecording(kept.bytes())).toMatchObject({ frames: 20_000, complete: true });
    expect(kept.count()).toBeGreaterThan(2);
    // Half of a segment each time, and not the whole file.
    expect(written / 833).toBeLessThan(40_000);
    expect(segments.take()).toEqual([]);
  });

  it('has every final frame of a match that stands', () => {
    const writer = matchRecording(race, 0, agreed, undefined, 'test');
    const segments = new Segments(writer);
    const sim = new RollbackSim(race, { seed: 1 });
    const recorder = writer.recorderOf(sim);
    const kept = store();
    for (const frames of [3, 25, 28]) {
      while (sim.lastFrame() + 1 < frames) {
        sim.predictStep({ 0: { right: true }, 1: {} });
        recorder.finalBefore(sim.lastFrame() + 1);
      }
      kept.put(segments);
      expect(readRecording(kept.bytes()).frames).toBe(frames);
      expect(kept.put(segments)).toBe(0);
    }
  });

  it('writes nothing while nothing is recorded', () => {
    const writer = matchRecording(race, 0, agreed, undefined, 'test');
    const segments = new Segments(writer);
    expect(segments.take()).toHaveLength(1);
    expect(segments.take()).toEqual([]);
  });
});

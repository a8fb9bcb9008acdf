import { describe, expect, it } from 'vitest';
import { press } from './keys.js';
import { Lab } from './lab.js';
import { presets } from './presets.js';

/** A lab and a page that draws 60 times a second. */
function opened(): { lab: Lab; run: (seconds: number) => void; heads: () => number[] } {
  let nowMs = 0;
  const lab = new Lab(() => nowMs);
  return {
    lab,
    run(seconds) {
      const endMs = nowMs + seconds * 1000;
      while (nowMs < endMs) {
        nowMs += 1000 / 60;
        lab.frame(nowMs);
      }
    },
    heads: () => lab.live.experiment.sides.map(({ trace }) => trace.head),
  };
}

describe('the lab', () => {
  it('goes as fast as its speed says', () => {
    const { lab, run, heads } = opened();
    run(2);
    for (const [speed, frames] of [
      [1, 60],
      [0.25, 15],
      [0.1, 6],
    ] as const) {
      lab.setSpeed(speed);
      const [before] = heads();
      run(1);
      expect(Math.abs(heads()[0]! - before! - frames)).toBeLessThanOrEqual(2);
    }
  });

  it('stands while it is paused, and goes on by one frame with a step', () => {
    const { lab, run, heads } = opened();
    run(2);
    lab.pause(true);
    const before = heads();
    run(1);
    expect(heads()).toEqual(before);
    for (let step = 0; step < 10; step++) lab.step();
    for (const [side, head] of heads().entries()) expect(Math.abs(head - before[side]! - 10)).toBeLessThanOrEqual(1);
    expect(lab.view.isPaused).toBe(true);
  });

  it('does not make up for a page that was away', () => {
    const { lab, run, heads } = opened();
    run(2);
    const [before] = heads();
    lab.frame(60_000);
    expect(heads()[0]! - before!).toBeLessThanOrEqual(8);
  });

  it('takes a preset, and knows when it is none any more', () => {
    const { lab, run } = opened();
    for (const [at, { id }] of presets.entries()) {
      expect(press(lab, String(at + 1))).toBe(true);
      expect(lab.preset).toBe(id);
      run(0.5);
    }
    lab.setLink({ delayMs: 123 });
    expect(lab.preset).toBeNull();
  });

  it('begins another match with another mode, game or window, and keeps the link', () => {
    const { lab, run } = opened();
    press(lab, '4');
    for (const change of [{ mode: 'authority' }, { game: 'race' }, { mode: 'peers' }, { window: 4 }] as const) {
      const before = lab.view.match;
      lab.restart(change);
      run(3);
      expect(lab.view).toMatchObject({ ...change, match: before + 1 });
      expect(lab.preset).toBe('4g');
      const { sides, mode, finding } = lab.live.experiment;
      expect(mode).toBe(lab.view.mode);
      expect(finding).toBeNull();
      for (const { phase, trace } of sides) {
        expect(phase).toBe('running');
        expect(trace.confirmed).toBeGreaterThan(60);
      }
    }
    expect(lab.live.experiment.players[0].measures(0)?.window).toBe(4);
  });

  it('plots half a minute at most, and deeper rollbacks as the delay goes up', () => {
    const { lab, run } = opened();
    lab.setLink(presets[0]!.link);
    run(40);
    const [one] = lab.plots.players;
    expect(lab.plots.seconds.length).toBe(120);
    const calm = Math.max(...one.depth.map((depth) => depth ?? 0));
    lab.setLink({ delayMs: 90 });
    run(10);
    expect(Math.max(...one.depth.map((depth) => depth ?? 0))).toBeGreaterThan(calm + 2);
    expect(one.rttMs.at(-1)).toBeGreaterThan(170);
    expect(one.costUs.length).toBe(120);
  });

  it('tells its page of every change', () => {
    const { lab } = opened();
    let told = 0;
    const stop = lab.listen(() => told++);
    for (const key of ['p', 'm', 'o', 'x', 'r', '2', 'N']) expect(press(lab, key)).toBe(true);
    expect(told).toBeGreaterThanOrEqual(6);
    expect(press(lab, 'z')).toBe(false);
    stop();
    const before = told;
    press(lab, 'p');
    expect(told).toBe(before);
  });
});

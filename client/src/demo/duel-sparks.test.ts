import type { EffectEvent } from '@riposte/shared';
import { describe, expect, it } from 'vitest';
import { Sparks } from './duel-sparks.js';

let newest = 0;

function started(kind: string, player: number): EffectEvent {
  return { kind, data: { player }, frame: 10, key: player, id: ++newest, phase: 'start' };
}

/** How many paths a fighter's sparks take at a moment. */
function pathsOf(sparks: Sparks, player: 0 | 1, nowMs: number): number {
  let paths = 0;
  // Whatever is called on it is allowed; only the paths are counted.
  const context = new Proxy({} as CanvasRenderingContext2D, {
    get: (_target, name) => () => {
      if (name === 'beginPath') paths++;
    },
    set: () => true,
  });
  sparks.draw(context, player, { chestX: 0, chestY: 900 }, nowMs, false);
  return paths;
}

describe('the sparks of a duel', () => {
  it('are seen at the fighter whom they are of, from their start for a while', () => {
    const sparks = new Sparks();
    sparks.hear(started('hit', 1), 1000);
    expect(pathsOf(sparks, 1, 1050)).toBeGreaterThan(0);
    expect(pathsOf(sparks, 0, 1050)).toBe(0);
    expect(pathsOf(sparks, 1, 3000)).toBe(0);
  });

  it('are gone when they are cancelled, and stay when they are final', () => {
    const sparks = new Sparks();
    const hit = started('hit', 0);
    const parry = started('parry', 0);
    sparks.hear(hit, 1000);
    sparks.hear(parry, 1000);
    sparks.hear({ ...hit, phase: 'final' }, 1010);
    sparks.hear({ ...parry, phase: 'cancel' }, 1010);
    expect(sparks.parries(0, 1020)).toBe(false);
    expect(pathsOf(sparks, 0, 1020)).toBeGreaterThan(0);
  });

  it('are not made of what is only heard, or of nobody', () => {
    const sparks = new Sparks();
    sparks.hear(started('step', 0), 1000);
    sparks.hear(started('hit', 7), 1000);
    sparks.hear({ ...started('hit', 0), data: undefined }, 1000);
    expect(pathsOf(sparks, 0, 1010)).toBe(0);
  });

  it('are few at a time, whatever is told', () => {
    const sparks = new Sparks();
    sparks.hear(started('clash', 0), 1000);
    const one = pathsOf(sparks, 0, 1010);
    for (let more = 0; more < 1000; more++) sparks.hear(started('clash', 0), 1000);
    expect(pathsOf(sparks, 0, 1010)).toBeLessThanOrEqual(16 * one);
  });
});

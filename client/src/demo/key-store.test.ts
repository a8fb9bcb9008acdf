import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pairDuelKeys, soloDuelKeys } from '../input/bindings.js';
import { keyboard } from '../input/keyboard.js';
import { KeyStore } from './key-store.js';

const ACTIONS = {
  left: 'Walk left',
  right: 'Walk right',
  light: 'Light attack',
  heavy: 'Heavy',
  block: 'Guard',
  dash: 'Dash',
};
const LIGHT = 2;
const HEAVY = 3;

const solo = () => new KeyStore('test.solo', ACTIONS, [{ title: 'You', keys: soloDuelKeys }]);
const pair = () =>
  new KeyStore('test.pair', ACTIONS, [
    { title: 'Left player', keys: pairDuelKeys[0] },
    { title: 'Right player', keys: pairDuelKeys[1] },
  ]);

describe('the keys of a game', () => {
  let kept: Map<string, string>;

  beforeEach(() => {
    kept = new Map();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('are changed one by one and remembered', () => {
    const keys = solo();
    expect(keys.isChanged).toBe(false);
    expect(keys.rebind(0, LIGHT, 'Comma')).toBeNull();
    expect(keys.legend(0)[LIGHT]).toEqual({ action: 'Light attack', keys: 'Comma' });
    const again = solo();
    expect(again.isChanged).toBe(true);
    expect(again.bindings(0)).toEqual({ ...keys.bindings(0) });
    expect(again.bindings(0).light).toEqual(['Comma']);
    expect(again.bindings(0).heavy).toEqual(['KeyK', 'KeyG']);
  });

  it('that something else has already are refused in words, and nothing changes', () => {
    const keys = pair();
    const before = structuredClone(keys.bindings(0));
    expect(keys.rebind(0, LIGHT, 'KeyG')).toMatch(/^G is “Heavy” already/);
    expect(keys.rebind(0, LIGHT, 'ArrowDown')).toMatch(/^↓ is “Guard” of the right player already/);
    expect(keys.rebind(0, LIGHT, 'Escape')).toMatch(/^Escape is a key of the page/);
    expect(keys.rebind(0, LIGHT, 'ControlLeft')).toMatch(/key of the page or the browser/);
    expect(keys.rebind(0, LIGHT, '')).toMatch(/does not say which key/);
    expect(keys.bindings(0)).toEqual(before);
    expect(kept.size).toBe(0);
  });

  it('may be pressed again for what they do already, and are free once they are given up', () => {
    const keys = solo();
    expect(keys.rebind(0, LIGHT, 'KeyJ')).toBeNull();
    expect(keys.bindings(0).light).toEqual(['KeyJ']);
    expect(keys.rebind(0, HEAVY, 'KeyF')).toBeNull();
    expect(keys.bindings(0).heavy).toEqual(['KeyF']);
  });

  it('are those of the game again after a reset', () => {
    const keys = pair();
    keys.rebind(1, LIGHT, 'Period');
    keys.reset();
    expect(keys.isChanged).toBe(false);
    expect(keys.bindings(1).light).toEqual(['KeyK', 'Numpad1']);
    expect(kept.size).toBe(0);
  });

  it('are never twice the same, whatever is pressed', () => {
    const keys = pair();
    const codes = ['KeyA', 'KeyD', 'KeyF', 'KeyQ', 'ArrowUp', 'Numpad1', 'Numpad3', 'Space', 'KeyK'];
    for (let press = 0; press < 300; press++) {
      keys.rebind(press % 2, (press * 7) % 6, codes[(press * 5 + (press >> 3)) % codes.length]!);
    }
    const all = [0, 1].flatMap((player) => Object.values(keys.bindings(player)).flat());
    expect(new Set(all).size).toBe(all.length);
    const target = { addEventListener: () => {}, removeEventListener: () => {} };
    for (const player of [0, 1]) expect(() => keyboard(keys.bindings(player), target)).not.toThrow();
  });

  it('that were stored damaged, or for another game, are not taken', () => {
    const fits = [{ ...soloDuelKeys, dash: ['Space'] }];
    for (const [text, isTaken] of [
      [JSON.stringify(fits), true],
      ['{', false],
      ['null', false],
      [JSON.stringify([]), false],
      [JSON.stringify([{ left: ['KeyA'] }]), false],
      [JSON.stringify([{ ...soloDuelKeys, dash: [] }]), false],
      [JSON.stringify([{ ...soloDuelKeys, dash: ['KeyJ'] }]), false],
      [JSON.stringify([{ ...soloDuelKeys, dash: ['Escape'] }]), false],
      [JSON.stringify([{ ...soloDuelKeys, dash: [7] }]), false],
    ] as const) {
      kept.set('riposte.keys.test.solo', text);
      expect(solo().isChanged, text).toBe(isTaken);
    }
  });

  it('are the game’s own in a browser that keeps nothing', () => {
    vi.stubGlobal('localStorage', undefined);
    const keys = solo();
    expect(keys.rebind(0, LIGHT, 'Comma')).toBeNull();
    expect(solo().isChanged).toBe(false);
  });
});

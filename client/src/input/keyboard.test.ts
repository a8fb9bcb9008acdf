import { describe, expect, it } from 'vitest';
import { pairDuelKeys, pairRaceKeys } from './bindings.js';
import { type KeyBindings, type KeyboardTarget, keyboard } from './keyboard.js';

class FakeKeyboard implements KeyboardTarget {
  readonly #listeners = new Map<string, Set<(event: KeyboardEvent) => void>>();

  addEventListener(type: string, listener: (event: KeyboardEvent) => void): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: (event: KeyboardEvent) => void): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Sends an event; returns whether its default was prevented. */
  send(type: string, code = '', more: Record<string, unknown> = {}): boolean {
    let prevented = false;
    const event = { code, target: null, preventDefault: () => (prevented = true), ...more };
    // The listeners read only these members of a real event.
    for (const listener of this.#listeners.get(type) ?? []) listener(event as unknown as KeyboardEvent);
    return prevented;
  }
}

function setUp() {
  const keys = new FakeKeyboard();
  return { keys, source: keyboard({ left: 'ArrowLeft', right: ['ArrowRight', 'KeyD'] }, keys) };
}

describe('the keyboard', () => {
  it('holds a button while one of its keys is down', () => {
    const { keys, source } = setUp();
    expect({ ...source() }).toEqual({ left: false, right: false });
    keys.send('keydown', 'ArrowRight');
    keys.send('keydown', 'KeyD');
    keys.send('keyup', 'ArrowRight');
    source();
    expect(source().right).toBe(true);
    keys.send('keyup', 'KeyD');
    expect(source().right).toBe(false);
  });

  it('lets a press shorter than a tick count for one tick', () => {
    const { keys, source } = setUp();
    keys.send('keydown', 'ArrowLeft');
    keys.send('keyup', 'ArrowLeft');
    expect(source().left).toBe(true);
    expect(source().left).toBe(false);
  });

  it('lets everything go when Command comes up: a Mac does not tell of keys that came up before it', () => {
    const { keys, source } = setUp();
    keys.send('keydown', 'ArrowLeft');
    source();
    keys.send('keydown', 'MetaLeft', { key: 'Meta', metaKey: true });
    expect(source().left).toBe(true);
    keys.send('keyup', 'MetaLeft', { key: 'Meta' });
    expect(source().left).toBe(false);
  });

  it('keeps its own keys from the page, and no others', () => {
    const { keys } = setUp();
    expect(keys.send('keydown', 'ArrowLeft')).toBe(true);
    expect(keys.send('keydown', 'ArrowLeft', { repeat: true })).toBe(true);
    expect(keys.send('keydown', 'Tab')).toBe(false);
    expect(keys.send('keydown', 'KeyD', { ctrlKey: true })).toBe(false);
  });

  it('leaves Space to a focused button, whatever it is bound to', () => {
    const keys = new FakeKeyboard();
    const source = keyboard({ dash: 'Space' }, keys);
    expect(keys.send('keydown', 'Space', { target: { tagName: 'BUTTON' } })).toBe(false);
    expect(source().dash).toBe(false);
    expect(keys.send('keydown', 'Space', { target: { tagName: 'CANVAS' } })).toBe(true);
    expect(source().dash).toBe(true);
  });

  it('leaves keys alone that are typed into a text field', () => {
    const { keys, source } = setUp();
    for (const target of [
      { tagName: 'INPUT', type: 'text' },
      { tagName: 'TEXTAREA' },
      { tagName: 'DIV', isContentEditable: true },
    ]) {
      expect(keys.send('keydown', 'KeyD', { target })).toBe(false);
      expect(source().right).toBe(false);
    }
    expect(keys.send('keydown', 'KeyD', { target: { tagName: 'BUTTON' } })).toBe(true);
  });

  it('lets everything go when the window loses the focus', () => {
    const { keys, source } = setUp();
    keys.send('keydown', 'KeyD');
    keys.send('blur');
    expect(source().right).toBe(false);
  });

  it('hears nothing once it is disposed of', () => {
    const { keys, source } = setUp();
    keys.send('keydown', 'ArrowLeft');
    source.dispose();
    keys.send('keydown', 'KeyD');
    expect({ ...source() }).toEqual({ left: false, right: false });
  });

  it('refuses a key that is bound twice', () => {
    expect(() => keyboard({ left: 'KeyA', right: ['KeyD', 'KeyA'] }, new FakeKeyboard())).toThrow(/KeyA.*two buttons/);
  });

  it('gives two players on one keyboard no key in common', () => {
    for (const pair of [pairDuelKeys, pairRaceKeys]) {
      const codes = pair.flatMap((keys: KeyBindings<string>) => Object.values(keys).flat());
      expect(new Set(codes).size).toBe(codes.length);
    }
  });
});

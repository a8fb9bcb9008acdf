import { describe, expect, it } from 'vitest';
import { gamepad, type PadBindings, type PadState } from './gamepad.js';

/** A pad at rest, with these buttons pressed and axes moved. */
function padAt(index: number, pressed: readonly number[] = [], axes: readonly number[] = [0, 0, 0, 0]): PadState {
  const buttons = Array.from({ length: 17 }, (_, button) => ({
    pressed: pressed.includes(button),
    value: pressed.includes(button) ? 1 : 0,
  }));
  return { index, connected: true, mapping: 'standard', axes, buttons };
}

const BINDINGS = {
  left: ['left', 'leftStickLeft'],
  right: ['right', 'leftStickRight'],
  jump: 'south',
} as const satisfies PadBindings<string>;

/** A source over pads that the test exchanges at will. */
function setUp(options: { pad?: number; deadZone?: number } = {}, first: readonly (PadState | null)[] = []) {
  const slots = { pads: first };
  return { slots, source: gamepad(BINDINGS, { ...options, pads: () => slots.pads }) };
}

describe('a gamepad', () => {
  it('holds a button while one of its controls is pressed', () => {
    const { slots, source } = setUp({}, [padAt(0, [0, 14])]);
    expect({ ...source() }).toEqual({ left: true, right: false, jump: true });
    slots.pads = [padAt(0, [15])];
    expect({ ...source() }).toEqual({ left: false, right: true, jump: false });
  });

  it('reads a stick as two buttons, beyond its dead zone only', () => {
    const { slots, source } = setUp({ deadZone: 0.5 });
    for (const [x, expected] of [
      [-1, { left: true, right: false }],
      [-0.5, { left: false, right: false }],
      [0.49, { left: false, right: false }],
      [0.51, { left: false, right: true }],
    ] as const) {
      slots.pads = [padAt(0, [], [x, 0, 0, 0])];
      expect(source()).toMatchObject(expected);
    }
  });

  it('counts a half-pulled trigger that the browser does not call pressed', () => {
    const pull = (value: number): PadState => {
      const pad = padAt(0);
      return { ...pad, buttons: pad.buttons.map((button, at) => (at === 7 ? { pressed: false, value } : button)) };
    };
    const heavy = (value: number) => gamepad({ heavy: 'rightTrigger' }, { pads: () => [pull(value)] })().heavy;
    expect([heavy(0.2), heavy(0.6)]).toEqual([false, true]);
  });

  it('may come and go while the match runs', () => {
    const { slots, source } = setUp();
    expect(source().jump).toBe(false);
    slots.pads = [null, padAt(1, [0])];
    expect(source().jump).toBe(true);
    slots.pads = [null, { ...padAt(1, [0]), connected: false }];
    expect(source().jump).toBe(false);
    slots.pads = [padAt(0, [0]), null];
    expect(source().jump).toBe(true);
  });

  it('of the second player is the second pad, and stays it when the first is unplugged', () => {
    const slots: { pads: readonly (PadState | null)[] } = { pads: [padAt(0), null, padAt(2)] };
    const [one, two] = [0, 1].map((pad) => gamepad(BINDINGS, { pad, pads: () => slots.pads }));
    expect([one!().jump, two!().jump]).toEqual([false, false]);
    slots.pads = [null, null, padAt(2, [0])];
    expect([one!().jump, two!().jump]).toEqual([false, true]);
    slots.pads = [padAt(0, [0]), null, padAt(2)];
    expect([one!().jump, two!().jump]).toEqual([true, false]);
  });

  it('that the browser cannot map is left alone', () => {
    const { source } = setUp({}, [{ ...padAt(0, [0]), mapping: '' }]);
    expect(source().jump).toBe(false);
  });

  it('with fewer buttons and axes than the standard presses what it has', () => {
    const { source } = setUp({}, [{ ...padAt(0, [0]), axes: [], buttons: [{ pressed: true, value: 1 }] }]);
    expect({ ...source() }).toEqual({ left: false, right: false, jump: true });
  });

  it('is silent where the browser has none', () => {
    expect(gamepad({ jump: 'south' })().jump).toBe(false);
  });

  it('refuses a dead zone and a control that cannot be', () => {
    for (const deadZone of [0, 1, Number.NaN]) {
      expect(() => gamepad({ jump: 'south' }, { deadZone })).toThrow(/deadZone is .*; expected/);
    }
    // As a page without types may write it.
    const bindings = JSON.parse('{ "jump": "a" }');
    expect(() => gamepad(bindings)).toThrow(/a gamepad has no a; expected one of south, east/);
  });
});

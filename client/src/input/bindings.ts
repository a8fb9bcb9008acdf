import type { DuelInput } from '@riposte/shared/games';
import type { PadBindings } from './gamepad.js';
import type { KeyBindings } from './keyboard.js';

/** One person, the whole keyboard: arrows or WASD, attacks in reach of the other hand of either. */
export const soloDuelKeys = {
  left: ['ArrowLeft', 'KeyA'],
  right: ['ArrowRight', 'KeyD'],
  block: ['ArrowDown', 'KeyS'],
  dash: ['ArrowUp', 'KeyW', 'Space'],
  light: ['KeyJ', 'KeyF'],
  heavy: ['KeyK', 'KeyG'],
} as const satisfies KeyBindings<keyof DuelInput>;

/** Two people on one keyboard: the left one's keys, the right one's keys; no key in common. */
export const pairDuelKeys = [
  { left: 'KeyA', right: 'KeyD', block: 'KeyS', dash: 'KeyW', light: 'KeyF', heavy: 'KeyG' },
  {
    left: 'ArrowLeft',
    right: 'ArrowRight',
    block: 'ArrowDown',
    dash: 'ArrowUp',
    light: ['KeyK', 'Numpad1'],
    heavy: ['KeyL', 'Numpad2'],
  },
] as const satisfies readonly KeyBindings<keyof DuelInput>[];

export const duelPad = {
  left: ['left', 'leftStickLeft'],
  right: ['right', 'leftStickRight'],
  light: 'west',
  heavy: 'north',
  block: ['rightBumper', 'rightTrigger', 'east'],
  dash: ['south', 'leftBumper'],
} as const satisfies PadBindings<keyof DuelInput>;

export const soloRaceKeys = { right: ['ArrowRight', 'KeyD', 'Space'] } as const;

export const pairRaceKeys = [{ right: 'KeyD' }, { right: 'ArrowRight' }] as const;

export const racePad = { right: ['south', 'rightTrigger'] } as const satisfies PadBindings<'right'>;

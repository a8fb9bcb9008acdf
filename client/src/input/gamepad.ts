import { RiposteError } from '@riposte/shared';

/** The buttons of the W3C's standard gamepad by where they are, in its order. */
const BUTTONS = [
  'south',
  'east',
  'west',
  'north',
  'leftBumper',
  'rightBumper',
  'leftTrigger',
  'rightTrigger',
  'select',
  'start',
  'leftStick',
  'rightStick',
  'up',
  'down',
  'left',
  'right',
  'home',
] as const;

/** The ways of the two sticks: axis of the standard gamepad, and direction on it. */
const STICKS = {
  leftStickLeft: [0, -1],
  leftStickRight: [0, 1],
  leftStickUp: [1, -1],
  leftStickDown: [1, 1],
  rightStickLeft: [2, -1],
  rightStickRight: [2, 1],
  rightStickUp: [3, -1],
  rightStickDown: [3, 1],
} as const;

/**
 * A button of a gamepad by its place, such as `south` for A on an Xbox and × on a PlayStation pad, a way of the
 * directional pad (`left`), or a way of a stick (`leftStickLeft`).
 */
export type PadControl = (typeof BUTTONS)[number] | keyof typeof STICKS;

/** Which controls of a gamepad hold which button down. */
export type PadBindings<N extends string> = { readonly [name in N]: PadControl | readonly PadControl[] };

/** What is read of a gamepad. */
export interface PadState {
  readonly index: number;
  readonly connected: boolean;
  readonly mapping: string;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

export interface GamepadOptions {
  /**
   * Which of the connected pads is read, from 0, for several players on one machine. The pad that is first found stays
   * this player's: unplugged it presses nothing, plugged in again it goes on. Without it every pad counts.
   */
  readonly pad?: number;
  /** How far a stick or an analogue trigger is moved before it counts, above 0 and below 1; 0.4 by default. */
  readonly deadZone?: number;
  /** Where the pads are: the browser's own by default. */
  readonly pads?: () => readonly (PadState | null)[];
}

/** Sticks rest within about a fifth of their way; a way half pressed is meant. */
const DEAD_ZONE = 0.4;

/**
 * An input source that reads gamepads: `gamepad({ right: ['right', 'leftStickRight'], jump: 'south' })`. Pads may come and
 * go at any time; those that the browser cannot map to the standard layout are left alone, and where there are no gamepads,
 * as on pages over plain http in some browsers, nothing is held. Together with keys: `eitherOf(names, keyboard(...), gamepad(...))`.
 * Throws `bad-argument` for a control that does not exist or a dead zone out of range.
 */
export function gamepad<N extends string>(
  bindings: PadBindings<N>,
  { pad, deadZone = DEAD_ZONE, pads = browserPads }: GamepadOptions = {},
): () => Readonly<Record<N, boolean>> {
  if (!(deadZone > 0 && deadZone < 1)) {
    throw new RiposteError('bad-argument', `deadZone is ${deadZone}; expected a number above 0 and below 1`);
  }
  // Callers write the bindings as a literal: its keys are N.
  const names = Object.keys(bindings) as N[];
  const readers = names.map((name) => {
    const controls: PadControl | readonly PadControl[] = bindings[name];
    return (typeof controls === 'string' ? [controls] : controls).map((control) => readerOf(control, deadZone));
  });
  // Complete at once: every name gets its entry.
  const input = Object.fromEntries(names.map((name) => [name, false])) as Record<N, boolean>;
  /** The place in the browser's list that this player's pad has. */
  let place: number | undefined;

  return () => {
    for (const name of names) input[name] = false;
    const all = pads();
    if (pad !== undefined) place ??= placeOf(all, pad);
    for (const each of all) {
      if (!isUsable(each) || (pad !== undefined && each.index !== place)) continue;
      for (let at = 0; at < names.length; at++) {
        if (readers[at]!.some((isHeld) => isHeld(each))) input[names[at]!] = true;
      }
    }
    return input;
  };
}

function readerOf(control: PadControl, deadZone: number): (pad: PadState) => boolean {
  if (isStickWay(control)) {
    const [axis, way] = STICKS[control];
    return ({ axes }) => (axes[axis] ?? 0) * way > deadZone;
  }
  const index = BUTTONS.indexOf(control);
  if (index < 0) {
    const known = [...BUTTONS, ...Object.keys(STICKS)].join(', ');
    throw new RiposteError('bad-argument', `a gamepad has no ${String(control)}; expected one of ${known}`);
  }
  return ({ buttons }) => {
    const button = buttons[index];
    return button !== undefined && (button.pressed || button.value > deadZone);
  };
}

function isStickWay(control: PadControl): control is keyof typeof STICKS {
  return Object.hasOwn(STICKS, control);
}

function isUsable(pad: PadState | null): pad is PadState {
  return pad?.connected === true && pad.mapping === 'standard';
}

/** Where the `nth` usable pad is, from 0; undefined while there are fewer. */
function placeOf(pads: readonly (PadState | null)[], nth: number): number | undefined {
  return pads.filter(isUsable)[nth]?.index;
}

function browserPads(): readonly (PadState | null)[] {
  try {
    return navigator.getGamepads();
  } catch {
    // Missing in this browser or this context, or forbidden by the page's permissions policy.
    return [];
  }
}

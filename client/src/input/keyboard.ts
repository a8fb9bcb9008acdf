import { RiposteError } from '@riposte/shared';
import { HeldButtons } from './held-buttons.js';

/** Which keys hold which button down: `KeyboardEvent.code` values, which name places on the keyboard, not letters. */
export type KeyBindings<N extends string> = { readonly [name in N]: string | readonly string[] };

/** Reads the held buttons, once a tick. */
export interface KeyboardSource<N extends string> {
  (): Readonly<Record<N, boolean>>;
  /** Takes the listeners off; every button is up from then on. */
  dispose(): void;
}

/** Where key events come from: a window, or a stand-in for one. */
export interface KeyboardTarget {
  addEventListener(type: string, listener: (event: KeyboardEvent) => void): void;
  removeEventListener(type: string, listener: (event: KeyboardEvent) => void): void;
}

/**
 * An input source that reads the keyboard: `keyboard({ right: ['ArrowRight', 'KeyD'] })`. A press shorter than a tick
 * still counts for one tick. Keys typed into a form field, Space and Enter on a button or link, and all keys that are
 * not bound are left alone.
 * Throws `bad-argument` when one key is bound twice.
 */
export function keyboard<N extends string>(
  bindings: KeyBindings<N>,
  target: KeyboardTarget = window,
): KeyboardSource<N> {
  const bound: [code: string, name: N][] = [];
  // Callers write the bindings as a literal: its keys are N.
  const names = Object.keys(bindings) as N[];
  for (const name of names) {
    const codes: string | readonly string[] = bindings[name];
    for (const code of typeof codes === 'string' ? [codes] : codes) bound.push([code, name]);
  }
  const buttonOf = new Map(bound);
  if (buttonOf.size < bound.length) {
    const twice = bound.find(([code], index) => bound.some(([other], later) => later > index && other === code));
    throw new RiposteError('bad-argument', `the key ${twice?.[0]} is bound to two buttons; expected one`);
  }

  const held = new HeldButtons(names);
  const down = (event: KeyboardEvent): void => {
    const name = buttonOf.get(event.code);
    // With one of these a key is the browser's or the system's: leave it to them.
    if (name === undefined || event.ctrlKey || event.metaKey || event.altKey || belongsToPage(event.target, event.code))
      return;
    event.preventDefault();
    if (event.repeat) return;
    held.press(event.code, name);
  };
  const up = (event: KeyboardEvent): void => {
    // A key that went down in the game comes up wherever the focus is by then.
    if (held.release(event.code)) event.preventDefault();
    // A Mac tells of no key that comes up while Command is down.
    if (event.key === 'Meta') held.clear();
  };
  const clear = (): void => held.clear();
  target.addEventListener('keydown', down);
  target.addEventListener('keyup', up);
  target.addEventListener('blur', clear);

  return Object.assign(() => held.read(), {
    dispose(): void {
      target.removeEventListener('keydown', down);
      target.removeEventListener('keyup', up);
      target.removeEventListener('blur', clear);
      clear();
    },
  });
}

/** Whether the focused part of the page has its own use for this key. */
function belongsToPage(target: EventTarget | null, code: string): boolean {
  if (target === null || !('tagName' in target)) return false;
  switch (target.tagName) {
    case 'INPUT':
    case 'TEXTAREA':
    case 'SELECT':
      return true;
    case 'BUTTON':
    case 'A':
    case 'SUMMARY':
      return code === 'Space' || code === 'Enter';
    default:
      return 'isContentEditable' in target && target.isContentEditable === true;
  }
}

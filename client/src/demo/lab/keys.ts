import type { KeyLegend } from '../key-store.js';
import { type Lab, speeds } from './lab.js';
import { presets } from './presets.js';

function slower(lab: Lab): void {
  lab.setSpeed(speeds[(speeds.indexOf(lab.view.speed) + 1) % speeds.length]!);
}

/** What each key does, by its name in `KeyboardEvent.key`, in lower case; none is a key of a game. */
const actions: Readonly<Record<string, (lab: Lab) => void>> = {
  p: (lab) => lab.pause(!lab.view.isPaused),
  n: (lab) => lab.step(),
  m: slower,
  o: (lab) => lab.setSmooth(!lab.view.isSmooth),
  x: (lab) => lab.plantFault(),
  r: (lab) => lab.restart(),
  ...Object.fromEntries(presets.map(({ link }, at) => [String(at + 1), (lab: Lab) => lab.setLink(link)])),
};

/** Does what a key says; returns whether it says anything. */
export function press(lab: Lab, key: string): boolean {
  const action = actions[key.toLowerCase()];
  action?.(lab);
  return action !== undefined;
}

/** For the page's legend. */
export const keyLegend: readonly KeyLegend[] = [
  { action: 'Pause, go on', keys: 'P' },
  { action: 'One frame', keys: 'N' },
  { action: 'Slow motion', keys: 'M' },
  { action: 'A kind of link', keys: '1 or 2 or 3 or 4 or 5 or 6' },
  { action: 'Smoothing', keys: 'O' },
  { action: 'Plant a fault', keys: 'X' },
  { action: 'New match', keys: 'R' },
];

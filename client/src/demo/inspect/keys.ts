import type { Inspection } from './inspection.js';

/** Frames of one Page Up or Page Down: a second of most games. */
const PAGE_FRAMES = 60;

/** What each key does, by its name in `KeyboardEvent.key`; letters are lower case here. */
const actions: Readonly<Record<string, (inspection: Inspection) => void>> = {
  ArrowLeft: (inspection) => inspection.step(-1),
  ArrowRight: (inspection) => inspection.step(1),
  PageUp: (inspection) => inspection.step(-PAGE_FRAMES),
  PageDown: (inspection) => inspection.step(PAGE_FRAMES),
  Home: (inspection) => inspection.step(inspection.view.firstFrame - inspection.view.frame),
  End: (inspection) => inspection.step(inspection.view.lastFrame - inspection.view.frame),
  ' ': (inspection) => (inspection.view.isPlaying ? inspection.pause() : inspection.play()),
  d: (inspection) => inspection.seekDifference(),
  s: (inspection) => inspection.showAsSeen(!inspection.view.isAsSeen),
};

/** Does what a key says; returns whether it says anything. */
export function press(inspection: Inspection, key: string): boolean {
  const action = inspection.view.sides.length > 0 ? actions[key.length === 1 ? key.toLowerCase() : key] : undefined;
  action?.(inspection);
  return action !== undefined;
}

/** For the page's legend. */
export const keyLegend = [
  { action: 'A frame back or on', keys: '← or →' },
  { action: 'A second', keys: 'Page Up or Page Down' },
  { action: 'Start, end', keys: 'Home or End' },
  { action: 'Play, pause', keys: 'Space' },
  { action: 'First difference', keys: 'D' },
  { action: 'As it was seen', keys: 'S' },
  { action: 'Zoom', keys: '+ or −' },
] as const;

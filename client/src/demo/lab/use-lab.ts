import { useEffect, useState } from 'preact/hooks';
import { press } from './keys.js';
import type { Lab, LabView } from './lab.js';

/** How often figures are read: faster than anyone reads them is noise. */
const READ_MS = 250;
/** Elements that take letters for themselves. */
const TEXT_TAKERS = 'select, textarea, input:not([type="range"]):not([type="radio"]):not([type="checkbox"])';

/** What the page shows of the lab, as it changes. */
export function useView(lab: Lab): LabView {
  const [view, setView] = useState(lab.view);
  useEffect(() => {
    setView(lab.view);
    return lab.listen(() => setView(lab.view));
  }, [lab]);
  return view;
}

/** Draws again a few times a second. */
export function useReadings(): void {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((turn) => turn + 1), READ_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The page's own keys. */
export function useKeys(lab: Lab): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(TEXT_TAKERS) !== null) return;
      if (press(lab, event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [lab]);
}

/** Lets virtual time go on with every frame that the page draws, and has it drawn. */
export function useFrames(lab: Lab, draw: () => void): void {
  useEffect(() => {
    let request = requestAnimationFrame(function frame(nowMs) {
      lab.frame(nowMs);
      draw();
      request = requestAnimationFrame(frame);
    });
    return () => cancelAnimationFrame(request);
  }, [lab, draw]);
}

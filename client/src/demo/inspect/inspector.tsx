import { useEffect, useMemo, useState } from 'preact/hooks';
import { Legend } from '../legend.js';
import { Activity, Pace } from './activity.js';
import { Controls } from './controls.js';
import { Facts } from './facts.js';
import { FindingCard } from './finding.js';
import { frameInHash, hashOfFrame } from './frame-link.js';
import { InTurn } from './in-turn.js';
import type { Inspection, InspectionView } from './inspection.js';
import { keyLegend, press } from './keys.js';
import { OpenFiles, useDroppedFiles } from './open-files.js';
import { Pictures } from './pictures.js';
import { StatePanel } from './state-panel.js';
import { Timeline } from './timeline.js';

/** What one drawn frame may spend on running frames again; the rest is for drawing. */
const WORK_MS = 8;
/** Browsers refuse an address that changes with every frame. */
const LINK_MS = 250;

const legend = (
  <div class="keys">
    <Legend title="Keys" legend={keyLegend} />
  </div>
);

/** The whole page. */
export function Inspector({ inspection }: { inspection: Inspection }) {
  const view = useView(inspection);
  useTicks(inspection, view);
  useKeys(inspection);
  useFrameLink(inspection, view);
  const isDragged = useDroppedFiles(inspection);
  const isOpen = view.sides.length > 0;
  return (
    <div class={`page inspect${isDragged ? ' dragged' : ''}`}>
      <header class="top">
        <p class="wordmark">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path class="blade-first" d="M6 26 26 6M5 18l9 9" />
            <path class="blade-second" d="M26 26 6 6m21 12-9 9" />
          </svg>
          Riposte
        </p>
        <h1>Inspect a match</h1>
      </header>
      <main>
        {view.refusals.map((refusal) => (
          <p key={refusal} class="notice" role="alert">
            {refusal}
          </p>
        ))}
        {!isOpen && <OpenFiles inspection={inspection} />}
        {isOpen && (
          <>
            <FindingCard inspection={inspection} view={view} />
            <div class="stage">
              <Pictures inspection={inspection} view={view} />
              <Controls inspection={inspection} view={view} />
              <Timeline inspection={inspection} view={view} />
            </div>
            <div class="panels">
              {view.game !== null && <StatePanel inspection={inspection} view={view} />}
              <Whole inspection={inspection} view={view} />
            </div>
            {legend}
          </>
        )}
      </main>
    </div>
  );
}

/** What is told of the whole match: the same elements for every frame of it, so that they are not rendered again. */
function Whole({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { sides } = view;
  const parts = useMemo(
    () => [
      <Activity key="activity" inspection={inspection} view={view} />,
      <Pace key="pace" inspection={inspection} view={view} />,
      <Facts key="facts" inspection={inspection} view={view} />,
    ],
    [inspection, sides],
  );
  return (
    <div class="side">
      <InTurn parts={parts} />
    </div>
  );
}

function useView(inspection: Inspection): InspectionView {
  const [view, setView] = useState(inspection.view);
  useEffect(() => {
    setView(inspection.view);
    return inspection.listen(() => setView(inspection.view));
  }, [inspection]);
  return view;
}

/** Lets the inspection work a little with every drawn frame, while there is something to do. */
function useTicks(inspection: Inspection, { isPlaying, isSettled }: InspectionView): void {
  const isBusy = isPlaying || !isSettled;
  useEffect(() => {
    if (!isBusy) return;
    let request = requestAnimationFrame(function tick(nowMs) {
      const endMs = performance.now() + WORK_MS;
      inspection.tick(nowMs, () => performance.now() > endMs);
      request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [inspection, isBusy]);
}

/** Elements that a key belongs to: Space presses a focused button, and letters go into a field. */
const KEY_TAKERS = 'button, a, select, summary, input:not([type="range"]), textarea';

function useKeys(inspection: Inspection): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isTaken = event.target instanceof Element && event.target.closest(KEY_TAKERS) !== null;
      if (isTaken && (event.key === ' ' || event.target instanceof HTMLInputElement)) return;
      if (press(inspection, event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [inspection]);
}

/** Keeps the address a link to the frame that is looked at, and follows such a link. */
function useFrameLink(inspection: Inspection, { frame, sides, isPlaying }: InspectionView): void {
  useEffect(() => {
    const follow = (): void => {
      const linked = frameInHash(location.hash);
      if (linked !== null) inspection.seek(linked);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [inspection]);
  const isOpen = sides.length > 0;
  useEffect(() => {
    if (!isOpen || isPlaying) return;
    const timer = setTimeout(() => history.replaceState(null, '', hashOfFrame(frame)), LINK_MS);
    return () => clearTimeout(timer);
  }, [frame, isOpen, isPlaying]);
}

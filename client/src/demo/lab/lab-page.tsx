import { useCallback, useEffect, useRef } from 'preact/hooks';
import { motionPreference } from '../canvas.js';
import { Legend } from '../legend.js';
import { ConditionsPanel } from './conditions-panel.js';
import { keyLegend } from './keys.js';
import type { Lab } from './lab.js';
import { PlayersPanel } from './players-panel.js';
import { Plots } from './plots.js';
import { Happenings, MeasuresTable, Sides } from './sides.js';
import { News, TimeBar } from './time-bar.js';
import { TimelineLegend, timelineOn } from './timeline.js';
import { useFrames, useKeys, useView } from './use-lab.js';
import { Words } from './words.js';

/** For those who asked for less motion the timeline moves on by half seconds. */
const STILL_MS = 500;

/** The whole page. */
export function LabPage({ lab }: { lab: Lab }) {
  const view = useView(lab);
  useKeys(lab);
  const timeline = useRef<HTMLCanvasElement>(null);
  const drawTimeline = useRef<((lab: Lab) => void) | null>(null);
  const motion = useRef(motionPreference());
  const drawnMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    drawTimeline.current = timeline.current === null ? null : timelineOn(timeline.current);
  }, []);
  const draw = useCallback(() => {
    const { live } = lab;
    const { isSmooth, isPaused } = lab.view;
    for (const side of [0, 1] as const) live.draw(side, live.experiment.clock.nowMs, isSmooth);
    const nowMs = performance.now();
    if (motion.current.reduced && !isPaused && nowMs - drawnMs.current < STILL_MS) return;
    drawnMs.current = nowMs;
    drawTimeline.current?.(lab);
  }, [lab]);
  useFrames(lab, draw);
  return (
    <div class="page lab">
      <header class="top">
        <p class="wordmark">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path class="blade-first" d="M6 26 26 6M5 18l9 9" />
            <path class="blade-second" d="M26 26 6 6m21 12-9 9" />
          </svg>
          <a href="/">Riposte</a>
        </p>
        <h1>The rollback lab</h1>
        <p class="tagline">
          Two machines play one match over a link that you make as bad as you like. Neither waits for the other’s
          presses: it guesses them, and where a guess was wrong it goes back and runs those frames again.
        </p>
      </header>
      <main class="bench">
        <div class="stage">
          <TimeBar lab={lab} view={view} />
          <News lab={lab} />
          <Sides lab={lab} view={view} />
          <section class="card" aria-labelledby="timeline">
            <h2 id="timeline">Frame by frame</h2>
            <canvas
              ref={timeline}
              class="timeline"
              role="img"
              aria-label="The newest frames of both sides, and the packets between them"
            />
            <Happenings lab={lab} view={view} />
            <TimelineLegend />
          </section>
          <Plots lab={lab} match={view.match} />
          <MeasuresTable lab={lab} />
        </div>
        <div class="panels">
          <ConditionsPanel lab={lab} view={view} />
          <PlayersPanel lab={lab} view={view} />
        </div>
        <div class="reading">
          <Words lab={lab} />
          <div class="keys">
            <Legend title="Keys of this page" legend={keyLegend} />
          </div>
        </div>
      </main>
    </div>
  );
}

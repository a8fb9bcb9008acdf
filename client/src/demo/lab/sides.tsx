import { useEffect, useRef } from 'preact/hooks';
import type { Spread } from '../../session/samples.js';
import { ScrollBox } from '../scroll-box.js';
import { newestOf, secondOf } from './happenings.js';
import type { Lab, LabView } from './lab.js';
import { useReadings } from './use-lab.js';

/** Both pictures, each as its own machine sees the match. */
export function Sides({ lab, view }: { lab: Lab; view: LabView }) {
  return (
    <div class="pictures sides-2">
      {([0, 1] as const).map((side) => (
        <figure key={side}>
          <Picture key={view.match} lab={lab} side={side} />
          <Caption lab={lab} side={side} />
        </figure>
      ))}
    </div>
  );
}

function Picture({ lab, side }: { lab: Lab; side: 0 | 1 }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { live } = lab;
  useEffect(() => {
    if (canvas.current !== null) live.show(side, canvas.current);
  }, [live, side]);
  const { title } = live.experiment.sides[side];
  return (
    <div class="frame">
      <canvas ref={canvas} class="picture" role="img" aria-label={`The match as ${title} sees it`} />
    </div>
  );
}

function Caption({ lab, side }: { lab: Lab; side: 0 | 1 }) {
  useReadings();
  const shown = lab.live.experiment.sides[side];
  const { head, confirmed } = shown.trace;
  const isAuthority = shown === lab.live.experiment.sides[1] && lab.view.mode === 'authority';
  return (
    <figcaption>
      <strong class={isAuthority ? '' : `player-${side}`}>{shown.title}’s machine</strong>
      <span>
        Frame <b data-side={side}>{Math.max(0, head)}</b>
      </span>
      {isAuthority ? (
        <span>each final at once</span>
      ) : (
        <span>
          the newest <b>{Math.max(0, head - confirmed)}</b> guessed
        </span>
      )}
    </figcaption>
  );
}

/** What happens on both sides, in words: one by one in slow motion, and else by the second. */
export function Happenings({ lab, view }: { lab: Lab; view: LabView }) {
  useReadings();
  const { sides, clock, mode } = lab.live.experiment;
  const tell = view.isPaused || view.speed < 1 ? newestOf : secondOf;
  return (
    <ul class="happenings">
      {sides.map((side, at) => {
        const isAuthority = mode === 'authority' && at === 1;
        return (
          <li key={at} class={isAuthority ? '' : `player-${at}`}>
            {isAuthority
              ? 'The authority steps each frame with what is there, and never goes back.'
              : tell(side, clock.nowMs)}
          </li>
        );
      })}
    </ul>
  );
}

const ways: readonly {
  readonly key: 'rttMs' | 'rollbackFrames' | 'corrections' | 'inputAges' | 'predictedFrames' | 'stallTicks' | 'pace';
  readonly title: string;
  readonly digits: number;
  readonly words: string;
}[] = [
  { key: 'rttMs', title: 'Round trip, ms', digits: 0, words: 'there and back' },
  {
    key: 'inputAges',
    title: 'Age of inputs, frames',
    digits: 0,
    words: 'how old a press of the other is when it plays',
  },
  { key: 'predictedFrames', title: 'Guessed frames', digits: 0, words: 'simulated, and not yet confirmed' },
  { key: 'rollbackFrames', title: 'Rollback depth, frames', digits: 0, words: 'how far back' },
  {
    key: 'corrections',
    title: 'Correction',
    digits: 0,
    words: 'how far apart guess and truth were, in the game’s units',
  },
  { key: 'stallTicks', title: 'Stalls, ticks', digits: 0, words: 'how long nothing more could be guessed' },
  { key: 'pace', title: 'Pace', digits: 2, words: 'frames a second, as a share of the game’s rate' },
];

function numbers(spread: Spread | undefined, digits: number): string {
  if (spread === undefined || spread.p50 === null) return '–';
  return [spread.p50, spread.p95, spread.max].map((value) => (value ?? 0).toFixed(digits)).join(' / ');
}

/** The measures of both players as sessions give them. */
export function MeasuresTable({ lab }: { lab: Lab }) {
  useReadings();
  const { players, clock } = lab.live.experiment;
  const measures = players.map((player) => player.measures(clock.nowMs));
  return (
    <section class="card measures" aria-labelledby="measures">
      <h2 id="measures">Measures</h2>
      <p>
        Over the last minute: half of the time at most, 95 % of the time at most, and the worst. A game reads them by{' '}
        <code>match.status().measures</code>.
      </p>
      <ScrollBox label="Measures, as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              {players.map(({ title }, player) => (
                <th key={title} scope="col" class={`player-${player}`}>
                  {title}
                </th>
              ))}
              <th scope="col">In words</th>
            </tr>
          </thead>
          <tbody>
            {ways.map(({ key, title, digits, words }) => (
              <tr key={key}>
                <th scope="row">{title}</th>
                {measures.map((each, player) => (
                  <td key={player}>{numbers(each?.[key], digits)}</td>
                ))}
                <td>{words}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

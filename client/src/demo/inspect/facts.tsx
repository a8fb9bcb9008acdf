import { hashText, type Recording, settingsText } from '@riposte/shared';
import { useMemo } from 'preact/hooks';
import { figuresOf, type RecordingFigures } from '../../recorder/recording-figures.js';
import { ScrollBox } from '../scroll-box.js';
import { clockText } from './controls.js';
import type { Inspection, InspectionView } from './inspection.js';
import { SIDES_MAX } from './inspection.js';
import { ChooseFiles } from './open-files.js';

export const sideNames = ['A', 'B'] as const;

/** A recording's facts, each with how it reads; what is empty for all is left out. */
const facts: readonly (readonly [name: string, of: (recording: Recording, figures: RecordingFigures) => string])[] = [
  ['Game', ({ header }) => `${header.gameId} ${header.gameVersion}, ${header.tickRate} frames a second`],
  [
    'Players',
    ({ header }) =>
      header.names.map((name, at) => `${name || `Player ${at + 1}`} (delay ${header.inputDelays[at]})`).join(', '),
  ],
  [
    'Recorded by',
    ({ header: { recordedBy, names } }) =>
      recordedBy < 0 ? 'no peer' : names[recordedBy] || `Player ${recordedBy + 1}`,
  ],
  [
    'Frames',
    ({ firstFrame, frames, header }) =>
      `${firstFrame} to ${firstFrame + frames - 1}, ${clockText(frames, header.tickRate)}`,
  ],
  ['Input changes', ({ inputs }) => inputs.map(({ runs }) => Math.max(0, runs - 1)).join(', ')],
  [
    'Rollbacks',
    (_, { rollbacks: { count, maxFrames } }) => (count === 0 ? 'none' : `${count}, the deepest ${maxFrames}`),
  ],
  [
    'Round trip',
    (_, { rttMs }) => (rttMs === null ? 'not measured' : `${rttMs.median} ms, for all but 5 % at most ${rttMs.p95} ms`),
  ],
  [
    'Corrections',
    (_, { corrections: { count, size } }) =>
      size === null ? '' : `by ${size.median} in the middle, at most ${size.max}, of ${count} measured`,
  ],
  [
    'Run again',
    (_, { resimulationMs }) => {
      if (resimulationMs === null) return '';
      return `${resimulationMs.median} ms of each second in the middle, at most ${resimulationMs.max} ms`;
    },
  ],
  [
    'Predicted',
    (_, { predictedFrames, window }) => {
      if (predictedFrames === null || window === null) return '';
      return `${predictedFrames.median} frames in the middle, at most ${predictedFrames.max}, of a window of ${window.median}`;
    },
  ],
  [
    'Inputs old',
    (_, { inputAge }) => (inputAge === null ? '' : `${inputAge.median} frames in the middle, at most ${inputAge.max}`),
  ],
  ['States held', ({ keyframes }) => String(keyframes.length)],
  ['Seed', ({ header }) => hashText(header.seed)],
  ['Settings', ({ header }) => settingsText(header.settings)],
  ['Engine', ({ header }) => header.engine],
  ['Maths', ({ header }) => (header.maths === undefined ? 'not known' : hashText(header.maths))],
  [
    'Ended',
    ({ complete, endReason, problem }) => problem ?? (complete ? (endReason ?? '') : 'saved while it was running'),
  ],
];

/** What the files say about themselves, side by side. */
export function Facts({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { sides } = view;
  const rows = useMemo(() => {
    const all = sides.map(({ recording }) => ({ recording, figures: figuresOf(recording) }));
    return facts
      .map(([name, of]) => ({ name, texts: all.map(({ recording, figures }) => of(recording, figures)) }))
      .filter(({ texts }) => texts.some((text) => text !== ''));
  }, [sides]);
  return (
    <section class="card facts" aria-labelledby="facts">
      <h2 id="facts">Recordings</h2>
      <ScrollBox label="Recordings, as a table">
        <table>
          <thead>
            <tr>
              <td />
              {sides.map(({ name }, side) => (
                <th key={side} scope="col">
                  {sideNames[side]}: {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, texts }) => (
              <tr key={name} class={texts.length > 1 && texts[0] !== texts[1] ? 'unlike' : ''}>
                <th scope="row">{name}</th>
                {texts.map((text, side) => (
                  <td key={side}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <div class="row">
        {sides.length < SIDES_MAX && <ChooseFiles inspection={inspection} label="Add the other side" />}
        {sides.map((_, side) => (
          <button key={side} type="button" onClick={() => inspection.close(side)}>
            Close {sideNames[side]}
          </button>
        ))}
      </div>
    </section>
  );
}

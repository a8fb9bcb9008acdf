import { useMemo } from 'preact/hooks';
import { playerColours } from '../palette.js';
import type { Inspection, InspectionView } from './inspection.js';
import { paceOf } from './pace.js';
import { Plot } from './plot.js';
import { activityOf } from './timeline-columns.js';

/** How often each player's input changed, over the whole match. */
export function Activity({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const recording = view.sides[0]!.recording;
  const { tickRate, names } = recording.header;
  const { seconds, series } = useMemo(() => {
    const activity = activityOf(recording);
    const lines = names.map((name, player) => ({
      label: name || `Player ${player + 1}`,
      colour: (playerColours[player % playerColours.length] ?? playerColours[0]).main,
      isDashed: player % 2 === 1,
      values: activity.players[player] ?? [],
    }));
    return { seconds: activity.seconds, series: lines };
  }, [recording, names]);
  return (
    <section class="card activity" aria-labelledby="activity">
      <h2 id="activity">Input changes a second</h2>
      <Plot
        inspection={inspection}
        tickRate={tickRate}
        label={`How often ${names.join(' and ')} changed their input, over the match`}
        seconds={seconds}
        series={series}
      />
    </section>
  );
}

const FRAMES_COLOURS = ['#f2b544', '#ff6b52'] as const;
const SIDE_COLOURS = ['#4fb3a2', '#b08cff'] as const;

/** How the link and the rollbacks were, over the whole match, as each side recorded it; nothing where neither did. */
export function Pace({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { sides } = view;
  const plots = useMemo(() => {
    const all = sides.map(({ recording }, side) => ({
      side,
      prefix: sides.length > 1 ? `${'AB'[side]}: ` : '',
      recording,
    }));
    const told = all.filter(({ recording }) => recording.events.length > 0);
    const whole = { from: view.firstFrame, to: view.lastFrame };
    const paces = told.map(({ recording, ...where }) => ({ ...where, pace: paceOf(recording, whole) }));
    return {
      seconds: paces[0]?.pace.seconds,
      rtt: paces.map(({ prefix, side, pace }) => ({
        label: `${prefix}round trip`,
        colour: SIDE_COLOURS[side % 2]!,
        isDashed: side === 1,
        values: pace.rttMs,
      })),
      frames: paces.flatMap(({ prefix, side, pace }) => [
        { label: `${prefix}deepest rollback`, colour: FRAMES_COLOURS[0], isDashed: side === 1, values: pace.depth },
        { label: `${prefix}stalled ticks`, colour: FRAMES_COLOURS[1], isDashed: side === 1, values: pace.stalls },
      ]),
    };
  }, [sides, view.firstFrame, view.lastFrame]);
  if (plots.seconds === undefined) return null;
  const { tickRate } = sides[0]!.recording.header;
  const common = { inspection, tickRate, seconds: plots.seconds };
  return (
    <section class="card activity" aria-labelledby="pace">
      <h2 id="pace">Round trip, in milliseconds</h2>
      <Plot {...common} label="Round trips in milliseconds, over the match" series={plots.rtt} />
      <h2>Rollbacks and stalls, in frames</h2>
      <Plot {...common} label="Deepest rollbacks and stalls in frames, over the match" series={plots.frames} />
    </section>
  );
}

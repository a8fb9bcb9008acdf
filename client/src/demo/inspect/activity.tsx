import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { playerColours } from '../palette.js';
import { clockText } from './controls.js';
import type { Inspection, InspectionView } from './inspection.js';
import { activityOf } from './timeline-columns.js';

const HEIGHT = 150;
const AXIS = { stroke: '#b9bfce', grid: { stroke: '#2b3348' }, ticks: { stroke: '#39415a' } } as const;

/** How often each player's input changed, over the whole match; a click goes there. */
export function Activity({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const recording = view.sides[0]!.recording;
  const { tickRate, names } = recording.header;
  const activity = useMemo(() => activityOf(recording), [recording]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
        axes: [
          { ...AXIS, size: 28, values: (_plot, seconds) => seconds.map((second) => clockText(second, 1).slice(0, -3)) },
          { ...AXIS, size: 36 },
        ],
        series: [
          {},
          ...names.map((name, player) => ({
            label: name,
            stroke: (playerColours[player % playerColours.length] ?? playerColours[0]).main,
            width: 1.5,
            points: { show: false },
            ...(player % 2 === 1 && { dash: [5, 3] }),
          })),
        ],
      },
      [activity.seconds, ...activity.players],
      element,
    );
    plot.current = made;
    const seek = (): void => {
      const { left } = made.cursor;
      if (left === undefined || left < 0) return;
      inspection.pause();
      inspection.seek(made.posToVal(left, 'x') * tickRate);
    };
    made.over.addEventListener('click', seek);
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [inspection, activity, names, tickRate]);

  return (
    <section class="card activity" aria-labelledby="activity">
      <h2 id="activity">Input changes a second</h2>
      <div ref={place} role="img" aria-label={`How often ${names.join(' and ')} changed their input, over the match`} />
      <p class="series">
        {names.map((name, player) => (
          <span key={player} class={`player-${player}`}>
            {player % 2 === 1 ? '╌╌' : '━━'} {name || `Player ${player + 1}`}
          </span>
        ))}
      </p>
    </section>
  );
}

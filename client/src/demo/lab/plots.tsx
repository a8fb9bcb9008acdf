import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { playerColours } from '../palette.js';
import type { Lab } from './lab.js';
import type { PlayerPoints, PlotLog } from './plot-log.js';

const HEIGHT = 120;
const AXIS = { stroke: '#b9bfce', grid: { stroke: '#2b3348' }, ticks: { stroke: '#39415a' } } as const;
/** How often the plots are drawn again. */
const DRAW_MS = 250;

interface PlotKind {
  readonly of: keyof PlayerPoints;
  readonly title: string;
  readonly unit: string;
  /** The scale reaches at least so far. */
  readonly least: number;
  /** A rare peak, as while a browser compiles, is cut off rather than flatten all else. */
  readonly cutsPeaks?: true;
  readonly words: string;
}

const kinds: readonly PlotKind[] = [
  {
    of: 'rttMs',
    title: 'Round trip',
    unit: 'ms',
    least: 20,
    words: 'From a frame’s packet to the answer that it arrived. Half of it is how late the other’s presses are.',
  },
  {
    of: 'depth',
    title: 'Rollback depth',
    unit: 'frames',
    least: 4,
    words: 'How far the deepest rollback of each quarter second went back. It follows the delay, less the input delay.',
  },
  {
    of: 'costUs',
    title: 'Re-run cost',
    unit: 'µs a frame',
    least: 10,
    cutsPeaks: true,
    words:
      'What this very machine spends on running frames again. A frame lasts 16,667 µs: rollback needs a cheap step, not a fast one.',
  },
];

/** The last half minute, as curves. */
export function Plots({ lab, match }: { lab: Lab; match: number }) {
  return (
    <div class="plots">
      {kinds.map((kind) => (
        <Plot key={kind.of} lab={lab} match={match} kind={kind} />
      ))}
    </div>
  );
}

function dataOf(plots: PlotLog, of: keyof PlayerPoints): UPlot.AlignedData {
  return [plots.seconds, plots.players[0][of], plots.players[1][of]];
}

/** Above all points, or of what has rare peaks above most of them. */
function topOf(players: PlotLog['players'], { of, least, cutsPeaks }: PlotKind): number {
  const points = players.flatMap((player) => player[of]).filter((point) => point !== null);
  points.sort((a, b) => a - b);
  const highest = cutsPeaks ? (points[Math.floor(points.length * 0.9)] ?? 0) * 2 : (points.at(-1) ?? 0) * 1.1;
  return Math.max(least, highest);
}

function Plot({ lab, match, kind }: { lab: Lab; match: number; kind: PlotKind }) {
  const place = useRef<HTMLDivElement>(null);
  const { of, title, unit, words } = kind;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: () => [0, topOf(lab.plots.players, kind)] } },
        axes: [
          { ...AXIS, size: 24, values: (_plot, seconds) => seconds.map((second) => `${second} s`) },
          { ...AXIS, size: 50 },
        ],
        series: [
          {},
          ...[0, 1].map((player) => ({
            label: `Player ${player + 1}`,
            stroke: playerColours[player === 0 ? 0 : 1].main,
            width: 1.5,
            points: { show: false },
            ...(player === 1 && { dash: [5, 3] }),
          })),
        ],
      },
      dataOf(lab.plots, of),
      element,
    );
    let drawn = -1;
    const timer = setInterval(() => {
      const newest = lab.plots.seconds.at(-1) ?? 0;
      if (newest === drawn) return;
      drawn = newest;
      plot.setData(dataOf(lab.plots, of));
      element.dataset['points'] = String(lab.plots.seconds.length);
    }, DRAW_MS);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      plot.destroy();
    };
  }, [lab, match, of, kind]);
  return (
    <section class="card plot" aria-label={title}>
      <h2>
        {title} <small>{unit}</small>
      </h2>
      <div ref={place} role="img" aria-label={`${title} of both players over the last half minute, in ${unit}`} />
      <p>{words}</p>
    </section>
  );
}

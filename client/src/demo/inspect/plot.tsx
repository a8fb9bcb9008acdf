import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { clockText } from './controls.js';
import type { Inspection } from './inspection.js';

const HEIGHT = 150;
const AXIS = { stroke: '#b9bfce', grid: { stroke: '#2b3348' }, ticks: { stroke: '#39415a' } } as const;

/** One line of a plot. */
export interface PlotSeries {
  readonly label: string;
  readonly colour: string;
  readonly isDashed?: boolean;
  /** One value a point of time; null where there is none. */
  readonly values: readonly (number | null)[] | Float64Array;
}

export interface PlotProps {
  readonly inspection: Inspection;
  readonly tickRate: number;
  /** What the plot shows, for those who do not see it. */
  readonly label: string;
  readonly seconds: Float64Array;
  /** A new list is a new plot: keep it while nothing changes. */
  readonly series: readonly PlotSeries[];
}

/** Figures over the whole match; a click goes there. */
export function Plot({ inspection, tickRate, label, seconds, series }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
        axes: [
          { ...AXIS, size: 28, values: (_plot, marks) => marks.map((second) => clockText(second, 1).slice(0, -3)) },
          { ...AXIS, size: 36 },
        ],
        series: [
          {},
          ...series.map((line) => ({
            label: line.label,
            stroke: line.colour,
            width: 1.5,
            points: { show: false },
            ...(line.isDashed === true && { dash: [5, 3] }),
          })),
        ],
      },
      [seconds, ...series.map(({ values }) => Array.from(values))],
      element,
    );
    const seek = (): void => {
      const { left } = plot.cursor;
      if (left === undefined || left < 0) return;
      inspection.pause();
      inspection.seek(plot.posToVal(left, 'x') * tickRate);
    };
    plot.over.addEventListener('click', seek);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [inspection, seconds, series, tickRate]);

  return (
    <>
      <div class="plot" ref={place} role="img" aria-label={label} />
      <p class="series">
        {series.map((line) => (
          <span key={line.label} style={{ color: line.colour }}>
            {line.isDashed === true ? '╌╌' : '━━'} {line.label}
          </span>
        ))}
      </p>
    </>
  );
}

import type { ShownFigure } from './use-connection.js';

/** Figures in a row, each with its name. */
export function FigureList({ figures }: { figures: readonly ShownFigure[] }) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

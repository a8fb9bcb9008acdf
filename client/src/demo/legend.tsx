import type { KeyLegend } from './key-store.js';

/** Which keys do what. */
export function Legend({ title, legend }: { title: string; legend: readonly KeyLegend[] }) {
  return (
    <div class="legend">
      <h2>{title}</h2>
      <dl>
        {legend.map(({ action, keys }) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>
              {keys.split(' or ').map((key, index) => (
                <span key={key}>
                  {index > 0 && ' or '}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** What a player does well to know. */
export function Hints({ hints }: { hints: readonly string[] }) {
  if (hints.length === 0) return null;
  return (
    <ul class="hints">
      {hints.map((hint) => (
        <li key={hint}>{hint}</li>
      ))}
    </ul>
  );
}

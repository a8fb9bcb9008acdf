import { useEffect, useState } from 'preact/hooks';
import type { KeptMatch } from '../recorder/archive.js';
import { demoGames } from './demo-game.js';
import { download } from './download.js';
import { clockText } from './inspect/controls.js';
import { keptMatches } from './kept-matches.js';
import { gameIds } from './params.js';

/** The matches whose recordings this browser keeps: nothing where it keeps none. */
export function RecentMatches() {
  const [matches, setMatches] = useState<readonly KeptMatch[]>([]);
  const [problem, setProblem] = useState('');

  const show = async (): Promise<void> => {
    try {
      setMatches(await keptMatches.list());
    } catch {
      // The browser withholds its storage: there is nothing to list.
      setMatches([]);
    }
  };
  useEffect(() => void show(), []);

  const save = async ({ id, game, startedMs }: KeptMatch): Promise<void> => {
    try {
      const bytes = await keptMatches.bytesOf(id);
      if (bytes === undefined) throw new Error('The recording is no longer kept.');
      const day = new Date(startedMs).toISOString().slice(0, 16).replaceAll(/[T:]/g, '-');
      download(bytes, `riposte-${game}-${day}.rpl`);
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const remove = async ({ id }: KeptMatch): Promise<void> => {
    await keptMatches.remove(id).catch((error: unknown) => setProblem(String(error)));
    await show();
  };

  if (matches.length === 0) return null;
  return (
    <section class="card recent" aria-labelledby="recent">
      <h2 id="recent">Recent matches</h2>
      <p>Recorded in this browser as they were played; the oldest go when there are too many.</p>
      <ul>
        {matches.map((match, index) => (
          <li key={match.id}>
            <p class="what" id={`recent-${index}`}>
              <strong>{titleOf(match)}</strong>
              <small>{factsOf(match)}</small>
            </p>
            <fieldset class="row" aria-labelledby={`recent-${index}`}>
              <a class="button" href={`/inspect?kept=${encodeURIComponent(match.id)}`} target="_blank" rel="noreferrer">
                Inspect
              </a>
              <button type="button" onClick={() => void save(match)}>
                Download
              </button>
              <button type="button" onClick={() => void remove(match)}>
                Delete
              </button>
            </fieldset>
          </li>
        ))}
      </ul>
      <p class="problem" role="status">
        {problem}
      </p>
    </section>
  );
}

function titleOf({ game, names }: KeptMatch): string {
  const known = gameIds.find((id) => id === game);
  const title = known === undefined ? game : demoGames[known].title;
  return `${title}: ${names.map((name, player) => name || `Player ${player + 1}`).join(' and ')}`;
}

function factsOf({ startedMs, frames, tickRate, bytes, isEnded }: KeptMatch): string {
  const when = new Date(startedMs).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  const length = clockText(frames, tickRate).slice(0, -3);
  return `${when}, ${length}, ${Math.max(1, Math.round(bytes / 1000))} kB${isEnded ? '' : ', without its end'}`;
}

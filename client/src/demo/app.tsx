import { useEffect, useRef, useState } from 'preact/hooks';
import { Connecting } from './connecting.js';
import { Lobby } from './lobby.js';
import { MatchScreen } from './match-screen.js';
import { SoundButton } from './sound-button.js';
import type { Table } from './table.js';

/** The whole page: one of three screens. */
export function App({ table }: { table: Table }) {
  const [view, setView] = useState(table.view);
  const wasElsewhere = useRef(false);
  if (view.screen !== 'lobby') wasElsewhere.current = true;
  useEffect(() => {
    // What happened before the first drawing counts too.
    setView(table.view);
    return table.listen(setView);
  }, [table]);
  return (
    <div class={`page page-${view.screen}`}>
      <header class="top">
        <p class="wordmark">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path class="blade-first" d="M6 26 26 6M5 18l9 9" />
            <path class="blade-second" d="M26 26 6 6m21 12-9 9" />
          </svg>
          Riposte
        </p>
        {view.screen === 'lobby' && <p class="tagline">Two browsers, one link, no lag you can feel.</p>}
        <SoundButton />
      </header>
      <main>
        {view.screen === 'lobby' && <Lobby table={table} view={view} isReturn={wasElsewhere.current} />}
        {view.screen === 'connecting' && <Connecting table={table} view={view} />}
        {view.screen === 'match' && view.match !== null && <MatchScreen table={table} view={view} match={view.match} />}
      </main>
    </div>
  );
}

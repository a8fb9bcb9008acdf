import { useEffect, useState } from 'preact/hooks';
import type { LiveMatch } from './demo-game.js';
import { FigureList } from './figure-list.js';
import { connectionFigures, useConnection } from './use-connection.js';

/** For how long it is shown: through a round's introduction, before anybody can strike. */
const SECONDS = 4;

/** How the players are connected, over the picture while a match begins. */
export function ConnectionCard({ match }: { match: LiveMatch }) {
  const [isShown, setShown] = useState(true);
  return isShown && <Card match={match} onPast={() => setShown(false)} />;
}

/** Looks at the connection for as long as it is shown: the line below the picture does so all the time. */
function Card({ match, onPast }: { match: LiveMatch; onPast: () => void }) {
  const connection = useConnection(match);
  const { status, route } = connection;
  const isPast = status.frame > SECONDS * match.game.tickRate;
  useEffect(() => {
    if (isPast) onPast();
  }, [isPast, onPast]);
  if (status.phase !== 'running' || isPast) return null;
  return (
    <div class="connection-card">
      <div aria-hidden="true">
        <FigureList figures={connectionFigures(connection)} />
      </div>
      {/* Told once: the figures, which the line below the picture has too, change too often to be read out. */}
      <p class="visually-hidden" role="status">
        {route !== null && `Connected ${route === 'direct' ? 'directly' : 'by a relay'}.`}
      </p>
    </div>
  );
}

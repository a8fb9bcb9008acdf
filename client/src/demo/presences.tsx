import { useEffect, useState } from 'preact/hooks';
import type { MatchStatus } from '../match/match.js';
import type { LiveMatch } from './demo-game.js';
import { nameOf } from './player-names.js';

const COUNTDOWN_INTERVAL_MS = 250;
/** How long a player's return is told. */
const BACK_MS = 4000;

/** How the others are there, in words, where they are not simply there. */
export function Presences({ match, status }: { match: LiveMatch; status: MatchStatus }) {
  const back = useReturned(match);
  const absent = status.players.flatMap(({ presence }, player) => {
    const words = wordsFor(presence, nameOf(status, player));
    return words === undefined ? [] : words;
  });
  const gone = status.players.flatMap(({ presence }, player) => (presence === 'gone' ? nameOf(status, player) : []));
  return (
    <>
      {(absent.length > 0 || status.phase === 'interrupted') && (
        <p class="notice">
          <span role="alert">{absent.length > 0 ? absent.join(' ') : 'The connection is interrupted.'}</span>
          <Countdown match={match} isPair={status.players.length === 2} />
        </p>
      )}
      {gone.map((name) => (
        <p key={name} class="notice quiet" role="status">
          {name} is gone; the match goes on.
        </p>
      ))}
      {back !== undefined && (
        <p class="notice quiet" role="status">
          {nameOf(status, back)} is back.
        </p>
      )}
    </>
  );
}

function wordsFor(presence: MatchStatus['players'][number]['presence'], name: string): string | undefined {
  if (presence === 'inactive') return `${name}’s page is in the background, and stands still.`;
  return presence === 'interrupted' ? `Nothing is heard from ${name}.` : undefined;
}

/** How long the match waits for who is not heard. */
function Countdown({ match, isPair }: { match: LiveMatch; isPair: boolean }) {
  const [leftMs, setLeftMs] = useState(match.status().resumeLeftMs);
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(match.status().resumeLeftMs), COUNTDOWN_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [match]);
  if (leftMs === null) return null;
  const seconds = Math.ceil(leftMs / 1000);
  return isPair ? (
    <> The match goes on where it stands when they are back, within {seconds} seconds.</>
  ) : (
    <> The match goes on without them in {seconds} seconds.</>
  );
}

/** The player who came back last, for a while. */
function useReturned(match: LiveMatch): number | undefined {
  const [player, setPlayer] = useState<number>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = match.on('presence', (changed, presence) => {
      clearTimeout(timer);
      setPlayer(presence === 'here' ? changed : undefined);
      timer = setTimeout(() => setPlayer(undefined), BACK_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [match]);
  return player;
}

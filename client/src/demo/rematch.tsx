import { useEffect, useState } from 'preact/hooks';
import type { MatchStatus } from '../match/match.js';
import type { LiveMatch } from './demo-game.js';
import { listed, nameOf } from './player-names.js';

/** Which of the others want a rematch, or why there is none any more. */
export function RematchNews({ match, status }: { match: LiveMatch; status: MatchStatus }) {
  const [reason, setReason] = useState<string>();
  useEffect(() => match.on('closed', setReason), [match]);
  const asking = (status.rematch ?? []).filter((player) => player !== match.me).map((player) => nameOf(status, player));
  if (asking.length > 0) {
    return (
      <p class="notice quiet" role="status">
        {listed(asking)} {asking.length === 1 ? 'wants' : 'want'} a rematch.
      </p>
    );
  }
  const ended = status.cause === 'finished' && status.rematch === null ? reason : undefined;
  return (
    <p class={ended === undefined ? 'visually-hidden' : ''} role="status">
      {ended}
    </p>
  );
}

interface RematchButtonProps {
  readonly match: LiveMatch;
  readonly status: MatchStatus;
  /** All play on this machine. */
  readonly isHere: boolean;
  readonly ask: () => void;
}

/** Asks for a rematch, and says whose answer is missing then. */
export function RematchButton({ match, status, isHere, ask }: RematchButtonProps) {
  const { rematch } = status;
  if (rematch === null) return null;
  const hasAsked = rematch.includes(match.me);
  const missing = status.players.flatMap((_, player) => (rematch.includes(player) ? [] : nameOf(status, player)));
  const offer = isHere ? 'Play again' : 'Rematch, sides changed';
  return (
    <button type="button" class="primary" disabled={hasAsked} onClick={ask}>
      {hasAsked ? `Waiting for ${listed(missing)}…` : offer}
    </button>
  );
}

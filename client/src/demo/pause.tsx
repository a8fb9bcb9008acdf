import { useEffect } from 'preact/hooks';
import type { MatchStatus } from '../match/match.js';
import type { LiveMatch } from './demo-game.js';
import { nameOf } from './player-names.js';

/** The key that pauses; where a player has put it on a button of the game, it is the game's. */
const PAUSE_KEY = 'KeyP';

interface PauseProps {
  readonly match: LiveMatch;
  readonly status: MatchStatus;
}

/** Whether the pause is this page's to end. */
function isOwn({ match, status }: PauseProps): boolean {
  return status.pausedBy === Math.max(0, match.me);
}

function toggle(props: PauseProps): void {
  if (props.status.pausedBy === null) props.match.pause();
  else props.match.resume();
}

/** Who has the match paused. */
export function PauseNotice(props: PauseProps) {
  const { pausedBy } = props.status;
  return (
    <p class={pausedBy === null ? 'visually-hidden' : 'notice quiet'} role="status">
      {pausedBy !== null && (isOwn(props) ? 'Paused. P goes on.' : `Paused by ${nameOf(props.status, pausedBy)}.`)}
    </p>
  );
}

/** Pauses and goes on, by the button or by its key. */
export function PauseButton(props: PauseProps) {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isWithOthers = event.ctrlKey || event.metaKey || event.altKey;
      if (event.code !== PAUSE_KEY || event.repeat || isWithOthers || event.defaultPrevented) return;
      toggle(props);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  if (props.status.pausedBy !== null && !isOwn(props)) return null;
  return (
    <button
      type="button"
      aria-keyshortcuts="P"
      onClick={(event) => {
        toggle(props);
        // Else the space bar, a key of the game, would press it again.
        event.currentTarget.blur();
      }}
    >
      {props.status.pausedBy === null ? 'Pause' : 'Go on'} <kbd>P</kbd>
    </button>
  );
}

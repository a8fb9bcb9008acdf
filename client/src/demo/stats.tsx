import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Overlay, overlay } from '../overlay/overlay.js';
import type { LiveMatch } from './demo-game.js';

const STATS_KEY = 'F2';

interface StatsProps {
  readonly match: LiveMatch;
  /** Where the figures are put. */
  readonly place: RefObject<HTMLElement | null>;
}

/** Shows the figures of a match over its picture, by the button or by its key. */
export function StatsButton({ match, place }: StatsProps) {
  const stats = useRef<Overlay | undefined>(undefined);
  const [isShown, setShown] = useState(false);
  const toggle = (): void => {
    stats.current?.toggle();
    setShown(stats.current?.isShown === true);
  };
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const made = overlay(match, { parent, key: null });
    stats.current = made;
    const press = (event: KeyboardEvent): void => {
      if (event.code !== STATS_KEY || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      toggle();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
      made.close();
    };
  }, [match, place]);
  return (
    <button
      type="button"
      aria-pressed={isShown}
      aria-keyshortcuts={STATS_KEY}
      onClick={(event) => {
        toggle();
        // Else the space bar, a key of the game, would press it again.
        event.currentTarget.blur();
      }}
    >
      Figures <kbd>{STATS_KEY}</kbd>
    </button>
  );
}

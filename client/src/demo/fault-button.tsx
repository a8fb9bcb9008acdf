import { useEffect, useState } from 'preact/hooks';
import type { LiveMatch } from './demo-game.js';
import type { PlantedFault } from './planted-fault.js';

/** No game can have it, so that nobody presses it by mistake while playing. */
const FAULT_KEY = 'F8';

/** Makes this page's game go wrong, by the button or by its key, and says that it did. */
export function FaultButton({ match, fault }: { match: LiveMatch; fault: PlantedFault }) {
  const [frame, setFrame] = useState(fault.frame);
  const plant = (): void => {
    fault.plant(match.status().frame);
    setFrame(fault.frame);
  };
  useEffect(() => {
    setFrame(fault.frame);
    const press = (event: KeyboardEvent): void => {
      if (event.code !== FAULT_KEY || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      plant();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [match, fault]);
  return (
    <>
      <span role="status">{frame !== null && `A fault is planted in this page’s game, at frame ${frame}.`}</span>
      <button
        type="button"
        disabled={frame !== null}
        aria-keyshortcuts={FAULT_KEY}
        onClick={(event) => {
          plant();
          // Else the space bar, a key of the game, would press it again.
          event.currentTarget.blur();
        }}
      >
        Plant a fault <kbd>{FAULT_KEY}</kbd>
      </button>
    </>
  );
}

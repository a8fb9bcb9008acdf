import { useEffect, useState } from 'preact/hooks';
import type { LiveMatch } from './demo-game.js';
import { delayChoice } from './stored.js';

/** Frames that a press waits, by this player's choice; what is chosen is remembered for the next match. */
export function DelayChoice({ match, asked }: { match: LiveMatch; asked: number | 'auto' | undefined }) {
  const [chosen, setChosen] = useState(asked === undefined ? delayChoice.value : String(asked));
  useEffect(() => {
    if (chosen !== 'auto') match.setInputDelay(Number(chosen));
  }, [match, chosen]);
  return (
    <label class="delay">
      Input delay{' '}
      <select
        value={chosen}
        onChange={(event) => {
          const select = event.currentTarget;
          const next = delayChoice.choices.find((choice) => choice === select.value) ?? 'auto';
          delayChoice.choose(next);
          setChosen(next);
          if (next === 'auto') match.setInputDelay('auto');
          // Else the arrow keys, which are the game's, would go on choosing.
          select.blur();
        }}
      >
        {delayChoice.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === 'auto' ? 'automatic' : `${choice} ${choice === '1' ? 'frame' : 'frames'}`}
          </option>
        ))}
      </select>
    </label>
  );
}

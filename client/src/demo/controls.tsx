import { useRef, useState } from 'preact/hooks';
import type { DemoGame } from './demo-game.js';
import { KeyDialog } from './key-dialog.js';
import { Hints, Legend } from './legend.js';
import { handChoice } from './stored.js';
import { useChoice } from './use-choice.js';

/** How a game is played: its keys, which can be changed, gamepads, and the hand for touch screens. */
export function Controls({ game }: { game: DemoGame }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const hand = useChoice(handChoice);
  // The keys live outside: their changes are shown by drawing anew.
  const [, setChanges] = useState(0);
  return (
    <section class="keys" aria-label="Controls">
      <Legend title="Keys, alone or online" legend={game.soloKeys} />
      <Legend title="Left player" legend={game.pairKeys[0]} />
      <Legend title="Right player" legend={game.pairKeys[1]} />
      <Hints hints={game.hints} />
      <div class="row settings">
        <button type="button" onClick={() => dialog.current?.showModal()}>
          Change keys…
        </button>
        <fieldset class="hand">
          <legend>On a touch screen, attack with the</legend>
          {(['left', 'right'] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="hand" checked={hand === each} onChange={() => handChoice.choose(each)} />
              {each} hand
            </label>
          ))}
        </fieldset>
      </div>
      <p class="pads">Gamepads work too: plug one in, and press a button of it.</p>
      <KeyDialog game={game} dialog={dialog} onChange={() => setChanges((changes) => changes + 1)} />
    </section>
  );
}

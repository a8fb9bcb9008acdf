import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { DemoGame } from './demo-game.js';
import type { KeySet } from './key-store.js';

/** A button whose key is being asked for. */
interface Asked {
  readonly set: KeySet;
  readonly player: number;
  readonly action: number;
}

interface KeyDialogProps {
  readonly game: DemoGame;
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly onChange: () => void;
}

/** Lets every button of a game be put on another key. */
export function KeyDialog({ game, dialog, onChange }: KeyDialogProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [told, setTold] = useState('');

  // At once with the picture, so that no press falls between them.
  useLayoutEffect(() => {
    if (asked === null) return;
    const take = (event: KeyboardEvent): void => {
      // Nothing else may take it: neither the dialog, whose Escape closes it, nor the button in focus.
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      setAsked(null);
      if (event.code === 'Escape') {
        setTold('Nothing was changed.');
        return;
      }
      const problem = asked.set.rebind(asked.player, asked.action, event.code);
      const { action, keys } = asked.set.legend(asked.player)[asked.action]!;
      setTold(problem ?? `${action}: ${keys}.`);
      onChange();
    };
    window.addEventListener('keydown', take, true);
    return () => window.removeEventListener('keydown', take, true);
  }, [asked, onChange]);

  const reset = (): void => {
    for (const set of game.keySets) set.reset();
    setAsked(null);
    setTold('All keys are as they were at first.');
    onChange();
  };
  const close = (): void => {
    setAsked(null);
    setTold('');
  };

  return (
    <dialog ref={dialog} class="card key-dialog" aria-labelledby="key-dialog" onClose={close}>
      <h2 id="key-dialog">Keys of {game.title}</h2>
      <p>Choose a button, then press its new key. Keys count by their place, whatever is printed on them.</p>
      <div class="key-sets">
        {game.keySets.flatMap((set) =>
          set.titles.map((title, player) => (
            <table key={title}>
              <caption>{title}</caption>
              <tbody>
                {set.legend(player).map((line, action) => {
                  const isAsked = asked?.set === set && asked.player === player && asked.action === action;
                  return (
                    <tr key={line.action}>
                      <th scope="row">{line.action}</th>
                      <td>
                        <button
                          type="button"
                          aria-label={`${title}, ${line.action}: ${line.keys}. Change`}
                          aria-pressed={isAsked}
                          onClick={() => {
                            setAsked({ set, player, action });
                            setTold(`Press the new key for “${line.action}”, or Escape.`);
                          }}
                        >
                          {isAsked ? 'Press a key…' : line.keys}
                        </button>
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )),
        )}
      </div>
      <p class="told" role="status">
        {told}
      </p>
      <div class="row">
        <button type="button" disabled={!game.keySets.some((set) => set.isChanged)} onClick={reset}>
          Reset all keys
        </button>
        <button type="button" class="primary" onClick={() => dialog.current?.close()}>
          Done
        </button>
      </div>
    </dialog>
  );
}

import { type GameId, gameIds } from '../params.js';
import type { Mode } from './experiment.js';
import { type Hand, labGames } from './games.js';
import type { Lab, LabView } from './lab.js';

const modes: readonly { readonly mode: Mode; readonly title: string; readonly words: string }[] = [
  { mode: 'peers', title: 'Two peers', words: 'Each guesses the other and goes back when it was wrong.' },
  { mode: 'authority', title: 'An authority', words: 'It steps each frame on time, and has the last word.' },
];

/** Who plays what. */
export function PlayersPanel({ lab, view }: { lab: Lab; view: LabView }) {
  const { game, mode, hands } = view;
  const areBothKeys = hands[0] === 'keys' && hands[1] === 'keys';
  const { soloKeys, pairKeys } = labGames[game];
  const take = (player: 0 | 1, hand: Hand): void =>
    lab.restart({ hands: player === 0 ? [hand, hands[1]] : [hands[0], hand] });
  return (
    <section class="card" aria-labelledby="players">
      <h2 id="players">Who plays</h2>
      <fieldset class="options">
        <legend class="visually-hidden">Who has the last word</legend>
        {modes.map(({ mode: each, title, words }) => (
          <label key={each} class="option">
            <input type="radio" name="mode" checked={mode === each} onChange={() => lab.restart({ mode: each })} />
            <span>
              <strong>{title}</strong>
              <small>{words}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="choices">
        <label>
          Game
          <select value={game} onChange={(event) => lab.restart({ game: gameOf(event.currentTarget.value) })}>
            {gameIds.map((id) => (
              <option key={id} value={id}>
                {labGames[id].title}
              </option>
            ))}
          </select>
        </label>
        {([0, 1] as const).map((player) => (
          <label key={player}>
            Player {player + 1}
            <select
              value={hands[player]}
              onChange={(event) => {
                const hand = event.currentTarget.value === 'keys' ? 'keys' : 'bot';
                // The keys are the game's from now on.
                if (hand === 'keys') event.currentTarget.blur();
                take(player, hand);
              }}
            >
              <option value="bot">Bot</option>
              <option value="keys">Keyboard</option>
            </select>
          </label>
        ))}
      </div>
      {hands.map(
        (hand, player) =>
          hand === 'keys' && (
            <p key={player} class={`player-${player}`}>
              Player {player + 1}: {areBothKeys ? pairKeys[player === 0 ? 0 : 1] : soloKeys}
            </p>
          ),
      )}
    </section>
  );
}

function gameOf(value: string): GameId {
  return gameIds.find((id) => id === value) ?? 'duel';
}

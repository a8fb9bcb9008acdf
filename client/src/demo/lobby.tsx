import { NAME_LENGTH_MAX, normalizeRoomCode, ROOM_CODE_LENGTH } from '@riposte/shared/protocol';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Controls } from './controls.js';
import { demoGames } from './demo-game.js';
import { storeName } from './name-store.js';
import { gameIds, type Meeting, playersMax } from './params.js';
import { RecentMatches } from './recent-matches.js';
import { hasWebRtc, type Table, type TableView } from './table.js';

interface LobbyProps {
  readonly table: Table;
  readonly view: TableView;
  /** From a match, or from the way to one. */
  readonly isReturn: boolean;
}

/** Where matches begin: a friend's link, a stranger, or two at one keyboard. */
export function Lobby({ table, view, isReturn }: LobbyProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Else the focus would be lost with the button that was pressed; who has just come begins where the browser begins.
  useEffect(() => {
    if (isReturn) heading.current?.focus();
  }, [isReturn]);
  const [code, setCode] = useState('');
  const [codeProblem, setCodeProblem] = useState('');
  const game = demoGames[view.game];
  const most = playersMax[view.game];
  const { players = 2 } = view.request;

  const enter = (meetingOf: (room: string) => Meeting): void => {
    const room = normalizeRoomCode(code);
    if (room === undefined) {
      setCodeProblem(`A code has ${ROOM_CODE_LENGTH} letters and digits, such as K7M2QX. Check it with your friend.`);
      return;
    }
    setCodeProblem('');
    void table.meet(meetingOf(room));
  };
  const join = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    enter((room) => ({ room }));
  };

  return (
    <div class="lobby">
      <h1 class="visually-hidden" ref={heading} tabIndex={-1}>
        Riposte: start a match
      </h1>
      {view.notice !== null && (
        <p class="notice" role="alert">
          {view.notice}
        </p>
      )}
      <section class="card you" aria-label="You and the game">
        <div class="field">
          <label for="name">Your name</label>
          <input
            id="name"
            type="text"
            autocomplete="nickname"
            maxLength={NAME_LENGTH_MAX}
            placeholder="Player"
            value={view.request.name ?? ''}
            onInput={(event) => {
              const name = event.currentTarget.value.trim();
              table.rename(name);
              storeName(name);
            }}
          />
        </div>
        <fieldset class="options">
          <legend>Game</legend>
          {gameIds.map((id) => (
            <label key={id} class="option">
              <input type="radio" name="game" checked={view.game === id} onChange={() => table.choose(id)} />
              <span>
                <strong>{demoGames[id].title}</strong>
                <small>{demoGames[id].pitch}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {most > 2 && (
          <div class="field">
            <label for="players">Players</label>
            <select id="players" value={players} onChange={(event) => table.seat(Number(event.currentTarget.value))}>
              {Array.from({ length: most - 1 }, (_, at) => (
                <option key={at} value={at + 2}>
                  {at + 2}
                </option>
              ))}
            </select>
          </div>
        )}
      </section>
      <section class="card" aria-labelledby="friend">
        <h2 id="friend">Play a friend</h2>
        <p>
          Create a match and send the link. The match begins when{' '}
          {players > 2 ? `${players - 1} friends have opened it` : 'your friend opens it'}.
        </p>
        <button type="button" class="primary" disabled={!hasWebRtc} onClick={() => void table.meet({ create: true })}>
          Create a match
        </button>
        <form class="join" onSubmit={join} noValidate>
          <label for="code">Or join, or watch, with a code</label>
          <div class="row">
            <input
              id="code"
              type="text"
              class="code"
              value={code}
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              placeholder="K7M2QX"
              aria-describedby="code-problem"
              aria-invalid={codeProblem !== ''}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
            <button type="submit" disabled={!hasWebRtc}>
              Join
            </button>
            <button type="button" disabled={!hasWebRtc} onClick={() => enter((watch) => ({ watch }))}>
              Watch
            </button>
          </div>
          <p id="code-problem" class="problem" role="status">
            {codeProblem}
          </p>
        </form>
      </section>
      <section class="card" aria-labelledby="stranger">
        <h2 id="stranger">Quick match</h2>
        <p>Meet whoever else is waiting for a {game.title.toLowerCase()} right now.</p>
        <button type="button" disabled={!hasWebRtc} onClick={() => void table.meet({ quick: true })}>
          Find an opponent
        </button>
      </section>
      <section class="card" aria-labelledby="together">
        <h2 id="together">Side by side</h2>
        <p>Two players on this keyboard, no network.</p>
        <button type="button" onClick={() => table.playLocal()}>
          Versus on one keyboard
        </button>
      </section>
      {game.partners.length > 0 && (
        <section class="card practise" aria-labelledby="alone">
          <h2 id="alone">Practise</h2>
          <p>Alone, no network: learn the blows on a dummy, then use them.</p>
          <div class="row">
            {game.partners.map(({ id, title }) => (
              <button key={id} type="button" onClick={() => table.practise(id)}>
                {title}
              </button>
            ))}
          </div>
        </section>
      )}
      <RecentMatches />
      <Controls game={game} />
      <p class="elsewhere">
        <a href="/inspect">Inspect a recording</a>: every frame of a match that was played, and where two sides parted.
      </p>
      <p class="elsewhere">
        <a href="/lab">The rollback lab</a>: two machines and a link as bad as you like, frame by frame.
      </p>
    </div>
  );
}

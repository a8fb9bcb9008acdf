import { useEffect, useRef, useState } from 'preact/hooks';
import type { Desync } from '../match/match.js';
import { ConnectionCard } from './connection-card.js';
import { DelayChoice } from './delay-choice.js';
import { type Dummy, demoGames, type LiveMatch } from './demo-game.js';
import { download } from './download.js';
import { endingOf, titleOf } from './ending.js';
import { FaultButton } from './fault-button.js';
import { FigureList } from './figure-list.js';
import { Legend } from './legend.js';
import { linkHint } from './link-hint.js';
import { logicSwitch } from './logic-switch.js';
import { PauseButton, PauseNotice } from './pause.js';
import { Presences } from './presences.js';
import { RematchButton, RematchNews } from './rematch.js';
import { StatsButton } from './stats.js';
import type { Table, TableView } from './table.js';
import { TouchPad } from './touch-pad.js';
import { connectionFigures, type ShownFigure, useConnection } from './use-connection.js';

/** What the pace follows when a machine cannot keep the game's rate. */
const SLOW = {
  own: ['Pace', 'this machine is slow'],
  peer: ['Pace', 'another machine is slow'],
} as const;

/** The match: its picture, a status line, and at its end what happened and what next. */
export function MatchScreen({ table, view, match }: { table: Table; view: TableView; match: LiveMatch }) {
  const { status } = view;
  const stats = useRef<HTMLDivElement>(null);
  const over = status.phase === 'ended' || status.phase === 'failed';
  const game = demoGames[view.game];
  const isWatched = view.meeting !== null && 'watch' in view.meeting;
  return (
    <section class="match" aria-label={titleOf(status)}>
      <h1 class="visually-hidden">{titleOf(status)}</h1>
      <div class="stage">
        <Picture canvas={view.canvas} isPlayed={!over} />
        <div class="stats" ref={stats} />
        {!over && !isWatched && view.meeting !== null && <ConnectionCard match={match} />}
      </div>
      <p class="visually-hidden" role="status">
        {phaseWords(status.phase)}
      </p>
      <News match={match} />
      {!over && <PauseNotice match={match} status={status} />}
      {!over && <Presences match={match} status={status} />}
      {status.desync !== null && <DesyncNotice match={match} desync={status.desync} room={status.room} />}
      {!over && match.pad !== null && <TouchPad pad={match.pad} />}
      {!over && match.dummy !== null && <DummyChoice dummy={match.dummy} />}
      {over && <Ending table={table} view={view} match={match} />}
      <div class="bar">
        <StatusLine match={match} isWatched={isWatched} isHere={view.meeting === null} />
        <div class="actions">
          {!over && !isWatched && match.status().authority === undefined && (
            <PauseButton match={match} status={status} />
          )}
          {!over && !isWatched && view.meeting !== null && match.status().authority === undefined && (
            <DelayChoice match={match} asked={view.request.inputDelay} />
          )}
          <StatsButton match={match} place={stats} />
          {!over && <LogicButton />}
          {!over && match.fault !== null && <FaultButton match={match} fault={match.fault} />}
          <SaveButton
            title="Download recording"
            name={`riposte-${view.game}-${status.room ?? 'local'}-${match.me + 1}.rpl`}
            bytes={() => match.recording()}
          />
          {!over && (
            <button type="button" onClick={() => table.leave()}>
              Leave
            </button>
          )}
        </div>
      </div>
      {!over && !isWatched && (
        <div class="keys">
          {match.me === -1 ? (
            game.pairKeys.map((legend, player) => (
              <Legend key={player} title={player === 0 ? 'Left player' : 'Right player'} legend={legend} />
            ))
          ) : (
            <Legend title="Your keys" legend={game.soloKeys} />
          )}
        </div>
      )}
    </section>
  );
}

/** Where the match parted, in words, and the report that leads to the cause. */
function DesyncNotice({ match, desync, room }: { match: LiveMatch; desync: Desync; room: string | null }) {
  const { frame, path, here, there } = desync;
  const isWatched = match.me < 0;
  return (
    <div class="notice desync" role="alert">
      <p>
        <strong>Desync: this match is void.</strong>{' '}
        {path === undefined ? (
          `The two games are no longer the same from frame ${frame} on.`
        ) : (
          <>
            <code>{path}</code> {here} here, {there} there, at frame {frame}.
          </>
        )}
      </p>
      {!isWatched && (
        <p class="row">
          <SaveButton
            title="Download report"
            name={`riposte-desync-${room ?? 'local'}-${match.me + 1}.rpr`}
            bytes={() => match.report()}
          />
          <span>
            It has both recordings: drop it on the{' '}
            <a href="/inspect" target="_blank" rel="noreferrer">
              inspector
            </a>
            .
          </span>
        </p>
      )}
    </div>
  );
}

/** Shows the canvas that the match draws on, and takes the keyboard's focus there. */
function Picture({ canvas, isPlayed }: { canvas: HTMLCanvasElement | null; isPlayed: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (canvas === null) return;
    place.current?.replaceChildren(canvas);
  }, [canvas]);
  useEffect(() => {
    if (isPlayed) canvas?.focus();
  }, [canvas, isPlayed]);
  return <div class="frame" ref={place} />;
}

/** Tells who cannot see the picture what counts. */
function News({ match }: { match: LiveMatch }) {
  const [news, setNews] = useState('');
  useEffect(() => match.onNews(setNews), [match]);
  return (
    <p class="visually-hidden" role="status">
      {news}
    </p>
  );
}

/** What the dummy does, again and again. */
function DummyChoice({ dummy }: { dummy: Dummy }) {
  const [habit, setHabit] = useState(dummy.habit);
  return (
    <fieldset class="row dummy">
      <legend>The dummy’s habit</legend>
      {dummy.habits.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-pressed={habit === id}
          onClick={(event) => {
            dummy.choose(id);
            setHabit(dummy.habit);
            // Else the space bar, a key of the game, would press it again.
            event.currentTarget.blur();
          }}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}

function phaseWords(phase: string): string {
  switch (phase) {
    case 'running':
      return 'The match is running.';
    default:
      return '';
  }
}

function Ending({ table, view, match }: { table: Table; view: TableView; match: LiveMatch }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const ending = endingOf(match);
  const { status } = view;
  const canFollow = status.rematch !== null;
  const otherwise = canFollow ? '' : 'primary';
  return (
    <div class="card ending">
      <h2 ref={heading} tabIndex={-1}>
        {ending.title}
      </h2>
      <p role="status">{ending.text}</p>
      <RematchNews match={match} status={status} />
      <div class="row">
        <RematchButton match={match} status={status} isHere={view.meeting === null} ask={() => table.rematch()} />
        {view.meeting === null && !canFollow && (
          <button
            type="button"
            class="primary"
            onClick={() => (view.partner === null ? table.playLocal() : table.practise(view.partner))}
          >
            Play again
          </button>
        )}
        {view.meeting !== null && 'quick' in view.meeting && (
          <button type="button" class={otherwise} onClick={() => void table.meet({ quick: true })}>
            Find another opponent
          </button>
        )}
        {view.meeting !== null && !('quick' in view.meeting) && !('watch' in view.meeting) && (
          <button type="button" class={otherwise} onClick={() => void table.meet({ create: true })}>
            Create a new match
          </button>
        )}
        <button type="button" onClick={() => table.leave()}>
          Back to the lobby
        </button>
      </div>
    </div>
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The figures of the connection, a few times a second. */
function StatusLine({ match, isWatched, isHere }: { match: LiveMatch; isWatched: boolean; isHere: boolean }) {
  const connection = useConnection(match);
  const { status } = connection;
  const { authority } = status;
  const figures: readonly ShownFigure[] =
    isWatched || isHere
      ? [
          ...(isWatched
            ? [['Behind', counted(Math.max(0, status.confirmedFrame - status.frame), 'frame')] as const]
            : []),
          ['Frame', Math.max(0, status.frame)],
        ]
      : authority
        ? [
            ...connectionFigures(connection),
            ['Unconfirmed', counted(authority.unconfirmedFrames, 'frame')],
            ['Corrections', authority.corrections.count],
            ['Late inputs', authority.missedInputs],
            ['Deepest', counted(status.maxRollbackFrames, 'frame')],
            ['Stalls', status.stalledFrames],
            ['Frame', Math.max(0, status.frame)],
          ]
        : [
            ...connectionFigures(connection),
            ['Rollbacks', status.rollbacks],
            ['Deepest', counted(status.maxRollbackFrames, 'frame')],
            ['Delay', `${status.inputDelay} here, ${status.peerInputDelay} there`],
            ['Stalls', status.stalledFrames],
            ['Frame', Math.max(0, status.frame)],
            ...(status.slowMachine === null ? [] : [SLOW[status.slowMachine]]),
          ];
  const hint = isWatched || isHere ? undefined : linkHint(status);
  return (
    <div>
      <FigureList figures={figures} />
      {hint !== undefined && <p class="link-hint">{hint}</p>}
    </div>
  );
}

/** Shows where the logic has things beside where they are drawn: the difference is what a correction left to blend. */
function LogicButton() {
  const [isOn, setOn] = useState(logicSwitch.isOn);
  const toggle = (event: Event): void => {
    logicSwitch.isOn = !logicSwitch.isOn;
    setOn(logicSwitch.isOn);
    // Else the space bar, a key of the game, would press it again.
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
  };
  return (
    <button type="button" aria-pressed={isOn} onClick={toggle}>
      Show logic
    </button>
  );
}

/** Saves a file that may take a moment to come. */
function SaveButton({ title, name, bytes }: { title: string; name: string; bytes: () => Promise<Uint8Array> }) {
  const [problem, setProblem] = useState('');
  const save = async (): Promise<void> => {
    try {
      download(await bytes(), name);
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <span class="problem" role="status">
        {problem}
      </span>
      <button type="button" onClick={() => void save()}>
        {title}
      </button>
    </>
  );
}

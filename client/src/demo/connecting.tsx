import { useEffect, useRef } from 'preact/hooks';
import { demoGames } from './demo-game.js';
import { Hints, Legend } from './legend.js';
import { linkHint, mediumHint } from './link-hint.js';
import { listed, nameOf } from './player-names.js';
import { SERVER_PINGS, useServerPing } from './server-ping.js';
import { ShareLink } from './share-link.js';
import { Steps } from './steps.js';
import { linkTo, type Table, type TableView } from './table.js';
import { Waited } from './waited.js';

/** From the wish to play to the first frame, in words. */
export function Connecting({ table, view }: { table: Table; view: TableView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { roomCode } = view;
  const mustShare = view.meeting !== null && 'create' in view.meeting && view.status.phase === 'lobby';
  const isWatch = view.meeting !== null && 'watch' in view.meeting;
  const game = demoGames[view.game];
  const server = useServerPing();
  const measures = server === undefined ? null : { rttMs: server };
  const hint = linkHint({ slowMachine: null, measures }, SERVER_PINGS) ?? mediumHint(navigator.connection?.type);
  return (
    <>
      <section class="card connecting" aria-labelledby="connecting">
        <h1 id="connecting" ref={heading} tabIndex={-1}>
          {game.title}
        </h1>
        <p class="progress" role="status">
          {wordsFor(view)}
        </p>
        {!isWatch && <Steps view={view} server={server} />}
        {!isWatch && hint !== undefined && <p class="link-hint">{hint}</p>}
        {mustShare && roomCode !== null && (
          <ShareLink code={roomCode} link={linkTo(roomCode, { ...view.request, game: view.game })} />
        )}
        {view.meeting !== null && 'quick' in view.meeting && view.status.phase === 'lobby' && <Waited />}
        <button type="button" onClick={() => table.leave()}>
          Cancel
        </button>
      </section>
      {view.request.bot === undefined && !isWatch && (
        <div class="keys while-waiting">
          <Legend title="Your keys" legend={game.soloKeys} />
          <Hints hints={game.hints} />
        </div>
      )}
    </>
  );
}

/** The step of the way that the match is at: server, peers, handshake, first frame. */
function wordsFor({ status, meeting, roomCode, seats }: TableView): string {
  const others = listed(status.players.flatMap(({ me }, player) => (me ? [] : nameOf(status, player))));
  const isCrowd = seats !== null && seats.size > 2;
  if (meeting !== null && 'watch' in meeting) {
    return status.phase === 'lobby'
      ? `In room ${meeting.watch}. The match is shown as soon as it runs and somebody can tell it.`
      : `Asking for the match of room ${meeting.watch}…`;
  }
  switch (status.phase) {
    case 'lobby': {
      const here = isCrowd ? ` ${seats.here} of ${seats.size} ${seats.here === 1 ? 'is' : 'are'} here.` : '';
      if (meeting !== null && 'create' in meeting) {
        return `Your room is open. Send the link and keep this page open.${here}`;
      }
      if (meeting !== null && 'quick' in meeting) {
        return isCrowd
          ? `Looking for opponents: the match begins when all are there.${here}`
          : 'Looking for an opponent: the match begins when one comes.';
      }
      return isCrowd
        ? `You are in the room.${here} Waiting for the others…`
        : 'You are in the room. Waiting for the other player…';
    }
    case 'syncing':
      return `Connected. Agreeing on the match with ${others || 'the other player'}…`;
    case 'running':
      return 'Starting…';
    default:
      if (roomCode !== null) {
        return `Found ${others || 'the other player'}. Connecting ${isCrowd ? 'all of you' : 'the two of you'}…`;
      }
      if (meeting !== null && 'room' in meeting) return `Asking the server for room ${meeting.room}…`;
      return 'Asking the server for a room…';
  }
}

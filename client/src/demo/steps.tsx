import type { Spread } from '../session/samples.js';
import type { TableView } from './table.js';

/** A part of the way to the first frame. */
interface Step {
  readonly title: string;
  /** What is known of it. */
  readonly fact?: string;
}

/** The way from the wish to play to the first frame: what is done, and where it stands. */
export function Steps({ view, server }: { view: TableView; server: Spread | undefined }) {
  const at = stepAt(view);
  return (
    <ol class="steps" aria-label="Steps to the match">
      {stepsOf(view, server).map(({ title, fact }, index) => (
        <li key={title} class={index < at ? 'done' : ''} aria-current={index === at ? 'step' : undefined}>
          {title}
          {index < at && <span class="visually-hidden"> done</span>}
          {fact !== undefined && <small> {fact}</small>}
        </li>
      ))}
    </ol>
  );
}

function stepsOf({ seats }: TableView, server: Spread | undefined): readonly Step[] {
  const isCrowd = seats !== null && seats.size > 2;
  return [
    {
      title: 'Server',
      ...(server !== undefined && server.p50 !== null && { fact: `${Math.round(server.p50)} ms` }),
    },
    {
      title: isCrowd ? 'Other players' : 'Other player',
      ...(isCrowd && { fact: `${seats.here} of ${seats.size} are here` }),
    },
    { title: 'Connection' },
    { title: 'Agreement' },
  ];
}

/** Which of the steps is under way. */
function stepAt({ status, roomCode }: TableView): number {
  switch (status.phase) {
    case 'lobby':
      return 1;
    case 'syncing':
    case 'running':
      return 3;
    default:
      return roomCode === null ? 0 : 2;
  }
}

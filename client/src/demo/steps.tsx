import type { Spread } from '../session/samples.js';
import type { TableView } from './table.js';

/** The way from the wish to play to the first frame: what is done, and where it stands. */
export function Steps({ view, server }: { view: TableView; server: Spread | undefined }) {
  const at = stepAt(view);
  const isCrowd = view.seats !== null && view.seats.size > 2;
  const steps = ['Server', isCrowd ? 'Other players' : 'Other player', 'Connection', 'Agreement'];
  return (
    <ol class="steps" aria-label="Steps to the match">
      {steps.map((title, index) => (
        <li key={title} class={index < at ? 'done' : ''} aria-current={index === at ? 'step' : undefined}>
          {title}
          {index < at && <span class="visually-hidden"> done</span>}
          {index === 0 && server?.p50 != null && <small> {Math.round(server.p50)} ms</small>}
        </li>
      ))}
    </ol>
  );
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

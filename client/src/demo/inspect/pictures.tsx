import { inputText } from '@riposte/shared';
import { useEffect, useRef } from 'preact/hooks';
import type { DrawInfo } from '../../match/match.js';
import { blankStatus } from '../../match/status.js';
import { sideNames } from './facts.js';
import type { Picture } from './games.js';
import type { Inspection, InspectionView } from './inspection.js';

/** The game at the frame that is looked at, as each side had it. */
export function Pictures({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { sides, game, gameProblem } = view;
  if (game === null) return <p class="notice">{gameProblem}</p>;
  return (
    <div class={`pictures sides-${sides.length}`}>
      {sides.map(({ name }, side) => (
        <figure key={`${side} ${name}`}>
          {game.pictureOn === null ? (
            side === 0 && <p class="notice">The game’s file exports no view: its states are shown without a picture.</p>
          ) : (
            <GamePicture inspection={inspection} view={view} side={side} pictureOn={game.pictureOn} />
          )}
          <figcaption>
            {sides.length > 1 && <strong>{sideNames[side]} </strong>}
            <Presses inspection={inspection} view={view} side={side} />
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

interface PictureProps {
  readonly inspection: Inspection;
  readonly view: InspectionView;
  readonly side: number;
  readonly pictureOn: (canvas: HTMLCanvasElement) => Picture<unknown>;
}

function GamePicture({ inspection, view, side, pictureOn }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<Picture<unknown> | null>(null);
  const found = inspection.stateOf(side);
  useEffect(() => {
    picture.current = canvas.current === null ? null : pictureOn(canvas.current);
  }, [pictureOn]);
  useEffect(() => {
    if (!view.isSettled) return;
    const { recording } = view.sides[side]!;
    const now = inspection.stateOf(side);
    if (now.kind === 'state') picture.current?.draw(now.state, infoOf(view.frame, recording.header.names));
  }, [inspection, view, side, pictureOn]);
  return (
    <div class="frame">
      <canvas ref={canvas} class="picture" role="img" aria-label={`The game at frame ${view.frame}`} />
      {found.kind === 'none' && <p class="over-picture">{found.why}</p>}
    </div>
  );
}

/** Nobody plays here: a picture is drawn as for people who only watch. */
function infoOf(frame: number, names: readonly string[]): DrawInfo {
  const players = names.map((name) => ({ name, me: false, presence: 'here' as const }));
  return {
    me: -1,
    alpha: 0,
    frame,
    status: { ...blankStatus, phase: 'running', frame, confirmedFrame: frame, players },
  };
}

/** What each player presses in the frame. */
function Presses({ inspection, view, side }: Omit<PictureProps, 'pictureOn'>) {
  const { recording } = view.sides[side]!;
  const { names } = recording.header;
  return (
    <span class="presses">
      {names.map((name, player) => {
        const words = inspection.inputAt(recording, player);
        return (
          <span key={player} class={`player-${player}`}>
            {name || `Player ${player + 1}`}{' '}
            <code>{words === undefined ? '–' : inputText(view.game?.game.input, words, 0, words.length)}</code>
          </span>
        );
      })}
    </span>
  );
}

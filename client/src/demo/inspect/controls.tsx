import type { Inspection, InspectionView } from './inspection.js';

/** Minutes, seconds and hundredths of a match. */
export function clockText(frame: number, tickRate: number): string {
  const hundredths = Math.floor((frame * 100) / tickRate);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${Math.floor(hundredths / 6000)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

/** Playing, stepping, and the bar that goes anywhere in the match. */
export function Controls({ inspection, view }: { inspection: Inspection; view: InspectionView }) {
  const { frame, firstFrame, lastFrame, isPlaying, isAsSeen, isSettled, sides } = view;
  const { tickRate } = sides[0]!.recording.header;
  return (
    <div class="controls">
      <div class="buttons">
        <button
          type="button"
          onClick={() => inspection.step(-1)}
          aria-label="A frame back"
          disabled={frame === firstFrame}
        >
          ◂
        </button>
        <button type="button" class="play" onClick={() => (isPlaying ? inspection.pause() : inspection.play())}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" onClick={() => inspection.step(1)} aria-label="A frame on" disabled={frame === lastFrame}>
          ▸
        </button>
        {inspection.hasRollbacks && (
          <button type="button" aria-pressed={isAsSeen} onClick={() => inspection.showAsSeen(!isAsSeen)}>
            As it was seen
          </button>
        )}
      </div>
      <p class="where">
        <strong>Frame {frame}</strong> <span>of {lastFrame}</span> <span>{clockText(frame, tickRate)}</span>
        {!isSettled && !isPlaying && <span class="busy"> running…</span>}
      </p>
      <input
        type="range"
        aria-label="Frame"
        min={firstFrame}
        max={lastFrame}
        step={1}
        value={frame}
        aria-valuetext={`frame ${frame}, ${clockText(frame, tickRate)}`}
        onInput={(event) => {
          inspection.pause();
          inspection.seek(event.currentTarget.valueAsNumber);
        }}
      />
    </div>
  );
}

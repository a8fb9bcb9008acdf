import { useEffect } from 'preact/hooks';
import type { Pad } from './pad.js';
import { handChoice } from './stored.js';
import { useChoice } from './use-choice.js';

/** Buttons for two thumbs; the style sheet shows them where fingers are what people point with. */
export function TouchPad({ pad }: { pad: Pad }) {
  useEffect(() => () => pad.clear(), [pad]);
  const hand = useChoice(handChoice);
  return (
    <div class={`pad pad-${hand}`}>
      {pad.groups.map((group, index) => (
        <div key={index} class="thumb">
          {group.map(({ label, action, press }) => (
            <button
              key={label}
              type="button"
              aria-label={action}
              onPointerDown={(event) => {
                // So that the release arrives here, wherever the finger has slid to by then.
                event.currentTarget.setPointerCapture(event.pointerId);
                press(event.pointerId);
              }}
              onPointerUp={(event) => pad.release(event.pointerId)}
              onPointerCancel={(event) => pad.release(event.pointerId)}
              onContextMenu={(event) => event.preventDefault()}
            >
              {label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

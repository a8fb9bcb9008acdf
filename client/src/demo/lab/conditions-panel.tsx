import type { Lab, LabView } from './lab.js';
import { type FullConditions, presets } from './presets.js';

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly max: number;
  readonly step?: number;
  readonly min?: number;
  readonly words: string;
  readonly disabled?: boolean;
  readonly onChange: (value: number) => void;
}

function Slider({ label, value, text, min = 0, max, step = 1, words, disabled = false, onChange }: SliderProps) {
  return (
    <label class="slider">
      <span>
        {label} <output>{text}</output>
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={text}
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
        // Else the arrow keys, which are those of a game, would move it on.
        onPointerUp={(event) => event.currentTarget.blur()}
      />
      <small>{words}</small>
    </label>
  );
}

const milliseconds = (ms: number): string => `${ms} ms`;
const percent = (rate: number): string => `${+(rate * 100).toFixed(1)} %`;
const frames = (count: number): string => `${count} frame${count === 1 ? '' : 's'}`;

/** The sliders of the link, in the order in which they matter. */
const sliders: readonly {
  readonly key: keyof FullConditions;
  readonly label: string;
  readonly max: number;
  readonly step: number;
  readonly text: (value: number) => string;
  readonly words: string;
}[] = [
  {
    key: 'delayMs',
    label: 'Delay',
    max: 400,
    step: 1,
    text: milliseconds,
    words: 'One way. Three frames of a game last 50 ms.',
  },
  {
    key: 'jitterMs',
    label: 'Jitter',
    max: 150,
    step: 1,
    text: milliseconds,
    words: 'Each packet is up to so much earlier or later.',
  },
  {
    key: 'lossRate',
    label: 'Loss',
    max: 0.5,
    step: 0.001,
    text: percent,
    words: 'Lost for good. The next packet repeats what was in it.',
  },
  {
    key: 'duplicateRate',
    label: 'Duplication',
    max: 0.5,
    step: 0.01,
    text: percent,
    words: 'Arrive twice. The second one tells nothing new.',
  },
  {
    key: 'reorderRate',
    label: 'Reordering',
    max: 0.5,
    step: 0.01,
    text: percent,
    words: 'Held back, so that later ones overtake them.',
  },
];

/** What the link does to packets, and how the two machines answer it. */
export function ConditionsPanel({ lab, view }: { lab: Lab; view: LabView }) {
  const { link, inputDelay, window, mode } = view;
  const chosen = lab.preset;
  return (
    <>
      <section class="card" aria-labelledby="link">
        <h2 id="link">The link</h2>
        <fieldset class="presets">
          <legend class="visually-hidden">Kinds of link</legend>
          {presets.map(({ id, title, what, link: preset }, at) => (
            <button
              key={id}
              type="button"
              aria-pressed={chosen === id}
              title={what}
              onClick={() => lab.setLink(preset)}
              aria-keyshortcuts={String(at + 1)}
            >
              {title}
            </button>
          ))}
        </fieldset>
        <p class="what">{presets.find(({ id }) => id === chosen)?.what ?? 'A link of your own making.'}</p>
        {sliders.map(({ key, text, ...slider }) => (
          <Slider
            key={key}
            {...slider}
            value={link[key]}
            text={text(link[key])}
            onChange={(value) => lab.setLink({ [key]: value })}
          />
        ))}
      </section>
      <section class="card" aria-labelledby="answer">
        <h2 id="answer">The answer</h2>
        <Slider
          label="Input delay"
          value={inputDelay}
          text={frames(inputDelay)}
          max={15}
          words="A press plays so many frames later, on both sides: time to travel. Fewer rollbacks, a slower feel."
          onChange={(value) => lab.setInputDelay(value)}
        />
        <Slider
          label="Prediction window"
          value={window}
          text={frames(window)}
          min={1}
          max={30}
          words={
            mode === 'peers'
              ? 'So many frames may be guessed; then the match waits. A change begins a new match.'
              : 'Against an authority it follows the link by itself.'
          }
          disabled={mode === 'authority'}
          onChange={(value) => lab.restart({ window: value })}
        />
      </section>
    </>
  );
}

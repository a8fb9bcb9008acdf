import { useEffect } from 'preact/hooks';
import { hasSound } from './sound.js';
import { soundChoice } from './stored.js';
import { useChoice } from './use-choice.js';

/** Switches the sound off and on, as the key M does wherever nothing is typed. */
export function SoundButton() {
  const value = useChoice(soundChoice);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.code !== 'KeyM' || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLElement && target.matches('input[type="text"], textarea, select, dialog *')) return;
      toggle();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  if (!hasSound) return null;
  return (
    <button type="button" class="sound" aria-pressed={value === 'on'} aria-keyshortcuts="M" onClick={toggle}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 9h4l5-4v14l-5-4H4z" />
        <path d={value === 'on' ? 'M16.5 8.5a5 5 0 0 1 0 7M19 6a8.5 8.5 0 0 1 0 12' : 'm16.5 9.5 5 5m0-5-5 5'} />
      </svg>
      Sound <kbd>M</kbd>
    </button>
  );
}

function toggle(): void {
  soundChoice.choose(soundChoice.value === 'on' ? 'off' : 'on');
}

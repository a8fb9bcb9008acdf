import { useState } from 'preact/hooks';
import { logicSwitch } from '../logic-switch.js';
import { type Lab, type LabView, type Speed, speeds } from './lab.js';
import { useReadings } from './use-lab.js';

const speedNames: Readonly<Record<Speed, string>> = { 1: 'Full speed', 0.25: '1/4', 0.1: '1/10' };

/** Time, which is the lab's own here: it stands, crawls or goes by single frames; and what may be done to the match. */
export function TimeBar({ lab, view }: { lab: Lab; view: LabView }) {
  const { isPaused, speed, isSmooth } = view;
  const [hasLogic, setLogic] = useState(logicSwitch.isOn);
  return (
    <fieldset class="time">
      <legend class="visually-hidden">Time and picture</legend>
      <button type="button" class="primary" onClick={() => lab.pause(!isPaused)}>
        {isPaused ? 'Go on' : 'Pause'}
      </button>
      <button type="button" onClick={() => lab.step()}>
        Step
      </button>
      {speeds.map((each) => (
        <button key={each} type="button" aria-pressed={speed === each} onClick={() => lab.setSpeed(each)}>
          {speedNames[each]}
        </button>
      ))}
      <button type="button" aria-pressed={isSmooth} onClick={() => lab.setSmooth(!isSmooth)}>
        Smoothing
      </button>
      <button
        type="button"
        aria-pressed={hasLogic}
        onClick={() => {
          logicSwitch.isOn = !logicSwitch.isOn;
          setLogic(logicSwitch.isOn);
        }}
      >
        Outlines
      </button>
      <button type="button" onClick={() => lab.plantFault()}>
        Fault
      </button>
      <button type="button" onClick={() => lab.restart()}>
        New match
      </button>
    </fieldset>
  );
}

/** What became of a planted fault, and of a match that ended. */
export function News({ lab }: { lab: Lab }) {
  useReadings();
  const { experiment } = lab.live;
  const { finding, isFaultPending, sides, mode } = experiment;
  const ended = sides.find(({ phase }) => phase === 'ended');
  const interrupted = sides.find(({ phase }) => phase === 'interrupted');
  return (
    <div class="news" role="status">
      {isFaultPending && <p class="notice quiet">One bit of a state was turned over. Who will notice?</p>}
      {finding !== null && !finding.isHealed && (
        <p class="notice desync">
          <strong>Desync at frame {finding.frame}.</strong> The hashes of the confirmed states part there
          {finding.fields.length > 0 && (
            <>
              , in <code>{finding.fields.slice(0, 3).join(', ')}</code>
              {finding.fields.length > 3 && ` and ${finding.fields.length - 3} more fields`}
            </>
          )}
          . Both sides found the same frame by themselves, from the few bytes of hash that ride in each packet.
        </p>
      )}
      {finding?.isHealed === true && (
        <p class="notice quiet">
          <strong>Healed.</strong> In frame {finding.frame} Player 1’s state was altered. Its hash was not the
          authority’s, so it took the authority’s whole state.
        </p>
      )}
      {mode === 'peers' && interrupted !== undefined && ended === undefined && (
        <p class="notice quiet">Nothing is heard: the match waits for the link.</p>
      )}
      {ended !== undefined && <p class="notice quiet">{ended.reason} The next match begins in a moment.</p>}
    </div>
  );
}

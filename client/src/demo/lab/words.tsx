import type { Lab } from './lab.js';
import { presets } from './presets.js';
import { useView } from './use-lab.js';

const link = (id: string) => presets.find((preset) => preset.id === id)!.link;

interface Trial {
  readonly title: string;
  readonly words: string;
  readonly run: (lab: Lab) => void;
}

/** What one learns most from, each a press away. */
const trials: readonly Trial[] = [
  {
    title: 'See one guess go wrong',
    words:
      'At a tenth of the speed, over 4G: watch the hollow frames at the right edge. A packet comes in, an arc goes back to the first frame that had guessed wrong, and the frames since then turn red. The picture jumps by just that.',
    run: (lab) => {
      lab.setLink(link('4g'));
      lab.setSpeed(0.1);
      lab.setSmooth(false);
      lab.pause(false);
    },
  },
  {
    title: 'Do without guesses',
    words:
      'What games did before: with a window of one next to nothing may be guessed, so that each frame waits for the other’s press. Over 4G the match crawls. Then draw the window back to eight.',
    run: (lab) => {
      lab.restart({ mode: 'peers', window: 1 });
      lab.setLink(link('4g'));
      lab.setInputDelay(1);
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
  {
    title: 'Trade lag for rollbacks',
    words:
      'Between two peers over good DSL a press needs under two frames to arrive. With an input delay of three it is there before its frame is played: the arcs are gone. What it costs is that your own press waits as long.',
    run: (lab) => {
      lab.restart({ mode: 'peers', window: 8 });
      lab.setLink(link('dsl'));
      lab.setInputDelay(3);
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
  {
    title: 'Run into the window',
    words:
      'Between two peers a press needs 18 frames by satellite, and no more than eight may be guessed: the match stalls again and again. That, not rollback, is what a far link feels like.',
    run: (lab) => {
      lab.restart({ mode: 'peers', window: 8 });
      lab.setLink(link('satellite'));
      lab.setInputDelay(1);
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
  {
    title: 'Lose a quarter of all packets',
    words:
      'Each packet carries all inputs that were not yet acknowledged, so that one which arrives makes up for all that did not. Nothing is lost but a little time.',
    run: (lab) => {
      lab.setLink({ ...link('dsl'), lossRate: 0.25 });
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
  {
    title: 'Ask an authority',
    words:
      'Over Wi-Fi, beside a machine that has the last word: the picture on the right is the authority’s. Player 1 is some frames ahead of it, so that a press is there when its frame is stepped; what comes late does not count.',
    run: (lab) => {
      lab.restart({ mode: 'authority' });
      lab.setLink(link('wifi'));
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
  {
    title: 'Make two machines part',
    words:
      'One bit of Player 2’s state is turned over, as a fault of a game would do. Both machines name the frame and the field within a moment: what is proven by hashes cannot part unseen.',
    run: (lab) => {
      lab.restart({ mode: 'peers' });
      lab.setSpeed(1);
      lab.pause(false);
      lab.plantFault();
    },
  },
  {
    title: 'Feel it',
    words:
      'Take Player 1 yourself, over 4G: your own press shows at once, however bad the link is. Now set the input delay to ten frames. That is what waiting for the other would feel like all the time.',
    run: (lab) => {
      lab.restart({ hands: ['keys', 'bot'] });
      lab.setLink(link('4g'));
      lab.setInputDelay(1);
      lab.setSpeed(1);
      lab.pause(false);
    },
  },
];

function BetweenPeers() {
  return (
    <>
      <p>
        Both machines run the same game and send only what their player presses. Neither waits for the other: what has
        not come is <strong>guessed</strong>, as if the other still pressed the same. When the real press comes and is
        another one, the machine <strong>rolls back</strong>: it loads the state before the first wrong frame and runs
        on to the present in no time, now with what it knows.
      </p>
      <p>
        A frame whose presses are all known is <strong>confirmed</strong>: it never changes again, and both sides prove
        by a hash that they hold the same.
      </p>
    </>
  );
}

function BesideAuthority() {
  return (
    <>
      <p>
        The authority steps each frame on time, with the presses that are there, and never goes back. A player’s machine
        runs <strong>ahead</strong> of it, by as much as a press needs to be there in time: your own press shows at
        once, and what the other presses is <strong>guessed</strong>.
      </p>
      <p>
        Twenty times a second the authority says what it stepped. Where that is not what was guessed, the machine{' '}
        <strong>rolls back</strong> and runs on to the present, now with what it knows; the hash of the authority’s
        state proves the result, and all up to there is <strong>confirmed</strong>. A press that came too late never
        counted: it is taken back like any wrong guess.
      </p>
    </>
  );
}

/** How to read the lab, and what to try in it. */
export function Words({ lab }: { lab: Lab }) {
  const { mode } = useView(lab);
  return (
    <>
      <section class="card" aria-labelledby="what">
        <h2 id="what">What you see</h2>
        {mode === 'peers' ? <BetweenPeers /> : <BesideAuthority />}
        <p>
          <strong>Smoothing</strong> lets a picture glide to what was corrected; the logic is there at once. Switch it
          off to see each correction as the jump that it is, or switch the outlines on to see both.
        </p>
        <p>
          The players, the packets and the code are those of a real match; only time is the lab’s own. More in the
          project’s documentation: <cite>How rollback works</cite> explains the words, <cite>Prediction</cite> the
          authority, <cite>Pitfalls</cite> what makes two machines part.
        </p>
      </section>
      <section class="card" aria-labelledby="try">
        <h2 id="try">Try this</h2>
        <ol class="trials">
          {trials.map((trial) => (
            <li key={trial.title}>
              <button
                type="button"
                onClick={(event) => {
                  trial.run(lab);
                  // The pictures are above, and the keys are the game's.
                  event.currentTarget.blur();
                  scrollTo(0, 0);
                }}
              >
                {trial.title}
              </button>
              <p>{trial.words}</p>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

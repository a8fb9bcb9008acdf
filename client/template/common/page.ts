import { joinMatch, keyboard } from '@riposte/client';
import game, { GOAL } from './game.js';

const SIZE = 16;
const pen = document.querySelector('canvas')?.getContext('2d');
const line = document.querySelector('p[role=status]');
const again = document.querySelector('button');
if (!pen || !line || !again) throw new Error('the page has no canvas, no status line or no button');

const sound = new AudioContext();

/** A blip, once a key was pressed: browsers allow no sound before. */
function blip() {
  const tone = new OscillatorNode(sound, { type: 'triangle', frequency: 660 });
  const volume = new GainNode(sound, { gain: 0.2 });
  volume.gain.linearRampToValueAtTime(0, sound.currentTime + 0.15);
  tone.connect(volume).connect(sound.destination);
  tone.start();
  tone.stop(sound.currentTime + 0.15);
}
addEventListener('keydown', () => void sound.resume(), { once: true });

const room = new URLSearchParams(location.search).get('room');

try {
  const match = await joinMatch(game, {
    server: location.origin,
    ...(room === null ? { create: true } : { room }),
    input: keyboard({
      left: ['ArrowLeft', 'KeyA'],
      right: ['ArrowRight', 'KeyD'],
      up: ['ArrowUp', 'KeyW'],
      down: ['ArrowDown', 'KeyS'],
    }),
    onRoom({ code, link }) {
      // In the address, so that a page that is reloaded finds its match again.
      history.replaceState(null, '', `?room=${code}`);
      line.textContent = `Send this link to a friend, or open it in a second window: ${link}`;
    },
    onEffect({ kind, phase }) {
      if (kind === 'tag' && phase === 'start') blip();
    },
    draw({ it, x, y, score }, { me }) {
      pen.clearRect(0, 0, 272, 272);
      for (const player of [0, 1]) {
        pen.fillStyle = player === it ? 'crimson' : 'teal';
        pen.fillRect(x[player], y[player], SIZE, SIZE);
        const percent = Math.floor((100 * score[player]) / GOAL);
        pen.fillText(`${player === me ? 'you' : 'friend'} ${percent} %`, x[player] + SIZE + 4, y[player] + 12);
      }
    },
  });
  line.textContent = 'Run!';
  match.on('phase', (phase, { reason, rematch }) => {
    line.textContent = phase === 'running' ? 'Run!' : (reason ?? phase);
    again.hidden = rematch === null;
  });
  match.on('rematch', () => {
    line.textContent = 'Your friend wants to play again.';
  });
  match.on('closed', (reason) => {
    line.textContent = reason;
    again.hidden = true;
  });
  again.onclick = () => {
    again.hidden = true;
    line.textContent = 'Waiting for your friend.';
    // Why there is no other match, `closed` tells.
    match.rematch().catch(() => undefined);
  };
} catch (error) {
  line.textContent = error instanceof Error ? error.message : String(error);
}

/** What a frame costs: the sim with and without an 8-deep rollback every frame, beside the same loop by hand. */
import { hashWords, RollbackSim } from '@riposte/shared';
import { garbageEach, nanosecondsEach, type Row, reportSections, type Work } from './measure.js';
import { bareStep, type ScatterGame, scatterGame } from './scatter-game.js';

const TURNS = 15;
const DEPTH = 8;
/** States that are kept, by the sim and by hand. */
const RING = 128;

/** Sixteen buttons that change every frame, so that every prediction is wrong. */
function pressedIn(frame: number, player: number): number {
  return (Math.imul(frame + 1, 0x9e3779b1) >>> (player + 3)) & 0xffff;
}

/** Player 0 is local; the others' inputs arrive `depth` frames late. */
function simWork(game: ScatterGame, depth: number): Work {
  const { players } = game;
  const sim = new RollbackSim(game, { maxPrediction: DEPTH, history: RING });
  const words = new Int32Array(1);
  let hashed = -1;
  return (count) => {
    let mixed = 0;
    for (let done = 0; done < count; done++) {
      const frame = sim.lastFrame() + 1;
      words[0] = pressedIn(frame, 0);
      sim.putInput(0, frame, words, 0);
      const late = frame - depth;
      for (let player = 1; player < players && late >= 0; player++) {
        words[0] = pressedIn(late, player);
        sim.putInput(player, late, words, 0);
      }
      sim.advance();
      for (const confirmed = sim.confirmedFrame; hashed < confirmed; ) mixed ^= sim.hashAt(++hashed + 1);
    }
    return mixed;
  };
}

/** The same saves, steps and hashes in one loop over typed arrays. */
function bareWork(players: number, bytes: number, depth: number): Work {
  const words = bytes / 4;
  const state = new Int32Array(words);
  const ring = Array.from({ length: RING }, () => new Int32Array(words));
  const pressed = new Int32Array(RING * players);
  let next = 0;
  const simulate = (frame: number): void => {
    bareStep(state, pressed, (frame & (RING - 1)) * players, players);
    const slot = ring[(frame + 1) & (RING - 1)]!;
    if (words > 16) slot.set(state);
    else for (let word = 0; word < words; word++) slot[word] = state[word]!;
  };
  return (count) => {
    let mixed = 0;
    for (let done = 0; done < count; done++) {
      const frame = next++;
      const at = (frame & (RING - 1)) * players;
      for (let player = 0; player < players; player++) pressed[at + player] = player === 0 ? pressedIn(frame, 0) : 0;
      const late = frame - depth;
      for (let player = 1; player < players && late >= 0; player++) {
        pressed[(late & (RING - 1)) * players + player] = pressedIn(late, player);
      }
      if (depth > 0 && late >= 0) {
        const slot = ring[late & (RING - 1)]!;
        if (words > 16) state.set(slot);
        else for (let word = 0; word < words; word++) state[word] = slot[word]!;
        for (let again = late; again < frame; again++) simulate(again);
      }
      simulate(frame);
      if (late >= 0) mixed ^= hashWords(ring[(late + 1) & (RING - 1)]!, 0, words);
    }
    return mixed;
  };
}

interface Section {
  readonly suffix: string;
  readonly players: number;
  readonly bytes: number;
  readonly frames: number;
}

const SECTIONS: readonly Section[] = [
  { suffix: '', players: 2, bytes: 64, frames: 20_000 },
  { suffix: '.1KiB', players: 2, bytes: 1024, frames: 5000 },
  { suffix: '.16KiB', players: 2, bytes: 16_384, frames: 1000 },
  { suffix: '.4p', players: 4, bytes: 256, frames: 10_000 },
  { suffix: '.8p', players: 8, bytes: 256, frames: 10_000 },
];

function measure({ suffix, players, bytes, frames }: Section): Row[] {
  const game = scatterGame(players, bytes);
  const works = new Map([
    [`none${suffix}`, simWork(game, 0)],
    [`bare.none${suffix}`, bareWork(players, bytes, 0)],
    [`deep8${suffix}`, simWork(game, DEPTH)],
    [`bare.deep8${suffix}`, bareWork(players, bytes, DEPTH)],
  ]);
  const rows: Row[] = [...nanosecondsEach(works, frames, TURNS)].map(([name, value]) => ({ name, value, unit: 'ns' }));
  if (suffix === '') rows.push({ name: 'garbage', value: garbageEach(simWork(game, DEPTH), 200_000), unit: 'bytes' });
  return rows;
}

await reportSections(
  'core',
  SECTIONS.map((section) => [section.suffix, () => measure(section)]),
);

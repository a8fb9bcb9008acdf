/** What a frame costs: the sim with and without an 8-deep rollback every frame, beside the same loop by hand. */
import { type Game, RollbackSim } from '@riposte/shared';
import { bareWork, RING } from './bare.js';
import { garbageEach, nanosecondsEach, type Row, reportSections, type Work } from './measure.js';
import { plainScatterGame, pressedIn, scatterGame } from './scatter-game.js';

const TURNS = 15;
const DEPTH = 8;

/** Player 0 is local; the others' inputs arrive `depth` frames late. */
function simWork<S, I>(game: Game<S, I>, depth: number): Work {
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

/** `plain` states cost what walking over objects costs: fewer frames say as much. */
const PLAIN_FRAMES = 2000;

function measurePlain(): Row[] {
  const game = plainScatterGame(2, 64);
  const works = new Map([
    ['none.plain', simWork(game, 0)],
    ['deep8.plain', simWork(game, DEPTH)],
  ]);
  return [...nanosecondsEach(works, PLAIN_FRAMES, TURNS)].map(([name, value]) => ({ name, value, unit: 'ns' }));
}

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

await reportSections('core', [
  ...SECTIONS.map((section) => [section.suffix, () => measure(section)] as const),
  ['.plain', measurePlain],
]);

/** What a frame costs a peer with everything: packets, rollback, confirmed hashes exchanged and compared. */
import { matchRecording } from '../../client/src/recorder/match-recording.js';
import { bareWork } from './bare.js';
import { TickPair } from './delay-line.js';
import { garbageEach, nanosecondsEach, type Row, reportSections, timesOf, type Work } from './measure.js';
import { pressedIn, type ScatterGame, scatterGame } from './scatter-game.js';

const FRAMES = 20_000;
const TURNS = 15;
const DEPTH = 8;
const RECORD_FRAMES = 600;
const RECORD_TURNS = 200;
const PEERS = 2;

/**
 * Both peers' work for `count` frames; `depth` is the latency in frames, and so the depth of each rollback. `records` keeps
 * the recordings too, as a page does.
 */
function sessionWork(game: ScatterGame, depth: number, records = false): Work {
  const readers = [game.input.create(), game.input.create()];
  const words = new Int32Array(1);
  const press = (player: number) => (tick: number) => {
    const reader = readers[player]!;
    words[0] = pressedIn(tick, player);
    game.input.decode(words, 0, reader);
    return reader;
  };
  const pair = new TickPair({
    game,
    latencyTicks: depth,
    inputs: [press(0), press(1)],
    session: {
      maxPrediction: depth + 2,
      inputDelay: depth === 0 ? 1 : 0,
      ...(records && { record: (agreed) => matchRecording(game, 0, agreed, undefined, 'benchmark') }),
    },
  });
  return (count) => {
    const before = pair.sessions.map(({ sim }) => sim!.stats.rollbacks);
    pair.run(count);
    for (const [player, { sim, desync, comparedFrames }] of pair.sessions.entries()) {
      const rollbacks = sim!.stats.rollbacks - before[player]!;
      const isAsMeant = depth === 0 ? rollbacks === 0 : rollbacks > count * 0.9;
      if (desync !== null || comparedFrames === 0 || !isAsMeant)
        throw new Error(`${rollbacks} rollbacks in ${count} frames`);
    }
    return pair.sessions[0].sim!.lastFrame();
  };
}

/** A tick of each peer, beside the same work by hand in turn with it. */
function measure(name: string, depth: number): Row[] {
  const works = new Map([
    [name, sessionWork(scatterGame(2, 64), depth)],
    [`bare.${name}`, bareWork(2, 64, depth)],
  ]);
  return [...nanosecondsEach(works, FRAMES, TURNS)].map(([row, value]) => ({
    name: row,
    value: row === name ? value / PEERS : value,
    unit: 'ns',
  }));
}

function measureGarbage(): Row[] {
  const work = sessionWork(scatterGame(2, 64), DEPTH);
  return [{ name: 'garbage', value: garbageEach(work, 200_000) / PEERS, unit: 'bytes' }];
}

/** How many times the cost it is with a recording on both sides: each turn has a keyframe and ten blocks of a second. */
function measureRecord(name: string, depth: number): Row[] {
  // One game for all, as on a page: with several, engines take longer for each step, and the recording seems cheaper.
  const game = scatterGame(2, 64);
  const make = (isBase: boolean) => sessionWork(game, depth, !isBase);
  return [{ name: `record.${name}`, value: timesOf(make, RECORD_FRAMES, RECORD_TURNS), unit: `times ${name}` }];
}

await reportSections('session', [
  ['none', () => measure('none', 0)],
  ['deep8', () => measure('deep8', DEPTH)],
  ['garbage', measureGarbage],
  ['record.none', () => measureRecord('none', 0)],
  ['record.deep8', () => measureRecord('deep8', DEPTH)],
]);

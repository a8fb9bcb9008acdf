/** What a match weighs on the wire, a frame and peer, at several latencies and kinds of play. */
import { Random } from '@riposte/shared';
import { TickPair } from './delay-line.js';
import { type Row, report } from './measure.js';
import { scatterGame } from './scatter-game.js';

const SECONDS = 60;
const WARM_UP_TICKS = 300;
/** One-way latencies in ticks of a sixtieth of a second: 0, 50 and 100 ms. */
const LATENCIES = [
  { label: '0ms', ticks: 0 },
  { label: '50ms', ticks: 3 },
  { label: '100ms', ticks: 6 },
];

/** The words that a player presses, tick by tick. */
const kinds: { readonly [name: string]: (random: Random) => () => number } = {
  idle: () => () => 0,
  /** One of ten buttons flips each six frames. */
  human: (random) => {
    let held = 0;
    return () => {
      if (random.below(6) === 0) held ^= 1 << random.below(10);
      return held;
    };
  },
  random: (random) => () => random.next() & 0xffff,
};

const rows: Row[] = [];
for (const [kind, pressesOf] of Object.entries(kinds)) {
  for (const { label, ticks } of LATENCIES) {
    const game = scatterGame(2, 64);
    const press = (player: number) => {
      const random = new Random(new Int32Array(2), 0);
      random.seed(player + 1);
      const next = pressesOf(random);
      const words = new Int32Array(1);
      const reader = game.input.create();
      return () => {
        words[0] = next();
        game.input.decode(words, 0, reader);
        return reader;
      };
    };
    const pair = new TickPair({
      game,
      latencyTicks: ticks,
      inputs: [press(0), press(1)],
      session: { maxPrediction: ticks + 4, inputDelay: 1 },
    });
    pair.run(WARM_UP_TICKS);
    const before = { bytes: pair.bytes, packets: pair.packets };
    let unacked = 0;
    for (let tick = 0; tick < SECONDS * 60; tick++) {
      pair.run(1);
      for (const { running } of pair.sessions) unacked += running!.unackedFrames;
    }
    const frames = SECONDS * 60 * pair.sessions.length;
    rows.push({ name: `${kind}.${label}`, value: (pair.bytes - before.bytes) / frames, unit: 'bytes' });
    if (kind === 'random' && label === '100ms') {
      rows.push({ name: 'packetsPerFrame', value: (pair.packets - before.packets) / frames, unit: 'packets' });
      rows.push({ name: 'unacked.100ms', value: unacked / frames, unit: 'frames' });
    }
  }
}
report('wire', rows);

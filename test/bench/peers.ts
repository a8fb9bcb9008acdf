/**
 * What a frame costs with an 8-deep rollback in each, beside the other rollback engines for the browser: the same
 * game, the same inputs, one peer, no wire. Each engine runs in a process of its own, in turns, and is first held
 * against a replay. The rivals are installed by the benchmark's command; `--without-rivals` says that they could not be.
 */
import { report } from './measure.js';
import { contest } from './peers/contest.js';
import { riposte } from './peers/riposte.js';
import { type Entry, inTurns, servesEntry } from './peers/turns.js';

const ROUNDS = 3;
const TURNS = 61;

const ours: Entry = {
  name: 'riposte.deep8',
  frames: 6000,
  prepare: async () => contest('riposte', riposte),
};

const rivals: readonly Entry[] = [
  {
    name: 'rollback-netcode.deep8',
    frames: 600,
    prepare: async () => {
      const { rollbackNetcode, ScatterFields } = await import('./peers/rollback-netcode.js');
      return contest('rollback-netcode', () => rollbackNetcode(new ScatterFields()));
    },
  },
  {
    // Beyond what the package shows: the fastest that its interface allows.
    name: 'rollback-netcode.deep8.typedArray',
    frames: 600,
    prepare: async () => {
      const { rollbackNetcode, ScatterBytes } = await import('./peers/rollback-netcode.js');
      return contest('rollback-netcode on a typed array', () => rollbackNetcode(new ScatterBytes()));
    },
  },
  {
    name: 'netplayjs.deep8',
    frames: 250,
    prepare: async () => {
      const { netplayjs } = await import('./peers/netplayjs.js');
      return contest('netplayjs', netplayjs);
    },
  },
];

const entries = process.argv.includes('--without-rivals') ? [ours] : [ours, ...rivals];
if (!servesEntry(entries)) report('peers', await inTurns(entries, ROUNDS, TURNS));

/**
 * `npm run sim -- [--seeds A..B | --seed N] [--players N] [--trace] [--mutant NAME] [--json]`: builds the simulator with the sources
 * that it tries, and with a planted fault where one is asked for, and runs it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './workspace.mjs';

const SEEDS_DEFAULT = [1, 200];
/** A planted fault must be found within so many. */
const MUTANT_SEEDS_DEFAULT = [1, 300];
/** Seeds from this one on are parties: of 2 to 8, who also die, leave, reload and sleep. */
const PARTY_SEED_MIN = 1_000_000;
const SEED_MAX = 0xffffffff;

function usage(problem) {
  console.error(
    `${problem}\nUsage: npm run sim -- [--seeds A..B | --seed N] [--players N] [--trace] [--mutant NAME] [--json]`,
  );
  process.exit(2);
}

function seedOf(text) {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > SEED_MAX) usage(`A seed is "${text}"; expected an integer from 0 to ${SEED_MAX}.`);
  return seed;
}

function parse() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string' },
        seed: { type: 'string' },
        players: { type: 'string' },
        trace: { type: 'boolean', default: false },
        mutant: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return usage(error.message);
  }
}

const { seeds, seed, players, trace, mutant, json } = parse();
if (seeds !== undefined && seed !== undefined) usage('Both --seeds and --seed were given.');
if (trace && seed === undefined) usage('--trace wants one --seed.');
let [first, last] = mutant === undefined ? SEEDS_DEFAULT : MUTANT_SEEDS_DEFAULT;
if (seed !== undefined) first = last = seedOf(seed);
if (seeds !== undefined) {
  const range = /^(\d+)\.\.(\d+)$/.exec(seeds);
  if (range === null) usage(`--seeds is "${seeds}"; expected A..B, such as 1..200.`);
  [first, last] = [seedOf(range[1]), seedOf(range[2])];
  if (first > last) usage(`--seeds is "${seeds}"; the first is after the last.`);
}
if (players !== undefined && !/^[2-8]$/.test(players)) usage(`--players is "${players}"; expected 2 to 8.`);
if (players !== undefined && first < PARTY_SEED_MIN) usage(`--players goes with seeds from ${PARTY_SEED_MIN} on.`);

ensureInstalled();
const { build, runnerImport } = await import('vite');
const { module: faults } = await runnerImport(join(root, 'test', 'mutants.ts'), { configFile: false, root });
let plugins = [];
try {
  plugins = faults.plant(mutant);
} catch (error) {
  usage(error.message);
}
if (seed === undefined && seeds === undefined && faults.isOfParties(mutant)) {
  first += PARTY_SEED_MIN;
  last += PARTY_SEED_MIN;
}

// A folder for each fault: several may be tried at once.
const outDir = join(root, 'node_modules', '.cache', 'riposte-sim', mutant ?? 'sound');
await build({
  root,
  configFile: false,
  logLevel: 'error',
  plugins,
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] }, noExternal: /^@riposte\// },
  build: {
    ssr: join(root, 'test', 'simulation', 'sim.ts'),
    outDir,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    // A trace names the place of an error in the sources.
    sourcemap: true,
  },
});
const { status } = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    join(outDir, 'sim.js'),
    JSON.stringify({ first, last, trace, mutant, json, players: players && Number(players) }),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);

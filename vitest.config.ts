import { defineConfig } from 'vitest/config';
import { plant } from './test/mutants.js';

/** Tests run the packages' sources, with a fault planted in them when one is asked for. */
const source = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  plugins: plant(process.env['RIPOSTE_MUTANT']),
};

/** One file after the other, so that none is slowed by its neighbour; what drives the browsers is loaded once for all. */
const inTurn = {
  fileParallelism: false,
  isolate: false,
  sequence: { groupOrder: 1 },
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/** One project per kind of suite, so that each can be run, timed and reported by itself. */
export default defineConfig({
  ...source,
  test: {
    // The default leaves one core free: of two, that is half.
    maxWorkers: '100%',
    projects: [
      { ...source, test: { name: 'shared', include: ['shared/src/**/*.test.ts'], testTimeout: 60_000 } },
      { ...source, test: { name: 'client', include: ['client/src/**/*.test.ts'], testTimeout: 60_000 } },
      { ...source, test: { name: 'signaling', include: ['signaling/src/**/*.test.ts'], testTimeout: 20_000 } },
      { ...source, test: { name: 'matches', include: ['test/matches/**/*.test.ts'], testTimeout: 60_000 } },
      { ...source, test: { name: 'engines', include: ['test/engines/**/*.test.ts'], testTimeout: 120_000 } },
      { ...source, test: { name: 'real', include: ['test/real/*.test.ts'], ...inTurn } },
      { ...source, test: { name: 'light', include: ['test/real/light/*.test.ts'], ...inTurn } },
    ],
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The library as one file with all that it needs, for pages without a bundler: `dist/riposte.js`. */
export default defineConfig({
  root: at('src'),
  publicDir: false,
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: at('dist'),
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    // All of it on purpose: with PeerJS, simple-peer and what tests a game.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: at('src/index.ts'),
      // Its exports are what it is for.
      preserveEntrySignatures: 'strict',
      // As in the pages: with `var` the hot loops run a third slower.
      output: { entryFileNames: 'riposte.js', codeSplitting: false, topLevelVar: false, comments: { legal: true } },
    },
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The pages: `npx vite build -c client/vite.config.ts` from the repository root. */
export default defineConfig({
  root: at('src/demo'),
  // The workspaces' TypeScript itself, so that the pages need no earlier build.
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('dist/pages'),
    emptyOutDir: true,
    // An inlined asset would be a data: address, which the content security policy forbids.
    assetsInlineLimit: 0,
    target: 'es2022',
    sourcemap: true,
    rolldownOptions: {
      input: {
        index: at('src/demo/index.html'),
        lab: at('src/demo/lab/index.html'),
        inspect: at('src/demo/inspect/index.html'),
      },
      // As `var`, V8 checks a module's constants at every use: the hot loops run a third slower.
      output: { topLevelVar: false },
    },
  },
});

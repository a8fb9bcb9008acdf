/** Runs the process from its sources, as `node dist/main.js` does after a build. Flags pass through. */
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  configFile: false,
  root: fileURLToPath(new URL('..', import.meta.url)),
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false },
  ssr: { noExternal: [/^@riposte\//], resolve: { conditions: ['source'] } },
});
await vite.ssrLoadModule('/src/main.ts');

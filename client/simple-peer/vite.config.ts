import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Node's streams and buffers, and a debug log, are four fifths of simple-peer, and the transport works past its stream:
 * each package that it asks for is replaced by the file in `stand-ins/` of that name, if there is one.
 */
const withoutStream: Plugin = {
  name: 'simple-peer-without-stream',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !/\/simple-peer\/index\.js$/.test(importer)) return;
    const standIn = at(`stand-ins/${source}.cjs`);
    return existsSync(standIn) ? standIn : undefined;
  },
};

/** simple-peer as one module that Node and every bundler take as it is, without settings: `dist/simple-peer.js`. */
export default defineConfig({
  root: at('.'),
  publicDir: false,
  plugins: [withoutStream],
  build: {
    outDir: at('../dist'),
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: {
      input: { 'simple-peer': 'simple-peer' },
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name].js', codeSplitting: false, comments: { legal: true } },
    },
  },
});

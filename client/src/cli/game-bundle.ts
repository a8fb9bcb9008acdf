import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { CommandError } from './command.js';

async function loadBundler(): Promise<typeof import('vite')> {
  try {
    return await import('vite');
  } catch {
    throw new CommandError(
      'a game of your own is made ready for the page by vite, which is not installed here: npm install -D vite. ' +
        'Without it the built-in games alone can be drawn',
    );
  }
}

/** A game file anywhere on the disk gets the packages that the command itself has, installed beside it or not. */
const ownPackages: Plugin = {
  name: 'riposte:own-packages',
  enforce: 'pre',
  resolveId(id) {
    return /^@riposte\/(shared|client)(\/|$)/.test(id)
      ? this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: true })
      : null;
  },
};

/** The module `file` with all that it imports, as one module of JavaScript. Throws a `CommandError` that says why not. */
export async function bundleGame(file: string): Promise<string> {
  const { build } = await loadBundler();
  try {
    const result = await build({
      configFile: false,
      logLevel: 'silent',
      publicDir: false,
      plugins: [ownPackages],
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        write: false,
        minify: false,
        target: 'es2022',
        lib: { entry: resolve(file), formats: ['es'] },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
    const outputs = Array.isArray(result) ? result : [result];
    const chunk = outputs.flatMap((built) => ('output' in built ? built.output : []))[0];
    if (chunk?.type === 'chunk') return chunk.code;
    throw new Error('the bundler made nothing of it');
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
    throw new CommandError(`${file} cannot be bundled for the page: ${reason}`);
  }
}

import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The name that the program's exports have as a script: `riposteProgram.text` is its result, as JSON. */
export const PROGRAM = 'riposteProgram';

/** The program and all that it imports as one script, from the workspaces' TypeScript itself. */
export async function bundleProgram(): Promise<string> {
  const output = await build({
    root: at('.'),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source', 'module', 'default'] },
    build: {
      lib: { entry: at('program.ts'), formats: ['iife'], name: PROGRAM },
      target: 'es2022',
      minify: false,
      write: false,
    },
  });
  const [built] = Array.isArray(output) ? output : [];
  const [chunk] = built?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('the program was not built into one script');
  return chunk.code;
}

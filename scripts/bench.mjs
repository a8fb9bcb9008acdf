/** `npm run bench [-- NAME ...] [--json]`: builds each benchmark into one file, as a page would get it, and runs it alone. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root } from './workspace.mjs';

/** Everything else in the folder is a part of these. */
const NAMES = ['core', 'session', 'wire', 'replay', 'hash', 'signaling', 'peers'];
const folder = join(root, 'test', 'bench');
const available = NAMES.filter((name) => readdirSync(folder).includes(`${name}.ts`));

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = names.find((name) => !available.includes(name));
if (unknown !== undefined) {
  console.error(`No benchmark "${unknown}"; expected ${available.join(', ')}.`);
  process.exit(2);
}

ensureInstalled();

const { build } = await import('vite');
const outDir = join(root, 'node_modules', '.cache', 'riposte-bench');

for (const name of names.length > 0 ? names : available) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] }, noExternal: /^@riposte\// },
    build: { ssr: join(folder, `${name}.ts`), outDir, emptyOutDir: false, target: 'node20', minify: false },
  });
  const { status } = spawnSync(
    process.execPath,
    [
      '--expose-gc',
      join(outDir, `${name}.js`),
      ...process.argv.slice(2).filter((argument) => argument.startsWith('--')),
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The API reference, generated from the docstrings into `docs/api`, which is not kept: `npm run api`. TypeDoc wants an
 * older compiler than the repository's, so both are installed apart, once.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root } from './workspace.mjs';

const TOOLS = ['typedoc@0.28.20', 'typescript@6.0.3'];
/** What a game developer imports from, by the name in the reference. */
const ENTRIES = {
  client: 'client/src',
  math: 'shared/src/math',
  debugging: 'shared/src/debugging',
  games: 'shared/src/games',
  lint: 'shared/src/lint',
};

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

ensureInstalled();
const tools = join(root, 'node_modules', '.cache', 'riposte-api');
const typedoc = join(tools, 'node_modules', 'typedoc', 'bin', 'typedoc');
if (!existsSync(typedoc)) {
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-save', ...TOOLS], tools);
}
const compilerOptions = { customConditions: ['source'], noEmit: true, composite: false, rootDir: root };
const include = ['*.ts', join(root, 'client/src/**/*.d.ts')];
const tsconfig = { extends: join(root, 'client/tsconfig.json'), compilerOptions, include, exclude: [], references: [] };
writeFileSync(join(tools, 'tsconfig.json'), JSON.stringify(tsconfig));
// Each in a file of its name, which the reference shows.
const entries = Object.entries(ENTRIES).flatMap(([name, folder]) => {
  writeFileSync(
    join(tools, `${name}.ts`),
    `export * from '${join(root, folder, 'index.js').replaceAll('\\', '/')}';\n`,
  );
  return ['--entryPoints', `${name}.ts`];
});
const options = [
  '--readme',
  'none',
  '--name',
  'Riposte',
  '--excludePrivate',
  '--skipErrorChecking',
  '--logLevel',
  'Error',
];
run(
  process.execPath,
  [typedoc, ...entries, ...options, '--disableGit', '--disableSources', '--out', join(root, 'docs/api')],
  tools,
);
console.error('The API reference: docs/api/index.html');

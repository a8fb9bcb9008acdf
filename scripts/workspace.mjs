import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the root with this terminal; ends this process with its exit code when it fails. */
function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) {
    console.error(`${command} could not be started: ${error.message}`);
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs the entry file of an installed package's command under this Node. */
export function runTool(file, args, options = {}) {
  run(process.execPath, [join(root, 'node_modules', file), ...args], options);
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

/** Installs exactly what the lockfile names, unless that is there already. */
export function ensureInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (modified(installed) >= modified(join(root, 'package-lock.json'))) return;
  console.error('Installing dependencies…');
  run('npm', ['ci']);
  utimesSync(installed, new Date(), new Date());
}

const BUILT = join(root, 'client', 'dist', '.built');
const SOURCES = ['shared', 'signaling', 'client'].flatMap((name) => [
  `${name}/src`,
  `${name}/package.json`,
  `${name}/tsconfig.json`,
]);
const BUNDLES = ['client/vite.config.ts', 'client/vite.script.ts'];
const CONFIGS = [...BUNDLES, 'client/simple-peer', 'tsconfig.base.json', 'package-lock.json'];

function newestSource() {
  let newest = 0;
  const pending = [...SOURCES, ...CONFIGS].map((path) => join(root, path));
  while (pending.length > 0) {
    const path = pending.pop();
    if (!existsSync(path)) continue;
    const stat = statSync(path);
    if (stat.isDirectory()) pending.push(...readdirSync(path).map((name) => join(path, name)));
    newest = Math.max(newest, stat.mtimeMs);
  }
  return newest;
}

function bundle(config) {
  runTool('vite/bin/vite.js', ['build', '--config', config, '--logLevel', 'warn']);
}

/** Makes the one module of simple-peer that every page and process takes in. */
export function bundleSimplePeer() {
  bundle('client/simple-peer/vite.config.ts');
}

/** Builds packages, pages, the command and the library as one file. */
export function build() {
  runTool('typescript/bin/tsc', ['-b', 'shared', 'signaling', 'client']);
  bundleSimplePeer();
  for (const config of BUNDLES) bundle(config);
  writeFileSync(BUILT, '');
}

/** Builds unless the last build is newer than every source. */
export function ensureBuilt() {
  if (modified(BUILT) > newestSource()) return;
  console.error('Building…');
  build();
}

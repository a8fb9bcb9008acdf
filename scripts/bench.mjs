/** `npm run bench [-- NAME ...] [--json]`: builds each benchmark into one folder, as a page would get it, and runs it alone. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './workspace.mjs';

/** Everything else in the folder is a part of these. */
const NAMES = ['core', 'session', 'wire', 'replay', 'hash', 'signaling', 'peers'];
const folder = join(root, 'test', 'bench');
const available = NAMES.filter((name) => readdirSync(folder).includes(`${name}.ts`));
const cache = join(root, 'node_modules', '.cache');

/** Imports of the engines that `peers` measures beside ours. */
const RIVAL = /^(rollback-netcode|netplayjs)(?=\/|$)/;

/** How long an installation may take before it counts as impossible, as without a network. */
const INSTALL_MS_MAX = 120_000;

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const unknown = names.find((name) => !available.includes(name));
if (unknown !== undefined) {
  console.error(`No benchmark "${unknown}"; expected ${available.join(', ')}.`);
  process.exit(2);
}

/**
 * Installs the rivals that `peers` measures, at the exact versions of its package.json and without their scripts,
 * into a folder of the cache: whoever does not ask for the benchmark never gets them. Returns the folder that holds
 * them, or undefined when they cannot be had.
 */
function installRivals() {
  const manifest = readFileSync(join(folder, 'peers', 'package.json'), 'utf8');
  const at = join(cache, 'riposte-peers');
  const packages = join(at, 'node_modules');
  const wanted = Object.entries(JSON.parse(manifest).dependencies);
  const installed = () =>
    wanted.every(([name, version]) => {
      const file = join(packages, name, 'package.json');
      return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
    });
  if (installed()) return packages;
  console.error(`Installing ${wanted.map((pair) => pair.join(' ')).join(' and ')} for this benchmark alone…`);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'package.json'), manifest);
  const { status } = spawnSync(
    'npm',
    // The engines that rollback-netcode asks for are those of its own development.
    [
      'install',
      '--prefix',
      at,
      '--ignore-scripts',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--engine-strict=false',
      '--loglevel=error',
      '--fetch-retries=1',
    ],
    { cwd: root, stdio: ['ignore', 2, 2], timeout: INSTALL_MS_MAX },
  );
  return status === 0 && installed() ? packages : undefined;
}

ensureInstalled();

const { build } = await import('vite');
let incomplete = false;

for (const name of names.length > 0 ? names : available) {
  const outDir = join(cache, 'riposte-bench', name);
  const rivals = name === 'peers' ? installRivals() : undefined;
  const without = name === 'peers' && rivals === undefined;
  if (name === 'signaling') ensureBuilt();
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: {
      conditions: ['source'],
      alias: rivals === undefined ? [] : [{ find: RIVAL, replacement: `${rivals}/$1` }],
    },
    ssr: {
      resolve: { conditions: ['source'] },
      // The server is measured as a host runs it, not as a part of a page.
      external: ['@riposte/signaling'],
      noExternal: rivals === undefined ? /^@riposte\/(?!signaling$)/ : true,
    },
    build: {
      ssr: join(folder, `${name}.ts`),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: { external: without ? RIVAL : [], output: { topLevelVar: false } },
    },
  });
  const { status } = spawnSync(
    process.execPath,
    ['--expose-gc', join(outDir, `${name}.js`), ...flags, ...(without ? ['--without-rivals'] : [])],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  if (without) {
    console.error('The rivals of "peers" could not be installed: only our own row was measured.');
    incomplete = true;
  }
}
if (incomplete) process.exit(1);

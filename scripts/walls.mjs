/**
 * The walls between packages and folders, checked on the source itself: who may import whom, and what the pure core
 * may not name. Prints every breach with its line and exits 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { root } from './workspace.mjs';

/** Outside packages that each of ours may import. */
const PACKAGES = {
  shared: [/^valibot$/, /^@stdlib\/math-base-special-/],
  client: [
    /^@riposte\/shared(\/|$)/,
    /^(valibot|#simple-peer|peerjs|socket\.io-client|cac|idb|jiti|preact|uplot|lean-qr)(\/|$)/,
  ],
  signaling: [
    /^@riposte\/shared(\/|$)/,
    /^(valibot|express|socket\.io|socket\.io-parser|peer|ws|helmet|pino|pino-http|prom-client|cac|rate-limiter-flexible|ioredis|@socket\.io\/redis-streams-adapter)(\/|$)/,
  ],
};

/** `node:` modules belong to the server and to the command line alone. */
const NODE_MODULES_ALLOWED = /^(signaling\/src\/|client\/src\/cli\/)/;

/** Inside shared: each folder with those that it may stand on, beside itself and the errors. */
const SHARED_FOLDERS = {
  math: [],
  state: ['math'],
  input: [],
  game: ['state', 'input'],
  rollback: ['game', 'state', 'input', 'math'],
  desync: ['rollback', 'game', 'state', 'input'],
  recording: ['rollback', 'game', 'state', 'input', 'desync'],
  protocol: [],
  debugging: ['recording', 'state'],
  lint: ['desync'],
  games: ['game', 'state', 'input', 'math'],
  authority: ['rollback', 'input', 'state'],
};

/** Results differ between engines: a sync test on one machine cannot find that. */
const UNSAFE_MATH =
  /\bMath\.(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|expm1|log|log2|log10|log1p|pow|cbrt|hypot|random)\b/;

const IMPORT = /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** A part that is loaded later and does not come must fail in words: `loadPart` does, in all that pages of others load. */
const BARE_LOAD = /(?<!\btypeof\s+|\bloadPart\([^;]*)\bimport\(/;
const LOADS_BY_ITSELF = /^client\/src\/(cli|demo)\//;

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)) yield path;
  }
}

const breaches = [];

function checkImport(file, specifier) {
  const owner = file.split('/')[0];
  if (specifier.startsWith('node:')) {
    return NODE_MODULES_ALLOWED.test(file) ? undefined : 'Node modules belong to signaling and client/src/cli';
  }
  if (/^(@roamhq\/wrtc|ws|sirv|vite)$/.test(specifier) && file.startsWith('client/src/cli/')) return undefined;
  if (!specifier.startsWith('.')) {
    return PACKAGES[owner].some((allowed) => allowed.test(specifier))
      ? undefined
      : `${owner} may not import ${specifier}`;
  }
  const target = posix.normalize(posix.join(dirname(file), specifier));
  if (!target.startsWith(`${owner}/src/`)) return `${specifier} leaves ${owner}: import the package`;
  if (owner !== 'shared') return undefined;
  const [from, to] = [file, target].map((path) => path.split('/'));
  if (from.length < 4 || to.length < 4 || from[2] === to[2]) return undefined;
  return SHARED_FOLDERS[from[2]]?.includes(to[2]) ? undefined : `shared/${from[2]} may not stand on shared/${to[2]}`;
}

for (const owner of Object.keys(PACKAGES)) {
  for (const path of sources(join(root, owner, 'src'))) {
    const file = relative(root, path).split('\\').join('/');
    const text = readFileSync(path, 'utf8');
    const lineOf = (index) => text.slice(0, index).split('\n').length;
    for (const match of text.matchAll(IMPORT)) {
      const problem = checkImport(file, match[1] ?? match[2]);
      if (problem !== undefined) breaches.push(`${file}:${lineOf(match.index)} ${problem}`);
    }
    const bare = LOADS_BY_ITSELF.test(file) ? null : BARE_LOAD.exec(text);
    if (bare !== null) breaches.push(`${file}:${lineOf(bare.index)} a part is loaded without loadPart`);
    if (owner !== 'shared') continue;
    const unsafe = UNSAFE_MATH.exec(text);
    if (unsafe !== null) breaches.push(`${file}:${lineOf(unsafe.index)} ${unsafe[0]} differs between engines or runs`);
  }
}

for (const breach of breaches) console.error(breach);
console.error(breaches.length === 0 ? 'Walls: intact.' : `Walls: ${breaches.length} breaches.`);
if (breaches.length > 0) process.exit(1);

/**
 * The whole suite: `npm test [-- vitest's own arguments]`. Installs what is missing where it can, runs each project,
 * lists its seconds, and closes with one line of counts. With CI=true nothing may be skipped for want of a program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './workspace.mjs';

const isCi = process.env.CI === 'true';

/** Programs that the suite runs beside Node, by their Debian packages, with the places where they may lie. */
const PROGRAMS = [
  { name: 'chromium', packages: ['chromium'], paths: ['/usr/bin/chromium'], variable: 'CHROMIUM' },
  { name: 'firefox', packages: ['firefox-esr'], paths: ['/usr/bin/firefox-esr'], variable: 'FIREFOX' },
  { name: 'gjs', packages: ['gjs'], paths: ['/usr/bin/gjs', '/usr/bin/gjs-console'], variable: 'GJS' },
  {
    name: 'jsc',
    // The second is newer releases'.
    packages: ['libjavascriptcoregtk-4.0-bin', 'libjavascriptcoregtk-4.1-bin'],
    // Some distributions keep it off the path.
    paths: ['/usr/bin/jsc', ...['4.0', '4.1'].flatMap((version) => jscPaths(`webkit2gtk-${version}`))],
    variable: 'JSC',
  },
  { name: 'turnserver', packages: ['coturn'], paths: ['/usr/bin/turnserver'], variable: 'TURNSERVER' },
  { name: 'redis-server', packages: ['redis-server'], paths: ['/usr/bin/redis-server'], variable: 'REDIS_SERVER' },
];

function jscPaths(folder) {
  return ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/libexec'].map(
    (base) => `${base}/${folder}/jsc`,
  );
}

/** Where a program is, or undefined: where its variable says, else at the first of its places. */
function placeOf({ paths, variable }) {
  const named = process.env[variable];
  return (named === undefined ? paths : [named]).find((path) => existsSync(path));
}

function missingPrograms() {
  return PROGRAMS.filter((program) => placeOf(program) === undefined);
}

/** One by one: a release of Debian that lacks one of them has the others. */
function installPrograms(missing) {
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  for (const program of missing) {
    for (const name of program.packages) {
      if (placeOf(program) !== undefined) break;
      console.error(`Installing ${name}…`);
      spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options);
    }
  }
}

function ensurePrograms() {
  let missing = missingPrograms();
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    installPrograms(missing);
    missing = missingPrograms();
  }
  for (const program of PROGRAMS) {
    const place = placeOf(program);
    process.env[`RIPOSTE_HAS_${program.variable}`] = String(place !== undefined);
    if (place !== undefined) process.env[program.variable] = place;
  }
  if (missing.length === 0) return;
  console.error(
    `Missing: ${missing.map(({ name }) => name).join(', ')}. Their tests are skipped. To run them:\n` +
      `  sudo apt-get install ${missing.map(({ packages }) => packages[0]).join(' ')}\n` +
      `or name the programs in ${missing.map(({ variable }) => variable).join(', ')}.`,
  );
  if (isCi) process.exit(1);
}

/** Runs one project; gives its counts and seconds. What it prints comes out as it does, or in one piece at its end. */
async function runProject(project, isShown) {
  const report = join(reportDir, `${project}.json`);
  const startMs = Date.now();
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ],
    { cwd: root, stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'] },
  );
  const printed = [];
  for (const output of isShown ? [] : [child.stdout, child.stderr]) output.on('data', (data) => printed.push(data));
  const [status] = await once(child, 'close');
  process.stdout.write(Buffer.concat(printed));
  const seconds = (Date.now() - startMs) / 1000;
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  return {
    project,
    seconds,
    passed: counts?.numPassedTests ?? 0,
    failed: (counts?.numFailedTests ?? 0) + (status !== 0 && !counts?.numFailedTests ? 1 : 0),
    skipped: (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0),
  };
}

ensureInstalled();
ensureBuilt();
ensurePrograms();

const reportDir = mkdtempSync(join(tmpdir(), 'riposte-test-'));
const results = [];
for (const project of ['shared', 'client', 'signaling', 'matches', 'engines']) {
  results.push(await runProject(project, true));
}
// Matches of several pages mostly wait for time to pass: what draws one at most is tried beside them.
results.push(...(await Promise.all([runProject('real', true), runProject('light', false)])));
rmSync(reportDir, { recursive: true });

if (!isCi)
  console.error(
    '\nOne real match per transport and browser was played; CI=true npm test plays them all, and THOROUGH=true npm test also the longest.',
  );

const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log('');
for (const { project, seconds, passed, failed, skipped } of results) {
  console.log(
    `${project.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s   ${passed} passed, ${failed} failed, ${skipped} skipped.`,
  );
}
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
if (sum('failed') > 0 || sum('passed') === 0) process.exit(1);

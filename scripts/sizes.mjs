/**
 * What a page downloads: bundles as Vite makes them for it, minified, then gzip at its best. Prints each size beside
 * its bound and exits 1 beyond one. A kB is 1000 bytes.
 */
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './workspace.mjs';

/** The promises of the package, in gzipped bytes. */
const CORE_MAX = 14_000;
/** Of them, 1.4 kB are effects and facts. */
const MATCH_MAX = 11_000;

/**
 * What costs nothing unless a page names it: the other state models, recordings, prediction against an authority, and
 * the tools to test a game.
 */
const APART =
  /^(plain|PlainModel|plainRandom|bytes|BytesModel|ABSENT|ABSENT_INPUT|DifferenceNote|syncTest|SyncFault|guardDeterminism|RecordingWriter|readRecording|verify|compareRecordings|settingsText|settingsHash|hashText|inputText|PredictionState|reconcile|predictionWindow|planCorrection|describeReconcile|stateDistance|coordinatesOf|requireCorrectionOptions|stateDistance)$/;

const ENTRY = 'sizes:entry';

/** Where a module belongs, the first that fits; each gets a chunk of its own, so that it can be weighed apart. */
const OWNERS = [
  { name: 'games', test: /\/shared\/src\/games\// },
  { name: 'shared', test: /\/shared\/src\// },
  { name: 'valibot', test: /\/node_modules\/valibot\// },
  { name: 'client', test: /\/client\/src\// },
  { name: 'transports', test: /\/node_modules\// },
];

/** A folder of a package, or a state model: what a part is named by where the largest ones are listed. */
const PART = /\/src\/((?:state\/)?[^/]+)/;

/**
 * Bundles a page of this source and returns the gzipped bytes of each owner's part, after tree-shaking over all of
 * them together, and of each folder in shared: its share by length, for folders compress together. Parts that a page
 * loads later count too.
 */
async function weigh(source) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'sizes-entry',
        resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : undefined),
        load: (id) => (id === `\0${ENTRY}` ? source : undefined),
      },
    ],
    resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: ENTRY,
        preserveEntrySignatures: 'allow-extension',
        output: {
          codeSplitting: {
            // Else a part would take in all that it imports.
            includeDependenciesRecursively: false,
            groups: OWNERS.map(({ name, test }, index) => ({ name, test, priority: OWNERS.length - index })),
          },
        },
      },
    },
  });
  const bytes = Object.fromEntries(OWNERS.map(({ name }) => [name, 0]));
  const folders = new Map();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    const inside = chunk.moduleIds.find((id) => !id.startsWith('\0'));
    const owner = inside && OWNERS.find(({ test }) => test.test(inside))?.name;
    if (owner === undefined) continue;
    const size = gzipSync(chunk.code, { level: 9 }).length;
    bytes[owner] += size;
    if (owner !== 'shared') continue;
    const modules = Object.entries(chunk.modules);
    const length = modules.reduce((sum, [, { renderedLength }]) => sum + renderedLength, 0);
    for (const [id, { renderedLength }] of modules) {
      const folder = PART.exec(id)?.[1] ?? id;
      folders.set(folder, (folders.get(folder) ?? 0) + (size * renderedLength) / length);
    }
  }
  return { ...bytes, folders };
}

const kB = (bytes) => `${(bytes / 1000).toFixed(2).padStart(6)} kB`;
let beyond = false;

function line(what, bytes) {
  console.error(`  ${kB(bytes)}  ${what}`);
}

/** A line with a bound; beyond it, also what takes the room. */
function bounded(what, { shared, folders }, max) {
  const over = shared > max;
  beyond ||= over;
  line(`${what} (at most ${max / 1000} kB)${over ? ' TOO LARGE, about:' : ''}`, shared);
  if (!over) return;
  for (const [folder, bytes] of [...folders].sort((a, b) => b[1] - a[1])) line(`    ${folder}`, bytes);
}

const JOIN = "export { joinMatch } from '@riposte/client';";
const names = Object.keys(await import('@riposte/shared')).filter((name) => !APART.test(name));
const core = await weigh(`export { ${names.join(', ')} } from '@riposte/shared';`);
const whole = await weigh("export * from '@riposte/shared';");
const protocol = await weigh("export * from '@riposte/shared'; export * from '@riposte/shared/protocol';");
const match = await weigh(JOIN);
const played = await weigh(`${JOIN} export { race } from '@riposte/shared/games';`);

console.error('Sizes, minified and gzipped:');
bounded('@riposte/shared: its core, all of it', core, CORE_MAX);
line('  with plain and byte states, recordings, sync test and guard', whole.shared);
if (whole.valibot > 0) line('and valibot in it', whole.valibot);
line('  with the protocol entry', protocol.shared);
bounded('@riposte/shared in a match (joinMatch, tree-shaken; valibot apart)', match, MATCH_MAX);
line('  and the valibot that it brings', match.valibot);
line('  with what the smallest game needs (struct, buttons)', played.shared);
line('a match without its transports: shared, valibot, client', match.shared + match.valibot + match.client);
line('a match with simple-peer and socket.io-client', match.shared + match.valibot + match.client + match.transports);
if (beyond) process.exit(1);

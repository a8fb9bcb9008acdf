/**
 * What a page downloads: bundles as Vite makes them for it, minified, then gzip at its best. Prints each size beside
 * its bound and exits 1 beyond one. A kB is 1000 bytes.
 */
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './workspace.mjs';

/** The promises of the package, in gzipped bytes. */
const CORE_MAX = 14_000;
/** Of shared, from the first byte to the first frame of a match of two. */
const MATCH_MAX = 9_000;
/** All of ours in such a match and valibot, compressed as one, without a recording. The goal is 17 kB. */
const OURS_MAX = 34_950;
/** The same with socket.io-client and simple-peer, which are 19 kB of it. */
const CONNECTED_MAX = 54_000;

/**
 * What costs nothing unless a page names it: the other state models, recordings, prediction against an authority, and
 * the tools to test a game.
 */
const APART =
  /^(plain|PlainModel|plainRandom|bytes|BytesModel|ABSENT|ABSENT_INPUT|DifferenceNote|syncTest|SyncFault|guardDeterminism|RecordingWriter|readRecording|isReport|readReport|writeReport|verify|compareRecordings|settingsText|settingsHash|hashText|inputText|PredictionState|reconcile|predictionWindow|planCorrection|describeReconcile|stateDelta|applyStateDelta|coordinatesOf|requireCorrectionOptions|stateDistance)$/;

const ENTRY = 'sizes:entry';

/** Where a module belongs, the first that fits; each gets a chunk of its own, so that it can be weighed apart. */
const OWNERS = [
  { name: 'games', test: /\/shared\/src\/games\// },
  { name: 'shared', test: /\/shared\/src\//, isOurs: true },
  { name: 'valibot', test: /\/node_modules\/valibot\//, isOurs: true },
  { name: 'client', test: /\/client\/src\//, isOurs: true },
  { name: 'transports', test: /\/node_modules\// },
];

/** A folder of a package, or a state model: what a part is named by where the largest ones are listed. */
const PART = /\/src\/((?:state\/)?[^/]+)/;

/** Bundles a page of this source; with groups, into their chunks. Returns the chunks. */
async function bundle(source, groups) {
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
        // Else a part would take in all that it imports.
        output: groups === undefined ? {} : { codeSplitting: { includeDependenciesRecursively: false, groups } },
      },
    },
  });
  return output.filter(({ type }) => type === 'chunk');
}

/** What ties the chunks together, which a page's one bundle has none of. */
const TIES = /^(?:import\s*\{[^}]*\}\s*from\s*"[^"]*";\s*)+|export\s*\{[^}]*\};?\s*$/g;

const gzipped = ({ code }) => gzipSync(code, { level: 9 }).length;

/** The chunks that a page loads at once, and those that it may load later. */
function byTime(chunks) {
  const initial = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of initial) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) initial.add(chunk);
  }
  return { initial: [...initial], later: chunks.filter((chunk) => !initial.has(chunk)) };
}

/**
 * The gzipped bytes of each owner's part of a page of this source, after tree-shaking over all of them together, and of
 * each folder in shared: its share by length, for folders compress together. `ours` is shared, valibot and client
 * compressed as one, as a page bundles them; what the bundler adds is not counted. `later` is what the page loads when
 * it is needed, by the name of each chunk.
 */
async function weigh(source) {
  const { initial, later } = byTime(await bundle(source));
  const atOnce = new Set(initial.flatMap(({ moduleIds }) => moduleIds));
  const chunks = await bundle(
    source,
    OWNERS.map(({ name, test }, index) => ({
      name,
      test: (id) => test.test(id) && atOnce.has(id),
      priority: OWNERS.length - index,
    })),
  );
  const bytes = Object.fromEntries(OWNERS.map(({ name }) => [name, 0]));
  const folders = new Map();
  let ours = '';
  for (const chunk of chunks) {
    const inside = chunk.moduleIds.find((id) => atOnce.has(id) && !id.startsWith('\0'));
    const owner = inside && OWNERS.find(({ test }) => test.test(inside));
    if (owner === undefined) continue;
    const code = chunk.code.replace(TIES, '');
    const size = gzipped({ code });
    bytes[owner.name] += size;
    if (owner.isOurs) ours += code;
    if (owner.name !== 'shared') continue;
    const modules = Object.entries(chunk.modules);
    const length = modules.reduce((sum, [, { renderedLength }]) => sum + renderedLength, 0);
    for (const [id, { renderedLength }] of modules) {
      const folder = PART.exec(id)?.[1] ?? id;
      folders.set(folder, (folders.get(folder) ?? 0) + (size * renderedLength) / length);
    }
  }
  return {
    ...bytes,
    ours: gzipped({ code: ours }),
    folders,
    later: new Map(later.map((chunk) => [chunk.name, gzipped(chunk)])),
  };
}

const kB = (bytes) => `${(bytes / 1000).toFixed(2).padStart(6)} kB`;
let beyond = false;

function line(what, bytes) {
  console.error(`  ${kB(bytes)}  ${what}`);
}

/** A line with a bound; beyond it, also what takes the room, where that is known. */
function bounded(what, bytes, max, folders = new Map()) {
  const over = bytes > max;
  beyond ||= over;
  line(`${what} (at most ${max / 1000} kB)${over ? ' TOO LARGE' : ''}`, bytes);
  if (!over) return;
  for (const [folder, share] of [...folders].sort((a, b) => b[1] - a[1])) line(`    about, in ${folder}`, share);
}

/** What a match loads later, by the chunk's name. */
const LATER = {
  'match-recorder': 'the recording, unless `record` is false',
  'desync-report': 'a desync',
  party: 'more than two players',
  stand: 'the first spectator',
  'room-list': 'a list of open rooms',
  route: 'which way the packets take',
  conditions: 'a link that is made bad',
  fault: 'a game that is made faulty',
  'bad-options': 'options that cannot be',
  'simple-peer': 'simple-peer, once two players meet',
  peerjs: 'a match over PeerJS',
  bundler: 'PeerJS itself',
};

const JOIN = "export { joinMatch } from '@riposte/client';";
const names = Object.keys(await import('@riposte/shared')).filter((name) => !APART.test(name));
const core = await weigh(`export { ${names.join(', ')} } from '@riposte/shared';`);
const whole = await weigh("export * from '@riposte/shared';");
const protocol = await weigh("export * from '@riposte/shared'; export * from '@riposte/shared/protocol';");
const match = await weigh(JOIN);
const played = await weigh(`${JOIN} export { race } from '@riposte/shared/games';`);

const simplePeer = match.later.get('simple-peer');
if (simplePeer === undefined) throw new Error('simple-peer is in no chunk of its own any more');

console.error('Sizes, minified and gzipped:');
bounded('@riposte/shared: its core, all of it', core.shared, CORE_MAX, core.folders);
line('  with plain and byte states, recordings, sync test and guard', whole.shared);
if (whole.valibot > 0) line('and valibot in it', whole.valibot);
line('  with the protocol entry', protocol.shared);
bounded('@riposte/shared in a match of two (joinMatch, tree-shaken)', match.shared, MATCH_MAX, match.folders);
line('  with what the smallest game needs (struct, buttons)', played.shared);
line('  and the valibot that it brings', match.valibot);
line('@riposte/client in such a match', match.client);
bounded('the three as one: a match without its transports', match.ours, OURS_MAX);
bounded('  with socket.io-client and simple-peer', match.ours + match.transports + simplePeer, CONNECTED_MAX);
console.error('Loaded later, when it is needed:');
for (const [name, bytes] of match.later) line(LATER[name] ?? name, bytes);
if (beyond) process.exit(1);

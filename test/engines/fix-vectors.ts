/**
 * Fixes the vectors anew, from this Node: `npx jiti test/engines/fix-vectors.ts --overwrite`. Without the flag it only
 * says which parts have changed. A changed vector means that recordings, packets or states of the version before are
 * not this version's: raise `WIRE_VERSION`, the recording's format or the game's version with it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleProgram, PROGRAM } from './bundle.js';

const file = fileURLToPath(new URL('vectors.json', import.meta.url));

const script = `${await bundleProgram()}\nconsole.log(${PROGRAM}.text);`;
const computed: unknown = JSON.parse(
  execFileSync(process.execPath, ['-'], { input: script, encoding: 'utf8' }),
).vectors;

function readFixed(): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Where two values differ, as paths. */
function differences(fixed: unknown, now: unknown, path = ''): string[] {
  if (typeof fixed !== 'object' || typeof now !== 'object' || fixed === null || now === null) {
    return fixed === now ? [] : [path];
  }
  const [before, after] = [new Map(Object.entries(fixed)), new Map(Object.entries(now))];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
    differences(before.get(key), after.get(key), path === '' ? key : `${path}.${key}`),
  );
}

const changed = differences(readFixed(), computed);
for (const path of changed.slice(0, 50)) console.error(path);
console.error(`${changed.length} values differ from the fixed ones.`);
if (process.argv.includes('--overwrite')) {
  if (process.env['CI'] === 'true') throw new Error('vectors are not fixed by a test run');
  writeFileSync(file, `${JSON.stringify(computed, null, 1)}\n`);
  console.error(`Written: ${file}`);
} else if (changed.length > 0) {
  process.exitCode = 1;
}

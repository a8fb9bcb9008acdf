import { readFile } from 'node:fs/promises';
import { compareRecordings, type Recording, readRecording } from '@riposte/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { comparisonLines } from '../../client/src/recorder/difference-words.js';
import { bundleProgram } from './bundle.js';
import { type Engine, engines, resultsOf } from './engine.js';
import type { Results } from './program.js';
import { pendulumBy } from './vectors/pendulum.js';

const present = engines.filter(({ isHere }) => isHere);
const results = new Map<Engine, Results>();
let script: string;

/** How many of two lists' entries differ, and the first that does. */
function parting(a: readonly string[], b: readonly string[]): { first: number; count: number } {
  const differs = a.flatMap((entry, at) => (entry === b[at] ? [] : [at]));
  return { first: differs[0] ?? -1, count: differs.length };
}

/** All pairs of engines that answered. */
function pairs(): [Engine, Engine][] {
  const answered = [...results.keys()];
  return answered.flatMap((one, at) => answered.slice(at + 1).map((two): [Engine, Engine] => [one, two]));
}

beforeAll(async () => {
  script = await bundleProgram();
});

describe('layouts, hashes, draws, inputs, packets, recordings and matches', () => {
  it.for(engines)('are the fixed ones, bit for bit, in $name', async (engine, { skip }) => {
    if (!engine.isHere) return skip(`${engine.name} is not on this machine`);
    const answer = await engine.run(script);
    results.set(engine, resultsOf(answer));
    console.log(`${engine.name}: ${answer.version}`);
    const fixed: unknown = JSON.parse(await readFile(new URL('vectors.json', import.meta.url), 'utf8'));
    expect(resultsOf(answer).vectors).toEqual(fixed);
  });

  it('come from matches in which something happened, with rollbacks that changed nothing', () => {
    for (const { vectors } of results.values()) {
      for (const { hashes, rolledBack } of Object.values(vectors.games)) {
        expect(new Set(hashes).size).toBe(10);
        expect(rolledBack.hash).toBe(hashes.at(-1));
        expect(rolledBack.rollbacks).toBeGreaterThan(30);
      }
    }
  });
});

describe.skipIf(present.length < engines.length)('a game that uses Math.sin', () => {
  it('parts between SpiderMonkey and V8 after some frames, so that this comparison does find differences', () => {
    const parted = pairs().flatMap(([one, two]) => {
      const { first, count } = parting(results.get(one)!.unsafe.pendulum, results.get(two)!.unsafe.pendulum);
      if (first < 0) return [];
      console.log(`${one.name} and ${two.name} part at frame ${first}; ${count} frames differ.`);
      return [[one, two] as const];
    });
    const families = parted.map(([one, two]) => [one.family, two.family].sort().join(' and '));
    expect(families).toContain('SpiderMonkey and V8');
  });

  it('is told to depend on its engine where two recordings of it part', () => {
    const recordingOf = (engine: Engine): Recording =>
      readRecording(new Uint8Array(Buffer.from(results.get(engine)!.unsafe.recording, 'hex')));
    let parted = 0;
    for (const [one, two] of pairs()) {
      const { first } = parting(results.get(one)!.unsafe.pendulum, results.get(two)!.unsafe.pendulum);
      if (first < 0) continue;
      parted++;
      const [a, b] = [recordingOf(one), recordingOf(two)];
      const found = compareRecordings(a, b, pendulumBy(Math.sin));
      // The hash before a frame is that after the one before it.
      expect(found).toMatchObject({ kind: 'state', frame: first - 1 });
      expect(a.header.maths).not.toBe(b.header.maths);
      expect([...comparisonLines(found)].join('\n')).toContain(
        "if the step calls Math.sin or the like, the game's maths is engine-dependent",
      );
    }
    expect(parted).toBeGreaterThan(0);
  });

  it('is one of many: other functions of Math differ too, those that the rules call safe do not', () => {
    const differing = new Set<string>();
    for (const [one, two] of pairs()) {
      const [a, b] = [results.get(one)!.unsafe.functions, results.get(two)!.unsafe.functions];
      const names = Object.keys(a).filter((name) => a[name] !== b[name]);
      for (const name of names) differing.add(name);
      console.log(`${one.name} and ${two.name}: ${names.join(' ') || 'none'} differ.`);
    }
    // Others, such as pow, come and go with the versions of the engines.
    expect([...differing]).toEqual(expect.arrayContaining(['sin', 'atan2', 'exp']));
    for (const safe of ['sqrt', 'fround', 'remainder']) expect(differing).not.toContain(safe);
  });
});

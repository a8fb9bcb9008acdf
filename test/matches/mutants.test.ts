import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mutants } from '../mutants.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the sim's own tests, with a fault planted or without; the titles of those that failed. */
function failedTests(mutant?: string): Promise<string[]> {
  const { RIPOSTE_MUTANT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'shared',
      'shared/src/rollback/sim.test.ts',
      '--reporter=json',
    ],
    { cwd: root, env: mutant === undefined ? env : { ...env, RIPOSTE_MUTANT: mutant } },
  );
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      const report: { testResults: { assertionResults: { status: string; title: string }[] }[] } = JSON.parse(output);
      const results = report.testResults.flatMap((file) => file.assertionResults);
      if (results.length === 0) reject(new Error(`no test ran: ${output}`));
      resolve(results.filter(({ status }) => status === 'failed').map(({ title }) => title));
    });
  });
}

it('the sim passes its tests as it is', async () => {
  expect(await failedTests()).toEqual([]);
});

it.each(Object.keys(mutants))('the sim with "%s" planted in it is found out by its tests', async (name) => {
  const failed = await failedTests(name);
  expect(failed.length).toBeGreaterThan(0);
  // The property knows nothing of the fault: it finds each by comparing with replay.
  expect(failed.some((title) => title.startsWith('equals replay'))).toBe(true);
});

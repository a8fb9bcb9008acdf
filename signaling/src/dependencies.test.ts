import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

/** Older ones can be made to crash, or to use up memory, by what a stranger sends. */
const MINIMUM = { 'socket.io-parser': '4.2.7', 'engine.io': '6.6.10', ws: '8.21.0' };

const Lockfile = v.object({ packages: v.record(v.string(), v.object({ version: v.optional(v.string()) })) });

const lockfile = v.parse(
  Lockfile,
  JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')),
);

/** Whether a version is at least another one; both are three numbers. */
function isAtLeast(version: string, least: string): boolean {
  const [have, need] = [version, least].map((text) => text.split('.').map(Number));
  const differs = have.findIndex((part, index) => part !== need[index]);
  return differs < 0 || have[differs] > need[differs];
}

describe('what reads strangers’ bytes', () => {
  it.each(Object.entries(MINIMUM))('%s is at least %s, wherever it is installed', (name, least) => {
    const versions = Object.entries(lockfile.packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, { version }]) => version ?? '');
    expect(versions).not.toEqual([]);
    for (const version of versions) expect(isAtLeast(version, least), `${name} ${version}`).toBe(true);
  });

  it('is compared by number', () => {
    expect(['8.21.0', '8.100.0', '9.0.0'].every((version) => isAtLeast(version, '8.21.0'))).toBe(true);
    expect(['8.20.9', '8.3.0', '7.99.99'].some((version) => isAtLeast(version, '8.21.0'))).toBe(false);
  });
});

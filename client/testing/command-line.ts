import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { run } from '../src/cli/run.js';
import { commandIo } from './command-io.js';

/** The `riposte` command in a folder of the calling test file's own, which goes when its tests are over. */
export function commandLine() {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'riposte-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a command line as a shell would; `{name}` stands for a file of the test's folder. */
  async function riposte(line: string) {
    const argv = line
      .split(' ')
      .filter((arg) => arg !== '')
      .map((arg) => arg.replace(/\{(.*)\}/, (_, name: string) => join(folder, name)));
    const { io, written } = commandIo();
    const code = await run(argv, io);
    return { code, ...written() };
  }

  /** Runs with `--json`; stdout must be exactly one object. */
  async function json(line: string): Promise<{ code: number; result: unknown }> {
    const { code, out, err } = await riposte(`${line} --json`);
    expect(err).toBe('');
    const result: unknown = JSON.parse(out);
    return { code, result };
  }

  /** Runs what cannot be done: nothing on stdout, one sentence on stderr. */
  async function refusal(line: string): Promise<string> {
    const { code, out, err } = await riposte(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^riposte: [^\n]+\n$/);
    return err.slice('riposte: '.length, -1);
  }

  const at = (name: string) => join(folder, name);
  const put = (name: string, content: Uint8Array | string) => writeFile(at(name), content);

  return { riposte, json, refusal, at, put };
}

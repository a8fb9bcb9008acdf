import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from './io.js';
import { run } from './run.js';
import { serveCommand } from './serve.js';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'riposte-serve-')));
  const server = join(folder, 'game', 'node_modules', '@riposte', 'signaling');
  await mkdir(server, { recursive: true });
  await writeFile(join(server, 'package.json'), JSON.stringify({ exports: { './main': './main.js' } }));
  await writeFile(join(server, 'main.js'), '');
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command line in a game's folder, beside whose packages the server lies or not. */
async function serve(line: string, { exitCode = 0, project = 'game' } = {}) {
  const launched: { file: string; flags: readonly string[] }[] = [];
  const command = serveCommand(
    async (file, flags) => {
      launched.push({ file, flags });
      return exitCode;
    },
    join(folder, project, 'page.js'),
  );
  let err = '';
  const io: Io = {
    out: () => undefined,
    err: (text) => {
      err += text;
    },
    errIsTerminal: false,
    stop: () => new AbortController().signal,
  };
  return { code: await run(line.split(' '), io, [command]), launched, err };
}

describe('riposte serve', () => {
  it('runs the server with the flags as they were typed, its help among them', async () => {
    const flags = ['--port', '09000', '--pages=dist', '--help'];
    const { code, launched } = await serve(`serve ${flags.join(' ')}`);
    expect(code).toBe(0);
    expect(launched).toEqual([{ file: join(folder, 'game/node_modules/@riposte/signaling/main.js'), flags }]);
  });

  it('exits 2 when the server could not start, whose own words are on the terminal already', async () => {
    expect(await serve('serve --port x', { exitCode: 1 })).toMatchObject({ code: 2, err: '' });
  });

  it('says what to install where there is no server', async () => {
    const { code, launched, err } = await serve('serve', { project: 'elsewhere' });
    expect({ code, launched }).toEqual({ code: 2, launched: [] });
    expect(err).toMatch(/^riposte: the server is not installed; expected the package @riposte\/signaling/);
  });
});

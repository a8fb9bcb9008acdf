import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// What the game imports: to load it takes longer than all else here, and is no part of any test's time.
import '@riposte/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandIo } from '../../testing/command-io.js';
import { newCommand } from './new.js';
import { run } from './run.js';
import { synctestCommand } from './synctest.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'riposte-new-'));
});
afterAll(() => rm(folder, { recursive: true }));

const dependencies = { '@riposte/client': '^1.2.3' };

async function riposte(...argv: string[]) {
  const { io, written } = commandIo();
  const code = await run(argv, io, [newCommand(async () => dependencies), synctestCommand]);
  return { code, ...written() };
}

it('writes a game under its own name, with what it depends on, that stands the sync test', async () => {
  const game = join(folder, 'hopper-2');
  const { code, out } = await riposte('new', game);
  expect(code).toBe(0);
  for (const step of ['npm install', 'npm test', 'npm run dev']) expect(out).toContain(step);
  expect(JSON.parse(await readFile(join(game, 'package.json'), 'utf8'))).toMatchObject({
    name: 'hopper-2',
    dependencies,
  });
  const files = await readdir(game, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain('my-game');
  }
  expect(files.map(({ name }) => name)).toContain('.gitignore');
  expect((await riposte('synctest', '--frames', '100', '--game', join(game, 'src/game.ts'))).code).toBe(0);
});

it('refuses in words what is no name, and a folder that holds something, which it leaves alone', async () => {
  const full = join(folder, 'full');
  await mkdir(full);
  await writeFile(join(full, 'diary.txt'), 'mine');
  for (const [place, words] of [
    [join(folder, 'My Game'), '"My Game" cannot name a game'],
    [full, 'is not empty'],
    [join(full, 'diary.txt'), 'cannot name a game'],
    [join(full, 'diary.txt', 'game'), 'there is a file of that name'],
  ] as const) {
    const { code, out, err } = await riposte('new', place);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  }
  expect(await readdir(full)).toEqual(['diary.txt']);
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { race } from '@riposte/shared/games';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recorded } from '../../testing/recorded.js';
import { bundleGame } from './game-bundle.js';
import { type InspectorServer, serveInspector } from './inspect-server.js';
import { run } from './run.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'riposte-inspect-'));
  await mkdir(join(folder, 'pages', 'inspect'), { recursive: true });
  await writeFile(join(folder, 'pages', 'inspect', 'index.html'), '<h1>the page</h1>');
  await writeFile(join(folder, 'secret.txt'), 'secret');
});
afterAll(() => rm(folder, { recursive: true }));

describe('the inspector server', () => {
  const bytes = recorded(race, { frames: 60 });
  let server: InspectorServer;
  let port = '';

  beforeAll(async () => {
    const files = [{ name: 'a.rpl', bytes }];
    server = await serveInspector(join(folder, 'pages'), { files, game: 'export default 1', port: 0 });
    ({ port } = new URL(server.url));
  });
  afterAll(() => server.close());

  /** As `fetch`, which sends neither another Host nor a path with dots. */
  function get(path: string, host = `localhost:${port}`, method = 'GET'): Promise<{ status?: number; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { statusCode } = response;
          resolve({ ...(statusCode !== undefined && { status: statusCode }), body: Buffer.concat(parts) });
        });
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  it('serves the page under a policy without eval, and what was given', async () => {
    const page = await fetch(server.url);
    expect(await page.text()).toBe('<h1>the page</h1>');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';(?!.*unsafe)/);
    expect(JSON.parse(String((await get('/given/files.json')).body))).toEqual({ names: ['a.rpl'], hasGame: true });
    expect(new Uint8Array((await get('/given/0.rpl')).body)).toEqual(bytes);
    expect(String((await get('/given/game.js')).body)).toBe('export default 1');
  });

  it('answers nobody who reached this machine by another name', async () => {
    expect(await get('/given/0.rpl', 'evil.example')).toMatchObject({ status: 403 });
    expect(await get('/given/0.rpl', `evil.example:${port}`)).toMatchObject({ status: 403 });
  });

  it('serves nothing beside the pages and the given files', async () => {
    for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/given/1.rpl', '/nothing']) {
      expect(await get(path)).toMatchObject({ status: 404 });
    }
    expect(await get('/inspect', undefined, 'POST')).toMatchObject({ status: 405 });
  });

  it('says what is in the way: pages that are not built, a port that is taken', async () => {
    const given = { files: [], game: null, port: Number(port) };
    await expect(serveInspector(folder, given)).rejects.toThrow(/not built.*npm run build/);
    await expect(serveInspector(join(folder, 'pages'), given)).rejects.toThrow(
      `port ${port} cannot be served on: it is in use`,
    );
  });
});

describe("an author's game for the page", () => {
  it('is one module with all that it imports, wherever its file is', async () => {
    await writeFile(join(folder, 'speed.ts'), 'export const speed: number = 3;');
    await writeFile(
      join(folder, 'game.ts'),
      `import { buttons, defineGame, struct, u8 } from '@riposte/shared';
       import { speed } from './speed.js';
       export default defineGame({
         id: 'dash', version: '1', tickRate: 60, players: 2, input: buttons('go'), state: struct({ x: u8 }),
         step(state, inputs) { if (inputs[0]!.go) state.x += speed; },
       });`,
    );
    const code = await bundleGame(join(folder, 'game.ts'));
    expect(code).not.toMatch(/\bfrom\s*["']|\bimport\s*\(/);
    await writeFile(join(folder, 'bundled.mjs'), code);
    const { default: game } = await import(/* @vite-ignore */ join(folder, 'bundled.mjs'));
    expect(game).toMatchObject({ id: 'dash', players: 2 });
  });

  it('is refused in words when it does not compile', async () => {
    await writeFile(join(folder, 'broken.ts'), 'export default {');
    await expect(bundleGame(join(folder, 'broken.ts'))).rejects.toThrow(/broken\.ts cannot be bundled for the page: /);
  });
});

describe('the inspect command', () => {
  async function refusal(...args: string[]): Promise<string> {
    let err = '';
    const io = {
      out: () => {},
      err(text: string) {
        err += text;
      },
      errIsTerminal: false,
      stop: () => AbortSignal.abort(),
    };
    expect(await run(['inspect', ...args], io)).toBe(2);
    return err;
  }

  it('refuses what the page could not show, before it serves anything', async () => {
    const file = join(folder, 'a.rpl');
    await writeFile(file, recorded(race, { frames: 60 }));
    expect(await refusal()).toMatch(/missing required args.*inspect <a> \[b\]/);
    expect(await refusal(join(folder, 'none.rpl'))).toMatch(/there is no such file/);
    expect(await refusal(file, join(folder, 'secret.txt'))).toMatch(/secret\.txt: not a Riposte recording/);
    expect(await refusal(file, '--game', 'duel')).toMatch(/the recording is of "race", and --game is duel/);
    expect(await refusal(file, '--port', '70000')).toMatch(/--port is "70000"; expected an integer from 0 to 65535/);
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Command } from '../stage.js';

describe('riposte serve', () => {
  let pages: string;
  beforeAll(async () => {
    pages = await mkdtemp(join(tmpdir(), 'riposte-own-'));
    await mkdir(join(pages, 'arena'));
    await writeFile(join(pages, 'index.html'), 'a game of my own');
    await writeFile(join(pages, 'arena', 'index.html'), 'its arena');
  });
  afterAll(() => rm(pages, { recursive: true }));

  let server: Command;
  const serve = (...flags: string[]) => {
    server = new Command('serve', '--host', '127.0.0.1', '--log-level', 'silent', ...flags);
    return server;
  };
  afterEach(() => server.stop());

  it('hosts a match on its own pages, and drains when it is told to stop', async () => {
    serve('--port', '0', '--pages', pages);
    const url = /^Riposte is running: (\S+)$/.exec(await server.line())?.[1] ?? '';
    expect(await (await fetch(url)).text()).toBe('a game of my own');
    expect(await (await fetch(`${url}/arena`)).text()).toBe('its arena');
    const peer = (...args: string[]) =>
      new Command('peer', '--server', url, '--game', 'race', '--frames', '60', '--json', ...args);
    const first = peer('--create', '--bot', '1');
    const second = peer('--room', JSON.parse(await first.line()).room, '--bot', '2');
    const results = await Promise.all([first.ended, second.ended]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    server.stop();
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('says in a sentence why it cannot start, and exits 2', async () => {
    const { code, stderr, stdout } = await serve('--port', 'http').ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe('Riposte could not start: PORT is "http" but must be a whole number from 0 to 65535\n');
  });
});

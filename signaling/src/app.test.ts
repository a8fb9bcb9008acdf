import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../testing/harness.js';
import type { ServerConfig } from './config.js';

let harness: Harness;
let pagesDir: string;

beforeEach(async () => {
  pagesDir = await mkdtemp(join(tmpdir(), 'riposte-pages-'));
});
afterEach(async () => {
  await harness.close();
  await rm(pagesDir, { recursive: true });
});

async function start(settings: Partial<ServerConfig> = {}): Promise<void> {
  harness = await startHarness({ pagesDir, ...settings });
}

async function get(path: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(harness.url + path);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function writePages(): Promise<void> {
  for (const folder of ['.', 'lab', 'inspect', 'assets']) await mkdir(join(pagesDir, folder), { recursive: true });
  for (const folder of ['.', 'lab', 'inspect']) await writeFile(join(pagesDir, folder, 'index.html'), `page ${folder}`);
  await writeFile(join(pagesDir, 'assets', 'main-abc.js'), 'export {}');
}

describe('health', () => {
  it('answers healthz, readyz and version', async () => {
    await start();
    expect((await get('/healthz')).status).toBe(200);
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ ready: true });
    expect(JSON.parse((await get('/version')).text)).toEqual({
      name: '@riposte/signaling',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });
});

describe('pages', () => {
  it('are served at their paths, with queries, and their assets for good', async () => {
    await writePages();
    await start();
    expect((await get('/?room=ABC234')).text).toBe('page .');
    expect((await get('/lab')).text).toBe('page lab');
    expect((await get('/inspect/')).text).toBe('page inspect');
    expect((await get('/')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/assets/main-abc.js')).headers.get('cache-control')).toContain('immutable');
  });

  it('of one’s own may lie in any folder, each at the folder’s address', async () => {
    await mkdir(join(pagesDir, 'arena'));
    await writeFile(join(pagesDir, 'index.html'), 'own page');
    await writeFile(join(pagesDir, 'arena', 'index.html'), 'own arena');
    await start();
    expect((await get('/?room=ABCDEF')).text).toBe('own page');
    expect((await get('/arena')).text).toBe('own arena');
    expect(await get('/lab')).toMatchObject({ status: 404 });
  });

  it('that are not built say what to do, and appear once they are', async () => {
    await start();
    for (const path of ['/', '/lab', '/inspect']) {
      const page = await get(path);
      expect(page.status).toBe(503);
      expect(page.text).toContain('npm run build');
    }
    await writePages();
    expect((await get('/lab')).text).toBe('page lab');
    await rm(join(pagesDir, 'lab'), { recursive: true });
    expect((await get('/lab')).status).toBe(404);
  });

  it('can be left out', async () => {
    await writePages();
    await start({ servePages: false });
    expect((await get('/')).text).toContain('SERVE_DEMO');
    expect((await get('/lab')).status).toBe(404);
  });

  it('give away nothing but themselves', async () => {
    await writePages();
    await writeFile(join(pagesDir, '.env'), 'secret');
    await start();
    for (const path of ['/.env', '/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/%', '/nothing']) {
      const { status, text } = await get(path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
      expect(text, path).not.toMatch(/secret|root:|node_modules/);
    }
  });
});

describe('headers', () => {
  it('allow same-origin pages with workers and websockets, and nothing inline or foreign', async () => {
    await start();
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    const host = harness.url.slice('http://'.length);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`connect-src 'self' ws://${host} wss://${host} blob: data:`);
    expect(policy).toContain("worker-src 'self' blob:");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('do not force https on an address that has none', async () => {
    await start();
    const { headers } = await get('/');
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
  });

  it('force it where PUBLIC_URL is https', async () => {
    await start({ publicUrl: 'https://play.example' });
    const { headers } = await get('/');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
    expect(headers.get('content-security-policy')).toContain('upgrade-insecure-requests');
    expect(harness.server.url).toBe('https://play.example');
  });
});

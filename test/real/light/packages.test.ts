import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@riposte/signaling';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { allDocuments } from '../../docs/markdown.js';
import { pictureOf, pixelsOf } from '../picture.js';
import { Command, hasChromium, InstalledCommand, isExhaustive, launchChromium, STEP_MS } from '../stage.js';

/** What npm says where there is no network. */
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;

const FRAMES = 240;
/** The new game is played for 20 seconds. */
const MATCH_MS = 60_000;

/** As the page on drawing names them. */
const ENGINES = ['pixi.js@8.22.0', 'phaser@4.2.1'];

/** How much is to be seen of the two squares that the page on drawing shows, once one has gone a little further down. */
async function squaresAfterSteps(page: Page) {
  // The dice may have put one half over the other.
  await page.keyboard.press('ArrowDown', { delay: 100 });
  const picture = await pictureOf(page.locator('canvas').first());
  return { it: pixelsOf(picture, 0xdc143c), other: pixelsOf(picture, 0x008080) };
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a program in a folder to its end. */
function runIn(cwd: string, program: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...process.env, NODE_OPTIONS: '' } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}

const done = (ran: Ran) => ({ ...ran, code: 0 });

/** As a game developer gets it: packed, in a folder outside the repository. */
describe.runIf(isExhaustive && hasChromium)('the packages', () => {
  let folder: string;
  let game: string;
  let offline = false;
  let browser: Browser;
  let server: RunningServer | undefined;
  const problems: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'riposte-packages-'));
    game = join(folder, 'my-tag');
    browser = await launchChromium();
    expect(await new Command('new', game).ended).toMatchObject({ code: 0, stderr: '' });
    const installed = await runIn(game, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund');
    offline = installed.code !== 0 && OFFLINE.test(installed.output);
    if (!offline) expect(installed).toEqual(done(installed));
  });
  afterEach(async () => {
    // A page that is left open looks for its server in the next test, and complains that it is gone.
    for (const context of browser.contexts()) await context.close();
    await server?.close();
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  async function serve(pagesDir: string): Promise<string> {
    server = await startServer({ port: 0, host: '127.0.0.1', logLevel: 'silent', stunUrls: [], pagesDir });
    return server.url;
  }

  async function open(url: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(url);
    return page;
  }

  /** The status line of a page that `riposte new` wrote, once it has these words. */
  async function line(page: Page, words: string): Promise<string> {
    const status = page.getByRole('status').filter({ hasText: words });
    await status.waitFor({ timeout: STEP_MS });
    return (await status.textContent()) ?? '';
  }

  async function playInTwoPages(url: string): Promise<readonly [Page, Page]> {
    problems.length = 0;
    const first = await open(url);
    const link = /http\S+/.exec(await line(first, 'link'))?.[0] ?? '';
    const second = await open(link);
    await Promise.all([line(first, 'Run!'), line(second, 'Run!')]);
    expect(problems).toEqual([]);
    return [first, second];
  }

  it('give a new game whose tests run, and that two pages play to the end and once more once it is built', async (context) => {
    if (offline) context.skip('there is no network to install from');
    for (const script of ['test', 'build']) {
      const ran = await runIn(game, 'npm', 'run', script);
      expect(ran).toEqual(done(ran));
    }
    const command = new InstalledCommand(
      game,
      ...'serve --pages dist --host 127.0.0.1 --port 0 --log-level warn'.split(' '),
    );
    const url = /http\S+/.exec(await command.line())?.[0] ?? '';
    const [first, second] = await playInTwoPages(url);
    const again = (page: Page) => page.getByRole('button', { name: 'Play again' });
    await again(first).click({ timeout: MATCH_MS });
    await line(second, 'Your friend wants to play again.');
    await again(second).click();
    await Promise.all([line(first, 'Run!'), line(second, 'Run!')]);
    expect(problems).toEqual([]);
    await first.context().close();
    command.stop();
    expect((await command.ended).code).toBe(0);
  });

  it("play the README's game as it stands there: a page and headless peers, with equal hashes", async (context) => {
    if (offline) context.skip('there is no network to install from');
    const readme = join(game, 'readme');
    await mkdir(readme);
    for (const { file, text } of allDocuments()[0]!.snippets) await writeFile(join(readme, file), text);
    await writeFile(
      join(readme, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><canvas></canvas><script type="module" src="./page.ts"></script>',
    );
    const compilerOptions = { skipLibCheck: false, lib: ['es2023', 'dom', 'dom.iterable'] };
    await writeFile(
      join(readme, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['.'] }),
    );
    for (const args of [
      ['tsc', '-p', 'readme'],
      ['vite', 'build', 'readme'],
    ]) {
      const ran = await runIn(game, 'npx', ...args);
      expect(ran).toEqual(done(ran));
    }

    const url = await serve(join(readme, 'dist'));
    const peer = async (bot: string) => {
      const args = [
        '--server',
        url,
        '--quick',
        '--game',
        'readme/game.ts',
        '--bot',
        bot,
        '--frames',
        String(FRAMES),
        '--json',
      ];
      const { code, output } = await runIn(game, 'npx', 'riposte', 'peer', ...args);
      return { code, ...JSON.parse(output.trim().split('\n').at(-1) ?? '') };
    };
    const ended = { code: 0, desync: null, confirmedFrame: FRAMES - 1 };
    const [one, two] = await Promise.all([peer('1'), peer('2')]);
    expect(one).toMatchObject(ended);
    expect(two).toMatchObject({ ...ended, finalHash: one?.finalHash });

    problems.length = 0;
    await open(url);
    const other = await peer('3');
    expect(other).toMatchObject(ended);
    expect(other.comparedFrames).toBeGreaterThan(FRAMES / 2);
    expect(problems).toEqual([]);
  });

  it('draw that game with Pixi and with Phaser, as the page on drawing tells', async (context) => {
    if (offline) context.skip('there is no network to install from');
    const installed = await runIn(game, 'npm', 'install', ...ENGINES, '--prefer-offline', '--no-audit', '--no-fund');
    expect(installed).toEqual(done(installed));
    const drawing = allDocuments().find(({ path }) => path === 'docs/drawing.md');
    const tag = allDocuments()[0]!.snippets.find(({ file }) => file === 'game.ts');
    for (const engine of ['pixi', 'phaser']) {
      const page = drawing?.snippets.find(({ file }) => file === `${engine}.ts`);
      const place = join(game, engine);
      await mkdir(place);
      await writeFile(join(place, 'game.ts'), tag?.text ?? '');
      await writeFile(join(place, 'page.ts'), page?.text ?? '');
      await writeFile(
        join(place, 'index.html'),
        '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="./page.ts"></script></body>',
      );
      const compilerOptions = { lib: ['es2023', 'dom', 'dom.iterable'] };
      await writeFile(
        join(place, 'tsconfig.json'),
        JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['.'] }),
      );
      for (const args of [
        ['tsc', '-p', engine],
        ['vite', 'build', engine, '--target', 'es2022'],
      ]) {
        const ran = await runIn(game, 'npx', ...args);
        expect(ran).toEqual(done(ran));
      }
      const url = await serve(join(place, 'dist'));
      problems.length = 0;
      const players = [await open(url), await open(url)];
      for (const player of players) {
        await expect.poll(() => squaresAfterSteps(player), { timeout: STEP_MS }).toEqual({ it: 256, other: 256 });
      }
      for (const player of players) await player.context().close();
      expect(problems).toEqual([]);
      await server?.close();
    }
  });

  it('give a new game without a bundler, whose tests run and that two pages play under a strict policy', async () => {
    const plain = join(folder, 'plain-tag');
    expect(await new Command('new', plain, '--plain').ended).toMatchObject({ code: 0, stderr: '' });
    const tested = await runIn(plain, 'npm', 'test');
    expect(tested).toEqual(done(tested));
    const url = await serve(join(plain, 'public'));
    const { headers } = await fetch(`${url}/riposte.js`);
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    await playInTwoPages(url);
  });

  it('give the library as one file at an address of the server, also beside pages of one’s own', async () => {
    const pages = join(folder, 'pages');
    await mkdir(pages);
    await writeFile(
      join(pages, 'main.js'),
      "import { joinMatch } from '/riposte.js';\ndocument.title = typeof joinMatch;\n",
    );
    await writeFile(
      join(pages, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>',
    );
    problems.length = 0;
    const page = await open(await serve(pages));
    await page.waitForFunction(() => document.title === 'function', undefined, { timeout: STEP_MS });
    expect(problems).toEqual([]);
  });
});
